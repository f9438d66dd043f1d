/* The patterns by which users name functions: those of --only, --exclude, --values and --fault. */
#ifndef FISQL_CLI_RECORD_RECORD_PATTERN_H
#define FISQL_CLI_RECORD_RECORD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Does a function's name or file match one of the patterns? A name that a user knows is `f` as well as
 * `f(int)`, a file its path as well as its last part. `file` may be NULL. */
bool record_pattern_matches(const char *const *patterns, size_t count, const char *name,
                            const char *file);

#endif
