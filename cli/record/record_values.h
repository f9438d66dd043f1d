/* --values of `fisql record`: from patterns to the recipes by which the collector records arguments
 * and results. */
#ifndef FISQL_CLI_RECORD_RECORD_VALUES_H
#define FISQL_CLI_RECORD_RECORD_VALUES_H

#include "cli/record/record_options.h"

/* Makes the recipes of the program and its libraries, and sets values->recipes to them
 * (formats/recipe.h). Does nothing if values are not wanted. Returns 0, or 2 after saying what is
 * wrong: no function matches a pattern, or there is no debug information. Says what takes long,
 * unless values->quiet. late_modules.h makes recipes of libraries that the program opens itself
 * (dlopen) and of programs that it runs. */
int record_values_make(struct record_values *values, const char *program);

/* Makes the recipes of one module; `device`, `inode` and build_id ("" = none) distinguish it from
 * another file at this path. *area: NULL = none; the caller frees it. */
void record_values_of(const struct record_values *values, const char *path, uint64_t device,
                      uint64_t inode, const char *build_id, char **area, uint64_t *bytes);

/* The patterns, separated by spaces. */
void record_values_text(const struct record_values *values, char *text, size_t size);

#endif
