/*
 * Gives each function of a run the shortest name that no other function has: its short name
 * (short_name.h); if different functions share that, with parameters; if they still do, the whole
 * name.
 *
 * So a function's name determines its full_name without its id. Functions with one full name, such
 * as static functions of two files, share the short one.
 */
#ifndef FISQL_DEBUGINFO_NAMES_SHORT_NAMES_H
#define FISQL_DEBUGINFO_NAMES_SHORT_NAMES_H

#include <stddef.h>

#include "base/error.h"

struct short_names {
    struct short_names_entry *entries; /* in the order of short_names_add() */
    size_t count, capacity;
};

/* Adds a function: its full name, borrowed until the release, and its linkage name (NULL if it has
 * no other). Returns 0, or -1 without memory. */
MUST_CHECK int short_names_add(struct short_names *names, const char *full,
                               const char *linkage_name, struct error *error);
MUST_CHECK int short_names_choose(struct short_names *names, struct error *error);
/* The name of the i-th function added; lives until the release. */
const char *short_names_get(const struct short_names *names, size_t i);
void short_names_release(struct short_names *names);

/* Separates the functions of a stack. No name holds it: see name_without_arrow(). */
#define STACK_ARROW " => "

/* A copy of a name in which nothing looks like the arrow between functions of a stack: each "=>"
 * that is one, or could become one beside another name, becomes "=\x3e". Caller frees; NULL without
 * memory. */
char *name_without_arrow(const char *name);

#endif
