/*
 * The names of a run's functions: each gets the shortest that tells it from all others. That is the
 * short name (short_name.h); where different functions would meet in it, all of them get their
 * parameters, too; where they still meet, the whole name.
 *
 * So the name determines the whole name: whoever has a function's name has its full_name, without
 * the function's id. (Functions that are called the same in full, such as static functions of two
 * files, are so in short.)
 */
#ifndef FISQL_DEBUGINFO_NAMES_SHORT_NAMES_H
#define FISQL_DEBUGINFO_NAMES_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct short_names {
    struct short_names_entry *entries; /* by the order of short_names_add() */
    size_t count, capacity;
};

/* Adds a function: its name in full, borrowed until the release, and its linkage name (NULL where it
 * has no other). Returns 0, or -1 without memory. */
MUST_CHECK int short_names_add(struct short_names *names, const char *full,
                               const char *linkage_name, struct error *error);
/* Chooses the names of all that were added. */
MUST_CHECK int short_names_choose(struct short_names *names, struct error *error);
/* The name of the i-th function added; lives until the release. */
const char *short_names_get(const struct short_names *names, size_t i);
void short_names_release(struct short_names *names);

/* What stands between the functions of a stack. No name has it: see name_without_arrow(). */
#define STACK_ARROW " => "

/* A copy of a name in which nothing can be taken for the arrow between two functions of a stack: of a
 * "=>" that might be one, or become one beside another name, the ">" is written as \x3e. Caller
 * frees; NULL without memory. */
char *name_without_arrow(const char *name);

#endif
