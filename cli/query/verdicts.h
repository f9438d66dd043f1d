/*
 * What a run's findings are: the rows of the query `findings`, for the digest and the report's page,
 * which say the same as `fisql query findings`. Behind the findings come the largest things that are
 * none, one of a kind.
 */
#ifndef FISQL_CLI_QUERY_VERDICTS_H
#define FISQL_CLI_QUERY_VERDICTS_H

#include "cli/query/query_set.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Texts are owned, and to be shown by text.h; NULL = there is none. Amounts are negative if they
 * are not known. */
struct verdict {
    char *text, *kind, *share_of, *sure, *function, *caller, *called_from, *proof, *next;
    double share, saves_cpu_ns, saves_wait_ns, saves_bytes; /* share: in hundredths */
    double saves_run_ns; /* of the run, of several threads, by a replay (cli/whatif/saving.h) */
    long rows;           /* that the proof has of the kind */
    bool is_finding;
};

enum { VERDICTS_FINDINGS = 5, VERDICTS_OTHERS = 3, VERDICTS_MAX = 8, VERDICTS_UNCHECKED_MAX = 4 };

struct verdicts {
    struct verdict items[VERDICTS_MAX]; /* the findings, worst first, then the others */
    int count, findings;
    long findings_all;                       /* also those that items has no room for */
    char *checked;                           /* what was looked for, with the thresholds */
    char *unchecked[VERDICTS_UNCHECKED_MAX]; /* what was not, with the commands that do */
    int unchecked_count;
};

/* Reads them. Returns 0, or 2 after saying what is wrong. Release in both cases. */
int verdicts_read(sqlite3 *database, const struct query_set *set, struct verdicts *verdicts);
void verdicts_release(struct verdicts *verdicts);

#endif
