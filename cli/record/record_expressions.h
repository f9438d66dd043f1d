/*
 * --value of `fisql record`: expressions on the parameters of functions. We check them against the
 * debug information before the program starts, and put them behind the parameters in the recipes of
 * the functions' hooks.
 */
#ifndef FISQL_CLI_RECORD_RECORD_EXPRESSIONS_H
#define FISQL_CLI_RECORD_RECORD_EXPRESSIONS_H

#include "cli/record/record_options.h"
#include "debuginfo/expressions/parameters.h"
#include "debuginfo/recipes/recipes.h"

/* Takes a --value. Returns 0, or 2 after saying what is wrong with it. */
int record_expressions_add(struct record_values *values, const char *text);

/* Takes --at-exit: what calls of recorded functions change behind their pointers, `bytes` of each.
 * Returns 0, or 2 after saying what is wrong. */
int record_expressions_add_changes(struct record_values *values, uint32_t bytes);

/* The expressions of a module's functions. Zero-initialised: none. */
struct module_expressions {
    struct expression_matches matches;
    struct parameters *parameters;
};

/* Finds the requested functions in `symbols` and makes their expressions. Returns 0, or -1 with
 * *error set. Release it in every case. */
int module_expressions_make(struct module_expressions *module, struct expressions *expressions,
                            const char *path, const struct symbols *symbols,
                            const struct symbols_options *options, struct error *error);
void module_expressions_release(struct module_expressions *module);

/* Adds recipes of patched entries that no debug information describes, for the registers that are
 * asked for. Returns 0, or -1 with *error set. */
int module_expressions_registers(const struct module_expressions *module, struct recipes *recipes,
                                 struct error *error);

/* Does a request ask for the function to be recorded? 0 = for any of the module's. */
bool module_expressions_of(const struct module_expressions *module, uint64_t function);

/* One expression of a hook: its value, and the steps that compute it. */
struct linked_expression {
    struct fisql_recipe_value value;
    bool whole; /* it is a parameter itself, whose pieces are in the recipes */
    struct fisql_recipe_value steps[FISQL_RECIPE_STEPS_MAX];
    bool at_exit; /* `steps` are the words to keep, and this is the value: */
    struct fisql_recipe_value exit;
    struct fisql_recipe_value exit_steps[FISQL_RECIPE_STEPS_MAX];
    bool if_changed; /* the last of the words is a checksum of this: */
    struct fisql_recipe_value entry;
    struct fisql_recipe_value entry_steps[FISQL_RECIPE_STEPS_MAX];
};

/* Has the function an expression at the exit? */
bool module_expressions_at_exit(const struct module_expressions *module, uint64_t function);

/* The n-th expression (from 0) of the hook's function, if it is an entry hook. False if there are
 * no more. */
bool module_expressions_link(const struct module_expressions *module, const struct recipes *recipes,
                             const struct fisql_recipe_hook *hook, size_t n,
                             struct linked_expression *linked);

/* To be called after all modules. Returns 0, or 2 after naming a request without a function, or an
 * expression that fits no function. Says which expressions fit only some functions. */
int record_expressions_check(const struct expressions *expressions, const char *program);

#endif
