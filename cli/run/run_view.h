/*
 * A run's names in memory, for the commands that show single calls or contexts: functions, threads
 * and frames. Memory grows with the program and its calling context tree, not with its calls.
 */
#ifndef FISQL_CLI_RUN_RUN_VIEW_H
#define FISQL_CLI_RUN_RUN_VIEW_H

#include "cli/run/measure.h"
#include "cli/run/names.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_function {
    const char *name; /* in the wanted style: one of the three */
    char *short_name;
    char *full_name;    /* NULL = the short one */
    char *linkage_name; /* only read for its style; NULL = the short one */
    char *file;         /* path; NULL = unknown */
    char *module;       /* program or library; NULL = unknown */
    char *mapped;       /* module by the map of `fisql modules`; NULL = none */
    int64_t line;       /* 0 = not known */
};

struct run_frame {
    uint32_t parent, function; /* ids; parent 0 = a root */
    uint32_t depth;
    int64_t site_line;                /* of the call in the parent's function; 0 = unknown */
    int64_t calls, total_ns, self_ns; /* by the view's measure */
    int64_t raw_self_ns, paused_ns, alloc_bytes, allocs;
    bool cut; /* the log lacks the time before an instant, from which self_ns counts */
};

struct run_thread {
    int64_t id, process_id, pid, tid;
    char *name; /* never NULL */
    int64_t start_ns, end_ns;
    int64_t first_call, last_call; /* calls.id; 0 = none */
};

struct run_view {
    sqlite3 *database;              /* the caller's */
    struct run_function *functions; /* by id; name NULL = no such function */
    size_t functions_count;
    struct run_frame *frames; /* by id; function 0 = no such frame */
    size_t frames_count;
    struct run_thread *threads; /* in the order of their ids */
    size_t threads_count, threads_capacity;
    char *command;
};

/* A database may hold anything. Readers bring instants and call ids within these bounds, so that
 * they can be subtracted, and add with run_add(). */
/* Is the call one of the thread's? */
static inline bool run_thread_has(const struct run_thread *thread, int64_t call)
{
    return thread->first_call != 0 && thread->first_call <= call && call <= thread->last_call;
}

#define RUN_NS_MAX (INT64_C(1) << 61)
#define RUN_CALL_ID_MAX (INT64_C(1) << 62)

static inline int64_t run_within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* The column, an id of a call or of a block. */
static inline int64_t run_call_id(sqlite3_stmt *row, int column)
{
    return run_within(sqlite3_column_int64(row, column), 0, RUN_CALL_ID_MAX);
}

/* Adds; saturates. */
static inline void run_add(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = more > 0 ? INT64_MAX : INT64_MIN;
}

/* Are the ids of the table (functions, frames, sites, files) such as a load gives: from 1 on, with
 * few gaps? They index arrays. Says so if not. */
bool run_ids_sound(sqlite3 *database, const char *table);

/* Reads the names, and the contexts' times by the measure. Returns 0, or 2 after saying what is
 * wrong; release in both cases. */
int run_view_open(struct run_view *view, sqlite3 *database, enum name_style style,
                  enum measure measure);
void run_view_release(struct run_view *view);

/* The function's full name, which distinguishes functions of two builds. */
const char *run_full_name(const struct run_function *function);

/* Does the text equal the short name, the full one or that of the style, or match it as a pattern
 * (*, ? and [...])? */
bool run_function_is(const struct run_function *function, const char *pattern);

/* The first row of the SQL in *statement, which the caller finalizes; false if there is none. For
 * what a database may lack: a statement that cannot be made gives none. A want of memory or a fault
 * of the file is said, and noted for the command's status. */
bool run_row(sqlite3 *database, const char *sql, sqlite3_stmt **statement);

/* The integer of the SQL; `otherwise` if there is none. */
int64_t run_integer(sqlite3 *database, const char *sql, int64_t otherwise);

/* Does the database have rows of calls? Says that `what` needs them if not. */
bool run_has_calls(sqlite3 *database, const char *path, const char *what);

/* A function's place: the last part of its file and its line, or its module. */
void run_place(const struct run_function *function, char *text, size_t size);

#endif
