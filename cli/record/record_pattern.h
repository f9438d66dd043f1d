/* The patterns by which users name functions: those of --only, --exclude, --values and --fault. */
#ifndef FISQL_CLI_RECORD_RECORD_PATTERN_H
#define FISQL_CLI_RECORD_RECORD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct record_patterns {
    const char **items; /* each borrowed */
    size_t count, room;
};

/* Returns 0, or 2 after saying that memory ran out. The caller frees the items. */
int record_patterns_add(struct record_patterns *patterns, const char *pattern);

/* Does a function's name or file match one of the patterns? A user may know a name as `f` or as
 * `f(int)`, a file by its path or the last part of it. `file` may be NULL. */
bool record_patterns_match(const struct record_patterns *patterns, const char *name,
                           const char *file);

/* Says that no function of the program matches, for `option` ("--values: ", or ""). Returns 2. */
int record_patterns_fail(const struct record_patterns *patterns, const char *program,
                         const char *option);

#endif
