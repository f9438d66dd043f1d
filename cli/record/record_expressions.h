/*
 * --value of `fisql record`: expressions on the parameters of functions. They are checked against the debug
 * information before the program starts, and put behind the parameters in the recipes of the functions' hooks.
 */
#ifndef FISQL_CLI_RECORD_RECORD_EXPRESSIONS_H
#define FISQL_CLI_RECORD_RECORD_EXPRESSIONS_H

#include "cli/record/record_options.h"
#include "debuginfo/expressions/parameters.h"
#include "debuginfo/recipes/recipes.h"

/* Takes a --value. Returns 0, or 2 after saying what is wrong with it. */
int record_expressions_add(struct record_values *values, const char *text);

/* The expressions of a module's functions. Zero-initialised there are none. */
struct module_expressions {
    struct expression_matches matches;
    struct parameters *parameters;
};

/* Finds the functions that are meant, of those in `symbols`, and makes their expressions. 0, or -1 with
 * *error set. Release it in every case. */
int module_expressions_make(struct module_expressions *module, struct expressions *expressions,
                            const char *path, const struct symbols *symbols,
                            const struct symbols_options *options, struct error *error);
void module_expressions_release(struct module_expressions *module);

/* Is the function meant? */
bool module_expressions_of(const struct module_expressions *module, uint64_t function);

/* One of a hook's: its value, and the steps that this computes it by. */
struct linked_expression {
    struct fisql_recipe_value value;
    bool whole; /* it is a parameter itself: what belongs to it is in the recipes */
    struct fisql_recipe_value steps[FISQL_RECIPE_STEPS_MAX];
};

/* The n-th expression (from 0) of the function whose entry hook it is. False where it has no more. */
bool module_expressions_link(const struct module_expressions *module, const struct recipes *recipes,
                             const struct fisql_recipe_hook *hook, size_t n,
                             struct linked_expression *linked);

/* When all modules have been looked at. Returns 0, or 2 after saying on stderr of which request there is no
 * function, or which expression fits none of them; of those that fit some alone it says so. */
int record_expressions_check(const struct expressions *expressions, const char *program);

#endif
