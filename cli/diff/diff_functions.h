/* The functions, or the modules, that changed between two runs, as rows: what `fisql diff` prints. */
#ifndef FISQL_CLI_DIFF_DIFF_FUNCTIONS_H
#define FISQL_CLI_DIFF_DIFF_FUNCTIONS_H

#include "cli/out/output.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

/* What is asked for; strings are borrowed. */
struct diff_functions_request {
    const char *paths[2];         /* what messages call the runs */
    bool modules, all;            /* all: also what did not change */
    bool wide;                    /* on a terminal, all columns */
    double min_percent;           /* how much slower or faster counts */
    const char *rank;             /* a measure's word, calls or bytes: what comes first */
    enum output_format format;    /* and how it is written: as in struct output_source */
    long limit;                   /* as there */
    int cell_width_max;           /* as there */
    struct output_bounds *bounds; /* as there; rows beyond the limit are counted then */
};

/* Writes the rows to `out`; *rows gets their number. database: compare_open()'s. Returns 0, or 2
 * after saying what is wrong. */
int diff_functions(sqlite3 *database, const struct diff_functions_request *request, FILE *out,
                   long *rows);

/* The name of a column of these rows, and its unit (NULL = none); NULL behind the last one. */
const char *diff_functions_unit(const struct diff_functions_request *request, int column,
                                const char **unit);

#endif
