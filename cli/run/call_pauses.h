/*
 * The pauses of single calls (FISQL_PAUSE to FISQL_RESUME), for code that makes self times from
 * calls' durations: a pause counts in its call's duration, but in no self time. Holds the table
 * pauses in memory.
 */
#ifndef FISQL_CLI_RUN_CALL_PAUSES_H
#define FISQL_CLI_RUN_CALL_PAUSES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_pause {
    int64_t call, start_ns, paused_ns;
};

struct call_pauses {
    struct call_pause *items; /* by call */
    size_t count, capacity;
    sqlite3_stmt *next_call;
};

/* Reads the table. 0, or 2 after saying what is wrong; close it in both cases. */
int call_pauses_open(struct call_pauses *pauses, sqlite3 *database);
void call_pauses_close(struct call_pauses *pauses);

/* How long a call was paused, without the calls that it made meanwhile. */
int64_t call_pauses_of(const struct call_pauses *pauses, int64_t call);

/* How much of that is between two instants. `last` is the last call within the call, which ended at
 * exit_ns. */
int64_t call_pauses_within(const struct call_pauses *pauses, int64_t call, int64_t last,
                           int64_t exit_ns, int64_t since_ns, int64_t until_ns);

#endif
