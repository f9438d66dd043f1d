/* Symbols of a module that is recorded as it is. */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_SYMBOLS_H
#define FISQL_DEBUGINFO_PATCH_PATCH_SYMBOLS_H

#include "debuginfo/symbols/symbols.h"

/* As symbols_open(). With options->as_is, functions whose entries are patched count as
 * instrumented, and the others say why they are not: the plan of the module's file tells. */
int patch_symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                       const struct symbols_options *options, struct error *error);

#endif
