/*
 * The findings report, `fisql query --all`: a few rows of each analysis that matter, the worst
 * first, on one page that fits into a code review. Its sections come in the digest's order, those
 * of call structure last.
 */
#ifndef FISQL_CLI_QUERY_FINDINGS_H
#define FISQL_CLI_QUERY_FINDINGS_H

#include "cli/query/query_run.h"
#include "cli/query/query_set.h"

/* What a query's rows are, by its header's `report` line. */
enum findings_part {
    PART_ERRORS,
    PART_FINDINGS,
    PART_OVERVIEW,
    PARTS_COUNT,
    PART_NONE = PARTS_COUNT /* in no report */
};

enum findings_part findings_part_of(const struct query_file *query);
const char *findings_part_title(enum findings_part part);

/* Makes the query's parameter for the report (`report: PART NAME=VALUE` of its header) the
 * request's only setting; borrowed from the query. */
void findings_settings(struct query_request *request, const struct query_file *query);

/* Prints the report on stdout, as a table or as Markdown by the request's format. *found becomes
 * the number of rows that the analyses of errors and findings gave (overviews do not count).
 * Returns 0, or 2 after saying what is wrong. */
int findings_print(const struct query_request *request, const struct query_set *set,
                   sqlite3 *database, const char *path, long *found);

#endif
