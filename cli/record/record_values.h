/* --values of `fisql record`: from patterns to the recipes that the collector records arguments and results
 * by. */
#ifndef FISQL_CLI_RECORD_VALUES_H
#define FISQL_CLI_RECORD_VALUES_H

#include "cli/record/record_options.h"

/* Makes the recipes of the program and the libraries it is linked with, and sets values->recipes to them
 * (recipe_format.h). Does nothing where values are not wanted. Returns 0, or -1 after saying on stderr what
 * is wrong: that no function matches a pattern, or that there is no debug information. Says what takes
 * long, too. Libraries that the program opens itself (dlopen), and programs that it runs, are not known
 * here. */
int record_values_make(struct record_values *values, const char *program);

/* The patterns, separated by spaces. */
void record_values_text(const struct record_values *values, char *text, size_t size);

#endif
