/* The functions that a library exports, as symbols: by every name that they are called by, though
 * debug information calls them otherwise (`__libc_open64`). */
#ifndef FISQL_DEBUGINFO_PROTOTYPES_EXPORTED_SYMBOLS_H
#define FISQL_DEBUGINFO_PROTOTYPES_EXPORTED_SYMBOLS_H

#include "debuginfo/symbols/symbols.h"

/* Reads those of the library at `path`, or of the one with this build-id that the options lead to. A
 * function has an entry for each name, one behind the other, all of them `instrumented`; its range
 * names the first, and is one byte long. Returns 0, also if there are none; -1 without memory. Release
 * it with symbols_release() in both cases. */
int exported_symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                          const struct symbols_options *options, struct error *error);

#endif
