/*
 * Loading a log that is still being written (`fisql load --follow`): what is whole so far is loaded again and again, and each
 * time the database's pages are replaced in one transaction. The database is in WAL mode meanwhile, so that readers see one
 * state or the next, never half of one, and need not open it anew.
 *
 * Why not rows alone: ids are dealt thread after thread (log_index.h), so when a thread calls again, those of the threads behind
 * it change; and times of contexts are sums over all threads. So a state is made as a plain load makes it, and is what that
 * gives, at the price of a load each time; between two loads at least as much time passes as the last one took.
 */
#ifndef FISQL_CLI_LIVE_LIVE_FOLLOW_H
#define FISQL_CLI_LIVE_LIVE_FOLLOW_H

#include <stdbool.h>

/* Makes a database of the log at a path: as fisql_load(), 0, 1 or 2 after saying why not. `last`: the recording has ended. */
typedef int live_load(void *context, const char *database, bool last);

/* Loads the log into `database` until the recording has ended, or SIGINT or SIGTERM comes. Returns what the last load
 * returned. */
int live_follow(const char *log, const char *database, live_load *load, void *context);

#endif
