/*
 * How far recording may have changed the times in a query's rows. A run's error
 * (run.hook_cost_error_ns) is shared: a sum's part of it is as large as its part of the cost that
 * was taken out. raw_self_ns beside self_ns and raw_total_ns beside total_ns give that cost in a
 * row; without these we take its calls, too little if the function's callees have hooks.
 */
#ifndef FISQL_CLI_QUERY_TIME_DOUBT_H
#define FISQL_CLI_QUERY_TIME_DOUBT_H

#include <sqlite3.h>

struct time_doubt {
    double share;    /* error / cost; 0 = not known, or no cost */
    double hooks_ns; /* the mean cost of a call's two hooks */
    /* Columns, -1 = the rows have none. */
    int calls, self, self_cpu, raw_self, total, cpu, raw_total;
};

/* The part of the cost taken out of a time by which that time may be off. */
double time_doubt_share(sqlite3 *database);

/* By how much a call's time may be off on average, in ns, if a sum's own cost is not known. */
double time_doubt_a_call(sqlite3 *database);

/* Finds the statement's columns, and the error in the database. */
void time_doubt_init(struct time_doubt *doubt, sqlite3 *database, sqlite3_stmt *statement);

/* By how much the present row's sum in a column may be off, in ns; 0 for other columns. */
double time_doubt_of_sum(const struct time_doubt *doubt, sqlite3_stmt *statement, int column);

#endif
