/* The calling context tree of a run as text, each function under the one that called it: what
 * `fisql tree` prints. */
#ifndef FISQL_CLI_SHOW_SHOW_TREE_H
#define FISQL_CLI_SHOW_SHOW_TREE_H

#include "cli/out/colour.h"
#include "cli/run/measure.h"
#include "cli/run/names.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

enum show_tree_sort { TREE_BY_TIME, TREE_BY_CALLS, TREE_BY_BYTES };

/* What is asked for; strings are borrowed. */
struct show_tree_request {
    const char *from;     /* a function's name or pattern to begin at; NULL = at the roots */
    const char *by_value; /* FUNCTION.PARAMETER to begin at; NULL = not by value */
    enum name_style style;
    enum measure measure;
    enum show_tree_sort sort;
    double min_percent; /* of the whole: contexts with less are left out, and counted */
    long depth_max;     /* levels; 0 = no limit */
    bool all_code;      /* system headers' functions, too */
    enum colour colour; /* where `out` is standard output */
};

/* Writes the tree of the database to `out`; the connection is folded then (own_code.h). `path` is
 * what messages call it. By value, it has to have rows of calls (whole_calls.h). Returns 0, or 2
 * after saying what is wrong. */
int show_tree(sqlite3 *database, const char *path, const struct show_tree_request *request,
              FILE *out);

#endif
