/*
 * Questions of somebody who is not at the terminal: of an agent (`fisql mcp`), of a page in a
 * browser (`fisql serve`). Such a reader may send any SQL and cannot press Ctrl-C, so a question
 *
 *   - reads: SQL of somebody else's is one statement, and an authorizer lets it look at tables,
 *     views and harmless pragmas alone (cli/run/distrust.h, DISTRUST_ASK);
 *   - ends: at a deadline, or when another thread sets a flag;
 *   - has bounds: rows, bytes, columns of a text; what they leave out is counted, as long as
 *     counting takes no time to speak of;
 *   - takes at most so much memory: one cap for all that SQLite does in the process.
 *
 * Rows are JSON as `fisql query --format json` writes it (cli/out/output.h).
 *
 * How: SQLite calls the watch after some thousand steps of its machine. What one step may do is
 * bounded by SQLITE_LIMIT_LENGTH: the longest that we know of, instr() of two texts of 512 KiB made
 * for it, takes some seconds, and no watch ends it.
 *
 * What is wrong is said by cli/out/say.h, on stderr or to the thread's listener (say_to).
 *
 * Threads: a connection, and a watch on it, belong to one thread at a time; only the flag `stop` is
 * set from elsewhere. Different connections may be asked at once.
 */
#ifndef FISQL_CLI_ASK_ASK_H
#define FISQL_CLI_ASK_ASK_H

#include "cli/query/query_run.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- once ---- */

/* Caps SQLite's memory in this process, in bytes; before anything of SQLite is used. Returns 0, or
 * 2 after saying that it cannot. */
int ask_begin(int64_t memory_bytes);

/* Opens a run's database, read-only, with little memory: large sorts use temporary files. Returns
 * NULL after saying what is wrong. Close it with sqlite3_close(). */
sqlite3 *ask_open(const char *path);

/* ---- what takes time ---- */

/* How it ended. */
enum ask_end {
    ASK_DONE,
    ASK_COUNTED_ENOUGH, /* the answer is whole, the count of what it leaves out is not */
    ASK_LATE,           /* at the deadline */
    ASK_STOPPED,        /* by the flag */
    ASK_FAILED          /* said */
};

/* A watch over all statements of a connection, ours as well as those of somebody else. */
struct ask_watch {
    /* Set by the caller. */
    int64_t time_ns;  /* from the begin on; 0 = no limit */
    int64_t count_ns; /* for counting on when the bounds are full; 0 = no limit */
    const int *stop;  /* set to another value than 0 by another thread, atomically; NULL = none */
    const struct output_bounds *bounds; /* to see when they are full; NULL = none */
    /* Set by the watch. */
    enum ask_end end; /* ASK_DONE as long as it ended nothing */
    /* Private. */
    sqlite3 *database;
    int64_t deadline_ns, count_deadline_ns;
};

/* From now on the connection's statements end with SQLITE_INTERRUPT when the time is over or the
 * flag is set. The watch has to live until ask_watch_end(), which leaves its `end` to be read. NULL:
 * it watches loops alone. */
void ask_watch_begin(struct ask_watch *watch, sqlite3 *database);
void ask_watch_end(struct ask_watch *watch);

/* Is the time over, or the flag set? For loops of ours that step no statement. */
bool ask_watch_is_over(struct ask_watch *watch);

/* Says why it ended ("stopped after 10 s, ..."), if it did. Returns 2 then, else `status`. */
int ask_watch_say(const struct ask_watch *watch, int status);

/* ---- rows ---- */

struct ask_limits {
    long rows_max;      /* -1 = all */
    size_t bytes_max;   /* of the rows as JSON, with their brackets: 32 at least */
    bool in_string;     /* counted as they are inside a JSON string */
    int cell_width_max; /* longer texts are shortened, with an ellipsis; 0 = none is */
    int64_t time_ns;    /* as in struct ask_watch */
    int64_t count_ns;   /* as there */
    const int *stop;    /* as there */
};

struct ask_answer {
    enum ask_end end;
    long rows;            /* written */
    long rows_left_out;   /* counted beyond the limits: all of them if `end` is ASK_DONE, else those
                             seen until then */
    long cells_shortened; /* in the rows written */
};

/* Runs a statement of somebody else's and writes its rows to `out`. Returns 0, or 2 after saying
 * what is wrong; `out` may have a part of an answer then, which means nothing.
 *
 * Late rows are rows: if the time is over after some were written, that is no failure, and `end` is
 * ASK_LATE. */
int ask_sql(sqlite3 *database, const char *sql, const struct ask_limits *limits, FILE *out,
            struct ask_answer *answer);

/* The same for a canned query, or one of the user's own files. The request says what
 * `fisql query` would be told; its format is JSON, and its limits are these here. */
int ask_query(sqlite3 *database, const struct query_file *query,
              const struct query_request *request, const struct ask_limits *limits, FILE *out,
              struct ask_answer *answer);

#endif
