/* Rows by time: ids of calls are in the order of their entries within a thread, those of blocks in
 * the order in which they were allocated, so a binary search by id finds a time. */
#ifndef FISQL_CLI_SERVE_BY_TIME_H
#define FISQL_CLI_SERVE_BY_TIME_H

#include "cli/serve/quick.h"

/* The statements that ask for the times of calls, and of blocks. The caller finalizes them. */
sqlite3_stmt *by_time_calls(struct quick *quick);
sqlite3_stmt *by_time_blocks(struct quick *quick);

/* The first id from `first` to `last` whose row is of that time or later; last + 1: there is none.
 * `at` is one of the statements above; it is reset. */
int64_t by_time_first(struct quick *quick, sqlite3_stmt *at, int64_t first, int64_t last,
                      int64_t ns);

#endif
