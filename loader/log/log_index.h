/*
 * What a log holds, found in one pass over its chunks before any event is decoded: the facts of the
 * run, its processes, threads and modules, where each thread's event chunks lie, in order, and what
 * is missing. The ids of the database are dealt out here, since they must not depend on the order
 * in which threads are decoded: processes by their keys, threads by process and index, calls thread
 * after thread.
 *
 * Call ids. A thread's calls are numbered in the order of their entries. A chunk header says how
 * many calls the chunk enters, so each thread's range is known beforehand. Where chunks before one
 * are missing, or recording was off, calls may be open that no event entered: the snapshot names
 * them, and the range holds `open_calls` ids more for them. Ids that are not used stay free at the
 * end of the thread's range.
 *
 * Everything is owned by the index and lives until log_index_release.
 */
#ifndef FISQL_LOADER_LOG_LOG_INDEX_H
#define FISQL_LOADER_LOG_LOG_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/text_pool.h"
#include "loader/log/log_points.h"
#include "loader/log/log_reader.h"

#define TICK_UNKNOWN UINT64_MAX

/* An EVENTS chunk. */
struct log_chunk {
    uint64_t offset; /* in the log; for a salvaged one: its index in log_index.salvaged.chunks */
    uint64_t first_call;
    uint64_t tick_start;
    uint32_t length;
    uint32_t sequence;
    uint32_t calls;
    uint32_t thread; /* index in log_index.threads */
    uint64_t cost;   /* FISQL_COST_ */
    uint16_t open_calls;
    uint16_t flags; /* FISQL_FLAG_ */
    bool salvaged;
    bool gap;             /* chunks before it are missing */
    bool earlier;         /* ... because they are in an earlier log (record --rotate) */
    uint32_t loss;        /* the gap's row: index in log_index.losses + 1; 0 = it has none */
    uint32_t lost_chunks; /* how many, where gap */
    uint64_t lost_calls;
};

/* What the kernel knew of a thread: see GAP in formats/log.h. */
struct log_reading {
    uint64_t tick; /* TICK_UNKNOWN = there is none */
    uint64_t cpu_ns;
    uint32_t waits, preemptions, minor_faults, major_faults;
    bool counted;       /* these four are known, too */
    bool no_faults;     /* but not the faults */
    bool has_queued;    /* the next one is known */
    uint64_t queued_ns; /* since the thread's start it could run and others did */
};

struct log_thread {
    uint32_t id;      /* threads.id; 0 = it left no event */
    uint32_t process; /* index in log_index.processes */
    uint32_t thread;  /* index in its process */
    uint32_t tid;
    char *name;                    /* NULL = not known */
    uint64_t start_tick, end_tick; /* from its facts; TICK_UNKNOWN */
    struct log_reading at_start, at_end;
    bool ended;                   /* its facts hold its end */
    bool exited;                  /* before its process did */
    bool name_given;              /* by the program, which takes precedence */
    uint32_t first_chunk, chunks; /* in log_index.chunks */
    uint64_t chunk_bytes;
    uint64_t first_call_id; /* of its range */
    uint64_t call_ids;      /* length of its range */
};

struct log_clock_pair {
    uint64_t tick, ns;
};

/* The end of a process that a signal ended, as `fisql record` saw it; TICK_UNKNOWN = not known. */
struct log_killed {
    uint64_t ns;                         /* CLOCK_MONOTONIC */
    uint64_t cpu_ns, waits, preemptions; /* of its first thread */
    uint64_t queued_ns;                  /* of that thread, too */
};

/* The image that forked a process, started it, or that it replaced by exec. */
struct log_parent {
    uint64_t key; /* 0 = not known */
    uint32_t pid; /* 0 = not known */
    uint32_t id;  /* processes.id; 0 = none or not in the log */
};

struct log_process {
    uint32_t id; /* processes.id */
    uint32_t pid;
    uint64_t key;
    struct log_parent parent;
    char *executable, *command, *origin; /* NULL = not known */
    uint64_t start_tick;                 /* TICK_UNKNOWN */
    uint64_t end_tick;
    struct log_killed killed;
    uint64_t fork_tick; /* when its parent was about to fork it; 0 = not known */
    char *how;          /* how it ended, NULL = not known */
    bool has_status, has_signal;
    int64_t status, signal;
    bool monotonic;     /* its ticks are nanoseconds */
    bool timeless;      /* its ticks give an order and no time */
    bool ends_lost;     /* the last chunks of its threads may be missing */
    uint64_t gap_ticks; /* a longer time without an event has a GAP; TICK_UNKNOWN = none has */
    uint64_t ticks_per_second; /* from its facts; 0 = not known */
    struct log_clock_pair first_pair, last_pair;
    bool has_pair;
};

