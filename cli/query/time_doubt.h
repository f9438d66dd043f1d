/*
 * How far the times in a query's rows may be off for what recording cost (run.hook_cost_error_ns): a
 * sum by its part of that error, which is as large as its part of the cost that was taken out. A row
 * tells the cost by raw_self_ns beside self_ns and raw_total_ns beside total_ns; one without them by
 * its column calls, which is too little where the function's callees have hooks.
 */
#ifndef FISQL_CLI_QUERY_TIME_DOUBT_H
#define FISQL_CLI_QUERY_TIME_DOUBT_H

#include <sqlite3.h>

struct time_doubt {
    double share;    /* error / cost; 0 = not known, or no cost */
    double hooks_ns; /* what a call's two hooks cost, on the average */
    /* Columns, -1 = the rows have none. */
    int calls, self, self_cpu, raw_self, total, cpu, raw_total;
};

/* The part of the cost that was taken out of a time by which it may be off. */
double time_doubt_share(sqlite3 *database);

/* By how much a call's time may be off on the average, in ns: where a sum's own cost is not known. */
double time_doubt_a_call(sqlite3 *database);

/* Finds the statement's columns, and the error in the database. */
void time_doubt_init(struct time_doubt *doubt, sqlite3 *database, sqlite3_stmt *statement);

/* Of the present row's sum in a column, in ns; 0 for other columns. */
double time_doubt_of_sum(const struct time_doubt *doubt, sqlite3_stmt *statement, int column);

#endif
