/*
 * The findings that matter most, worst first, for the digest and the report. They come from all
 * queries whose header says how a row reads as a sentence and what heeding it saves (query_file.h).
 * Errors come first, then what saves the most time. A finding saves at least a hundredth of the
 * run's processor time, and each function appears once.
 */
#ifndef FISQL_CLI_QUERY_WORST_H
#define FISQL_CLI_QUERY_WORST_H

#include "cli/query/query_set.h"

#include <sqlite3.h>
#include <stdbool.h>

struct worst_finding {
    const struct query_file *query; /* borrowed from the set */
    char *text;                     /* the sentence; to be shown by text.h */
    char *subject;                  /* what it is about: the value of its first column */
    bool is_error;
    double saves_ns; /* a guess at it, for a plain build; 0 for errors */
    long rows;       /* of an error: how many the query has */
};

enum { WORST_MAX = 5 };

/* Finds at most WORST_MAX. Returns their number, or -1 after saying what is wrong. */
int worst_findings(sqlite3 *database, const struct query_set *set,
                   struct worst_finding findings[WORST_MAX]);
void worst_release(struct worst_finding *findings, int count);

#endif