/* A load of a module; its unload is an event of its own. */
struct log_module {
    uint32_t process; /* index in log_index.processes */
    char *path;
    char *build_id; /* hexadecimal; NULL = none */
    uint64_t bias, start, end;
    uint64_t load_tick;   /* TICK_UNKNOWN = not known, so before all events */
    uint64_t unload_tick; /* TICK_UNKNOWN = never */
    uint64_t patched;     /* functions that were patched to be recorded */
    char *unpatched;      /* why it could not be patched; NULL = nobody tried, or it was */
    uint64_t *left;       /* functions that were left out, addresses in the file */
    size_t left_count, left_capacity;
};

/* A function of a module whose calls by other modules were recorded. The texts are the index's. */
struct log_link {
    const char *path; /* of the module */
    uint64_t address;
    const char *name; /* by which others call it */
    bool taken;       /* they also take its address: calls by that were not recorded */
};

struct log_links {
    struct log_link *items; /* one for each path and address */
    size_t count, capacity;
    struct text_pool texts;
    struct intern known; /* by the path's place and the address */
    uint32_t last;       /* index of the one that was read last */
};

/* A change of the recording while it ran. */
struct log_change {
    uint64_t ns;          /* CLOCK_MONOTONIC */
    uint64_t process_key; /* 0 = of all */
    uint32_t what;        /* enum fisql_change_what */
    char *detail;
};

#define LOG_CHANGES_MAX 10000u

struct log_changes {
    struct log_change *items;
    size_t count, capacity;
};

/* Earlier logs of the run (record --rotate). */
struct log_earlier {
    bool any;
    size_t processes; /* the first ones in log_index.processes began in earlier logs */
    uint64_t calls;   /* of this log's threads, in earlier logs */
};

/* Facts of the run; each key once. */
struct log_facts {
    struct log_fact {
        char *key, *value;
    } * items;
    size_t count, capacity;
    struct log_points points;
    struct log_changes changes;
    uint64_t setup_ns; /* processor time that all collectors took to start */
    struct log_links links;
    struct log_earlier earlier;
};

/* Whole chunks taken from the live area. */
struct log_salvaged {
    struct fisql_chunk **chunks;
    size_t count, capacity;
    bool live; /* the run is still being recorded: threads still fill some of them */
};

/* A part that the log lacks, as a row of `losses`. UINT64_MAX = not known. */
struct log_loss {
    char *reason;
    char *detail;                   /* NULL = none */
    uint32_t process_id, thread_id; /* 0 = not known */
    uint64_t offset, bytes, chunks, calls;
    uint64_t from_tick, to_tick; /* TICK_UNKNOWN */
    uint32_t clock_process;      /* index of the process whose ticks they are */
    bool unwritten;              /* from a LOSS chunk: chunks that could not be written */
    bool cut;                    /* bytes that begin with the header of a chunk of this run */
};

struct log_index {
    char *path;
    uint64_t size_bytes;
    uint64_t run_id;
    uint64_t chunks_sound; /* of all kinds */

    struct log_chunk *chunks;
    size_t chunks_count, chunks_capacity;
    struct log_thread *threads;
    size_t threads_count, threads_capacity;
    struct log_process *processes;
    size_t processes_count, processes_capacity;
    struct log_module *modules;
    size_t modules_count, modules_capacity;
    struct log_facts facts;
    struct log_loss *losses;
    size_t losses_count, losses_capacity;
    uint64_t losses_left_out; /* beyond LOSSES_MAX */
    struct log_salvaged salvaged;
    uint64_t ring_calls; /* calls that a flight recorder dropped on purpose */

    struct intern process_of_key;
    struct intern thread_of_key; /* (process index, thread) */
};

#define LOSSES_MAX 100000u

/* What came before a gap there is left out on purpose: the flight recorder dropped it, or it is in an
 * earlier log. */
static inline bool log_chunk_cut(const struct log_chunk *chunk)
{
    return (chunk->flags & FISQL_FLAG_RING) != 0 || chunk->earlier;
}

/* Called now and then with the bytes read; may be NULL. */
typedef void log_index_progress(void *context, uint64_t done_bytes, uint64_t total_bytes);

/* Reads the log at `path`, and the live area beside it where there is one. 0, or -1: not a log, a
 * log of a newer version, not readable. Release the index in both cases. unwritten: chunks of a run
 * that is being recorded, copied from its live area before; the index takes them and leaves none.
 * NULL = it is not. */
MUST_CHECK int log_index_read(struct log_index *index, const char *path,
                              struct log_salvaged *unwritten, log_index_progress *progress,
                              void *context, struct error *error);
void log_index_release(struct log_index *index);

/* The value of a fact of the run, or NULL. */
const char *log_index_fact(const struct log_index *index, enum fisql_fact fact);

/* Was the collector given this option? */
bool log_index_has_option(const struct log_index *index, enum fisql_option option);

/* Adds a loss; what is not known in *loss must be UINT64_MAX, and reason and detail are copied. */
MUST_CHECK int log_index_add_loss(struct log_index *index, const struct log_loss *loss,
                                  struct error *error);

/* A loss of which nothing is known but its reason. */
struct log_loss log_loss_of(const char *reason);

#endif
