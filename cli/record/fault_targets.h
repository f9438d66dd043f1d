/* Which hook calls of a module the rules for faults mean: part of record_faults.c. */
#ifndef FISQL_CLI_RECORD_FAULT_TARGETS_H
#define FISQL_CLI_RECORD_FAULT_TARGETS_H

#include "cli/record/fault_rules.h"
#include "cli/record/record_options.h"
#include "debuginfo/symbols/symbols.h"

/* What was found of a rule's target in all modules. */
struct fault_found {
    size_t functions; /* that match; with hooks: */
    size_t hooked;
    size_t called;    /* of these, by others than code that has them inlined */
    size_t taken;     /* hook calls that the rule is about */
    size_t inlined;   /* calls left out: the body is inlined there */
    size_t frameless; /* ... how to return from there is not known */
    size_t unknown;   /* ... where the argument lies is not known there */
    size_t places;    /* functions that `in` means */
    bool undescribed; /* there is no debug information */
    bool wrong;       /* it was said what is */
    char *first;      /* name of the first function that the result was looked up of */
};

/* A module with what rules want of it. */
struct fault_module {
    char *path;
    struct fisql_fault_hook *hooks;
    size_t hooks_count, hooks_capacity;
    struct fisql_fault_place *places;
    size_t places_count, places_capacity;
};

/* The values that conditions on arguments look at, of all modules. */
struct fault_values {
    struct fisql_recipe_value *items;
    size_t count, capacity;
};

struct fault_search {
    struct record_faults *faults;
    struct fault_found *found; /* one a rule */
    struct fault_module *modules;
    size_t modules_count, modules_capacity;
    struct fault_values values;
    char **names; /* of functions with hooks, for what a misspelt one was meant to be */
    size_t names_count, names_capacity;
    const char *cache_dir;
};

/* Adds what a module has to the search, a struct fault_search. Returns 0, or 2 after saying what is wrong. */
int fault_targets_add(void *search, const char *path);
void fault_search_release(struct fault_search *search);

#endif
