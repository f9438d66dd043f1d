/*
 * The loader: makes the database of a run (schema.sql) from its log (formats/log.h). This is the
 * one header that the command line needs.
 *
 * Nothing here prints. Errors go into a struct error of the caller's (error.h), everything else
 * that a person should know into the report's messages. Functions may be called from any thread;
 * one load starts threads of its own and ends them before it returns.
 */
#ifndef FISQL_LOADER_LOADER_H
#define FISQL_LOADER_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct live_source;

/* What a load is doing, for a progress line. */
struct load_progress {
    const char *stage;   /* "reading", "symbols", "calls", "memory", "tables" */
    uint64_t done_bytes; /* of the log, in this stage; total 0 = not known */
    uint64_t total_bytes;
    uint64_t calls;   /* loaded so far */
    double elapsed_s; /* since the load began */
};

/* sql: CREATE VIEW and the name. */
struct load_view {
    char *name, *sql;
};

/* Which rows of `calls` are written; everything else is always there. */
enum load_calls {
    LOAD_CALLS_ALL,
    LOAD_CALLS_LONG, /* loader/calls/kept_rows.h says which */
    LOAD_CALLS_NONE
};

struct load_options {
    enum load_calls calls;
    int64_t from_call, to_call; /* LONG: these ids as well; 0, 0 = no more */
    bool index;                 /* index the rows of `calls` by their frames */
    unsigned threads;           /* to work with; 0 = as many as there are cores */
    const char *sysroot;        /* folder under which the modules' paths are looked up; NULL = / */
    const char *symbols_dir;    /* folder with separate debug files or modules; NULL = none */
    const char *cache_dir;      /* where symbols are cached by build-id; NULL = nowhere */
    const struct load_view *views; /* more than the schema has */
    size_t views_count;
    struct live_source *
        live; /* of the run, where it is being recorded: what lies there counts; NULL = it is not */
    /* Called from the loading thread at most some 10 times a second; NULL = not wanted. */
    void (*progress)(void *context, const struct load_progress *progress);
    void *progress_context;
    /* Called before the servers of DEBUGINFOD_URLS are asked for the debug information of the module
     * at `path`; NULL = they are not asked. */
    void (*asking)(void *context, const char *path);
    void *asking_context;
};

/* What a load did. fisql_load fills it also when it fails. */
struct load_report {
    uint64_t log_bytes;
    uint64_t chunks;        /* sound ones */
    uint64_t calls;         /* rows of calls (of all, however many are written) */
    uint64_t counted_calls; /* counted by the collector, not logged */
    uint64_t allocs;        /* rows of allocs */
    uint64_t processes;
    uint64_t threads;
    uint64_t losses;        /* rows of losses */
    uint64_t lost_calls;    /* their calls, where known */
    uint64_t ring_calls;    /* calls that a flight recorder dropped on purpose */
    uint64_t earlier_calls; /* calls of its threads in earlier logs (record --rotate) */
    bool continued;         /* the run goes on in another log */
    uint64_t system_calls;  /* calls of system headers' functions with compiled hooks */
    bool live;              /* the run was still being recorded */
    double elapsed_s;
    /* Things to say on stderr, one line each, without a newline. Owned by the report. */
    char **messages;
    size_t messages_count, messages_room;
};

/* Makes the database at database_path from the log at log_path. The database appears under its name
 * only when it is complete; what stood there before is replaced only where it is a fisql database
 * that nobody has open, or an empty file. The options may be NULL. The report is overwritten;
 * release it with load_report_release in every case.
 * Returns 0 done, 1 done but the log lacks something (see the table losses), 2 not done: *error
 * says why, and no file is left behind. */
int fisql_load(const char *log_path, const char *database_path, const struct load_options *options,
               struct load_report *report, struct error *error);

void load_report_release(struct load_report *report);

/* Writes the log as text to `out`, a line for each chunk and each event: for tests and people.
 * Returns 0 done, 1 done but the log is damaged (the text says where), 2 not done. */
int fisql_dump(const char *log_path, FILE *out, struct error *error);

/* Why nothing was recorded, where a process came to record. */
#define NOTHING_OFF                                                                                \
    "recording was off from start to end (--start-off): switch it on with SIGUSR2 or "             \
    "fisql_start()"
#define NOTHING_FILTERED                                                                           \
    "no function that the filter leaves in was called: give other patterns with --only or "        \
    "--exclude"

#endif
