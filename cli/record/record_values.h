/* --values of `fisql record`: from patterns to the recipes that the collector records arguments and results
 * by. */
#ifndef FISQL_CLI_RECORD_RECORD_VALUES_H
#define FISQL_CLI_RECORD_RECORD_VALUES_H

#include "cli/record/record_options.h"

/* Makes the recipes of the program and the libraries it is linked with, and sets values->recipes to them
 * (formats/recipe.h). Does nothing where values are not wanted. Returns 0, or 2 after saying on stderr what
 * is wrong: that no function matches a pattern, or that there is no debug information. Says what takes
 * long, too, unless values->quiet. Of libraries that the program opens itself (dlopen), and of programs
 * that it runs, late_recipes.h makes them. */
int record_values_make(struct record_values *values, const char *program);

/* Likewise of one module, which `device`, `inode` and build_id ("" = none) tell from another one of this
 * path. *area: NULL = there are none; the caller frees it. */
void record_values_of(const struct record_values *values, const char *path, uint64_t device,
                      uint64_t inode, const char *build_id, char **area, uint64_t *bytes);

/* The patterns, separated by spaces. */
void record_values_text(const struct record_values *values, char *text, size_t size);

#endif
