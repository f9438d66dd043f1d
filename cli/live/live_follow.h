/*
 * Loading a log that is still being written (`fisql load --follow`). We load it again and again,
 * and replace the database's pages in one transaction each time. The database is in WAL mode
 * meanwhile: readers see one state or the next, never half of one, and need not open it anew.
 *
 * Rows alone could not be added: ids go from thread to thread (log_index.h), so a new call of one
 * thread changes those of all later threads, and times of contexts are sums over all threads. Each
 * state is what a plain load gives, at the price of a load. Between two loads we wait at least as
 * long as the last one took.
 */
#ifndef FISQL_CLI_LIVE_LIVE_FOLLOW_H
#define FISQL_CLI_LIVE_LIVE_FOLLOW_H

#include <stdbool.h>

/* Loads the log into a new database: as fisql_load(), 0, 1 or 2 after saying why not. last: the
 * recording has ended. */
typedef int live_load(void *context, const char *database, bool last);

/* Loads the log into `database` until the recording ends, or SIGINT or SIGTERM comes. Returns the
 * result of the last load. */
int live_follow(const char *log, const char *database, live_load *load, void *context);

#endif
