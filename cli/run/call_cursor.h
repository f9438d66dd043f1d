/*
 * The calls of a thread one after another, in the order of their entries, cut as the user wants:
 * the one way in which commands and exports read the table calls. What is cut off is skipped whole
 * (ids are in pre-order), so a short piece of a long run is found at once. Memory does not grow
 * with the calls.
 */
#ifndef FISQL_CLI_RUN_CALL_CURSOR_H
#define FISQL_CLI_RUN_CALL_CURSOR_H

#include "cli/out/args.h"
#include "cli/run/run_view.h"

/* What to leave out. Zero-initialised but for until_ns: nothing. */
struct call_cut {
    int64_t since_ns, until_ns; /* calls outside; until_ns = INT64_MAX: no end */
    int64_t min_duration_ns;    /* shorter calls, with all within them */
    int64_t depth_max;          /* deeper calls, from the chosen function on; 0 = no limit */
    const char *function;       /* calls not within functions of this name or pattern */
    const char *thread;         /* other threads; by name, pattern or tid */
    int64_t within;             /* calls outside this one; 0 = none */
    bool timed;   /* calls that have no time (record --time sampled) are part of their callers */
    int64_t call; /* all but this one, those around it, and those that it made; 0 = none */
};

/* A call. Times are raw, clipped to since and until. */
struct shown_call {
    int64_t id;
    uint32_t frame;
    uint32_t depth; /* among the calls shown, from 0 */
    int64_t enter_ns, exit_ns;
    int64_t began_ns;     /* its entry, not clipped */
    int64_t duration_ns;  /* whole, not clipped */
    bool untimed;         /* it has no time: all are its entry's */
    int64_t descendants;  /* all, shown or not */
    int64_t recording_ns; /* of its time in the piece, when an export leaves it; else 0 */
    int ended;
};

struct call_cursor {
    const struct run_view *view;
    const struct run_thread *thread;
    const struct call_cut *cut;
    const bool *wanted; /* by function; NULL = all */
    sqlite3_stmt *statement;
    int64_t skip_to;     /* ids below are skipped */
    int64_t last_id;     /* of the piece of the thread */
    int64_t *open_until; /* last id within each call shown around the next one */
    size_t open_count, open_capacity;
};

int call_cursor_open(struct call_cursor *cursor, const struct run_view *view,
                     const struct run_thread *thread, const struct call_cut *cut,
                     const bool *wanted);
/* 1: *call is the next one; 0: the end; -1: reading failed, reported on stderr. */
int call_cursor_next(struct call_cursor *cursor, struct shown_call *call);
void call_cursor_close(struct call_cursor *cursor);

/* Which functions the cut is about, by id; *wanted is NULL for all. The caller frees it. Returns 0,
 * or 2 after naming the nearest for the given option. */
int call_cut_functions(const struct call_cut *cut, const char *option, const struct run_view *view,
                       bool **wanted);

/* Does the cut leave the thread in? */
bool call_cut_has_thread(const struct call_cut *cut, const struct run_thread *thread);
/* Does any thread remain? Returns 0, or 2 after saying that none does, or that a call is not there.
 */
int call_cut_check_thread(const struct call_cut *cut, const struct run_view *view);

/* Does it leave out anything? */
bool call_cut_any(const struct call_cut *cut);

/* The options that commands with a cut share, with codes from CUT_OPTIONS on. */
enum {
    CUT_OPTIONS = 1024,
    CUT_SINCE = CUT_OPTIONS,
    CUT_UNTIL,
    CUT_MIN_DURATION,
    CUT_DEPTH,
    CUT_FUNCTION,
    CUT_THREAD,
    CUT_WITHIN,
    CUT_CALL
};
#define CUT_LONG_OPTIONS                                                                           \
    {"since", CUT_SINCE, true}, {"until", CUT_UNTIL, true},                                        \
        {"min-duration", CUT_MIN_DURATION, true}, {"depth", CUT_DEPTH, true},                      \
        {"within", CUT_WITHIN, true}, {"call", CUT_CALL, true}, {"function", CUT_FUNCTION, true},  \
    {                                                                                              \
        "thread", CUT_THREAD, true                                                                 \
    }
#define CUT_HELP                                                                                   \
    "      --function NAME      only calls of this function and what they call (*, ? and [...])\n" \
    "      --thread NAME        only this thread: its name or tid\n"                               \
    "      --since TIME         only calls that end after this time since the run's start: 10ms\n" \
    "      --until TIME         only calls that begin before it\n"                                 \
    "      --within ID          only this call (queries name its id) and what it calls\n"          \
    "      --call ID            only this call, the calls around it, and those that it makes\n"    \
    "      --min-duration TIME  leave out calls that took less, and what they call\n"              \
    "      --depth N            leave out calls nested deeper\n"

/* Takes one of these options. Returns 0, or 2 after saying what is wrong with it. */
int call_cut_option(struct call_cut *cut, const struct args *args);

#endif
