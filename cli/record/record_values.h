/* --values of `fisql record`: from patterns to the recipes by which the collector records arguments
 * and results. */
#ifndef FISQL_CLI_RECORD_RECORD_VALUES_H
#define FISQL_CLI_RECORD_RECORD_VALUES_H

#include "cli/record/record_options.h"

/* Makes the recipes of the program and its libraries, and sets options->values.recipes to them
 * (formats/recipe.h); of what is recorded as it is, those of patched entries. Does nothing if values are not wanted. Returns 0, or 2 after saying what is
 * wrong: no function matches a pattern, or there is no debug information. Says what takes long,
 * unless values.quiet. late_modules.h makes recipes of libraries that the program opens itself
 * (dlopen) and of programs that it runs. */
int record_values_make(struct record_options *options, const char *program);

struct fisql_late_module;
/* Makes the recipes of one module, which a process asks about; patched: it is recorded as it is.
 * *area: NULL = none; the caller frees it. If there are none because nothing describes it, `without`
 * (RECORD_WITHOUT bytes) says so; else it is "". */
void record_values_of(const struct record_options *options, const struct fisql_late_module *module,
                      bool patched, char **area, uint64_t *bytes, char *without);

/* The patterns, separated by spaces. */
void record_values_text(const struct record_values *values, char *text, size_t size);

#endif
