/* Finds the hook calls of a module that rules for faults mean: part of record_faults.c. */
#ifndef FISQL_CLI_RECORD_FAULT_TARGETS_H
#define FISQL_CLI_RECORD_FAULT_TARGETS_H

#include "cli/record/fault_classes.h"
#include "cli/record/fault_rules.h"
#include "cli/record/record_options.h"
#include "debuginfo/symbols/symbols.h"

/* What the modules have of a rule's target. */
struct fault_found {
    size_t functions; /* that match; of these ... */
    size_t hooked;
    size_t called;         /* ... called by code other than inlined copies */
    size_t taken;          /* hook calls that the rule takes */
    size_t inlined;        /* hook calls left out: in inlined copies */
    size_t unknown;        /* ... with an unknown place of the argument */
    size_t places;         /* functions that `in` means */
    bool undescribed;      /* no debug information */
    const char *unpatched; /* why the entry of one that matches cannot be patched; NULL = none */
    char *first;           /* name of the first function whose result was looked up */
};

/* A module's hooks and places that rules mean. */
struct fault_module {
    char *path;
    struct fisql_fault_hook *hooks;
    size_t hooks_count, hooks_capacity;
    struct fisql_fault_place *places;
    size_t places_count, places_capacity;
};

/* Values for the conditions on arguments, of all modules. */
struct fault_values {
    struct fisql_recipe_value *items;
    size_t count, capacity;
};

struct fault_search {
    struct record_faults *faults;
    const struct record_options *options;
    const char *image;           /* the program's file */
    bool as_is;                  /* a module is recorded as it is */
    struct fault_found *found;   /* one a rule */
    struct fault_class *classes; /* one a rule */
    struct fault_module *modules;
    size_t modules_count, modules_capacity;
    struct fault_values values;
    char **names; /* of functions with hooks, to find what a misspelt one means */
    size_t names_count, names_capacity;
    const char *cache_dir;
};

/* Adds the hooks and places of a module to the search, a struct fault_search. Returns 0, or 2 after
 * saying what is wrong. */
int fault_targets_add(void *search, const char *path);
void fault_search_release(struct fault_search *search);

#endif
