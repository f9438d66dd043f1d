/* The calls of a run one after another, all threads together in the order of time, as text: what
 * `fisql trace` prints. */
#ifndef FISQL_CLI_SHOW_SHOW_TRACE_H
#define FISQL_CLI_SHOW_SHOW_TRACE_H

#include "cli/out/colour.h"
#include "cli/run/cut_view.h"

#include <stdbool.h>
#include <stdio.h>

/* What is asked for. */
struct show_trace_request {
    struct call_cut cut;
    long limit;         /* calls; 0 = all */
    bool no_allocs;     /* leave out the blocks allocated */
    bool types;         /* of parameters and results */
    enum colour colour; /* where `out` is standard output */
};

/* Writes the calls to `out`. The view is opened with the request's cut. Returns 0, or 2 after
 * saying what is wrong. */
int show_trace(struct cut_view *cut, const struct show_trace_request *request, FILE *out);

#endif
