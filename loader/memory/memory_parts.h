/*
 * What the files of memory.h share:
 *
 *   memory.c           the whole: processes, threads, totals
 *   memory_spool.c     first stage: events of one thread, encoded, and what the thread knows alone
 *   memory_store.c     where encoded events are kept: in memory, then in the temporary file
 *   memory_pair.c      second stage: all events in the order of time, frees find their blocks
 *   memory_fork.c      processes: forked children inherit, ended ones forget
 *   memory_live.c      what lives: sums by stack, function, thread; peak; timeline
 *   memory_rows.c      rows of allocs and alloc_chains
 *   memory_write.c     third stage: rollups into the database
 *   memory_errors.c    frees that are wrong, and what the log lacks
 */
#ifndef FISQL_LOADER_MEMORY_PARTS_H
#define FISQL_LOADER_MEMORY_PARTS_H

#include <pthread.h>

#include "base/array.h"
#include "base/intern.h"
#include "loader/memory/memory.h"
#include "loader/memory/memory_map.h"

#define NO_INDEX UINT32_MAX

enum memory_event_type { MEMORY_ALLOC, MEMORY_FREE };

/* A piece of a thread's encoded events. */
struct memory_piece {
    unsigned char *data; /* NULL: it is in the temporary file */
    uint64_t offset;
    uint32_t bytes;
};

/* What leaks in a thread by function. */
struct memory_leak {
    uint64_t calls, bytes, worst_bytes, worst_call;
};

/* A block as its own thread sees it. */
struct memory_own_block {
    uint64_t size, call, number; /* the thread's allocations before it */
};

struct memory_thread {
    struct memory_watch watch; /* first */
    struct memory *memory;
    uint32_t id, process;
    /* Sums of open calls that have one, by ascending depth. */
    struct memory_net {
        uint32_t depth;
        int64_t bytes;
    } * nets;
    size_t nets_count, nets_capacity;
    /* The innermost call's outermost activations as a path of functions; by depth, for calls that
     * were open at an event. */
    struct memory_level {
        uint64_t call;
        uint32_t path;
    } * levels;
    size_t levels_count, levels_capacity;
    struct memory_map own; /* addresses to own_blocks */
    struct memory_own_block *own_blocks;
    size_t own_blocks_capacity;
    uint32_t *own_unused; /* indexes of own_blocks that are free, a stack */
    size_t own_unused_count, own_unused_capacity, own_blocks_count;
    struct intern leak_keys; /* (function, 0) */
    struct memory_leak *leaks;
    size_t leaks_capacity;
    /* Kept for memory_pair. */
    struct intern
        paths; /* (parent path + 1, function): a path's index is greater than its parent's */
    struct intern places; /* (frame and site, path + 1 and kind) */
    uint32_t *place_functions;
    size_t place_functions_capacity;
    struct memory_piece *pieces;
    size_t pieces_count, pieces_capacity;
    unsigned char *buffer; /* the piece being filled */
    size_t buffer_capacity, buffer_used;
    uint64_t allocs;
    uint64_t first_tick;
    enum memory_event_type first_type;
    bool any;
    struct memory_code {
        uint64_t tick, address, call; /* of the event before: deltas count from them */
    } code;
};

/* An event as it comes out of the spool. */
struct memory_event {
    uint64_t tick, address, size;
    uint64_t call;
    uint32_t place;       /* of the thread */
    uint32_t owner_frame; /* of a free of an own block */
    uint64_t owner_call;
    uint64_t number; /* of a free: the own block it is, UINT64_MAX = none of its own */
    enum memory_event_type type;
    bool realloc; /* a realloc's part: the allocation follows its free in the thread */
};

struct memory_process_facts {
    bool told;
    uint32_t parent;
    uint64_t fork_tick, start_tick, end_tick;
    bool gap;
    uint64_t gap_tick;
};

struct alloc_stack {
    uint32_t frame, site, kind, function;
    uint64_t blocks, bytes, freed_blocks, freed_bytes;
    uint64_t live_blocks, live_bytes, live_blocks_max, live_bytes_max, peak_blocks, peak_bytes;
    uint64_t peak; /* the peak that peak_blocks and peak_bytes are of, see memory_live.c */
    uint64_t min_size, max_size, lifetime_ns, lifetime_max_ns, cross_thread_frees;
    uint64_t first_ns, last_ns;
    uint64_t first_alloc, last_alloc, first_live, last_live; /* allocs.id, 0 = none */
    uint32_t sizes;                                          /* different ones in alloc_sizes */
};

/* Blocks by a key of two words. */
struct memory_counter {
    struct intern keys;
    struct memory_amount {
        uint64_t blocks, bytes, example;
    } * amounts;
    size_t capacity;
};

struct memory_flow {
    uint64_t blocks, bytes, residence_ns, residence_max_ns, mismatched;
    uint64_t example, mismatch; /* allocs.id */
};

struct free_error {
    const char *error; /* NULL until memory_errors_classify */
    uint64_t address, ns, call;
    uint64_t before; /* blocks with a lesser id were allocated before it */
    uint64_t alloc;  /* allocs.id, 0 = none */
    uint32_t thread, process, frame, site;
    uint8_t kind;
};

/* An allocation at the address of a live block. */
struct memory_clash {
    uint64_t ns, call, old_alloc, alloc;
    uint32_t thread;
};

struct timeline_row {
    uint32_t step, thread;
    uint64_t live_bytes, live_blocks, max_live_bytes;
    uint64_t allocs, alloc_bytes, frees, free_bytes;
};

struct memory {
    struct memory_options options;
    char *folder;
    pthread_mutex_t lock; /* guards what follows until memory_pair */
    struct memory_thread **threads;
    size_t threads_count, threads_capacity;
    struct memory_process_facts *processes; /* by id */
    size_t processes_capacity;
    size_t kept_bytes; /* of pieces in memory */
    int spill;         /* the temporary file, -1 = none yet */
    uint64_t spill_bytes;
    struct memory_function *functions; /* by id */
    size_t functions_capacity;
    /* Results. */
    struct memory_totals *frames; /* by id */
    size_t frames_capacity;
    struct intern stack_keys; /* (frame, site << 8 | kind) */
    struct alloc_stack *stacks;
    size_t stacks_capacity;
    struct memory_counter sizes, distances, owners; /* (stack, size and so on) */
    struct intern flow_places, flow_threads,
        flow_keys; /* (stack and frame, site), (threads), both */
    struct memory_flow *flows;
    size_t flows_capacity;
    struct free_error *errors;
    size_t errors_count, errors_capacity;
    uint64_t errors_left_out;
    struct memory_clash *clashes;
    size_t clashes_count, clashes_capacity;
    uint64_t clashes_left_out;
    struct timeline_row *timeline;
    size_t timeline_count, timeline_capacity;
    uint64_t end_ns, step_ns;
    uint64_t peak_ns, peak_bytes, peak_blocks;
    struct memory_totals totals;
    uint64_t rows;
    uint64_t unknown_frees; /* in processes of which the log lacks something */
    uint64_t missing_frees; /* as clashes, there */
};

/* Kinds of one family match: an allocation may be freed by its own. */
const char *memory_kind_name(uint32_t kind);
const char *memory_kind_family(uint32_t kind);

/* Frees what only the first stage needs. */
void memory_thread_trim(struct memory_thread *thread);

/* memory_store.c: takes over `bytes` bytes of a thread's events; the buffer stays the caller's. */
int memory_store_put(struct memory *memory, struct memory_thread *thread, const void *data,
                     uint32_t bytes, struct error *error);
/* Reads a piece that is in the temporary file. */
int memory_store_read(const struct memory *memory, const struct memory_piece *piece, void *data,
                      struct error *error);

/* The longest code of an event. */
#define MEMORY_CODE_MAX 96

/* memory_spool.c: decodes the event at *at, which the same functions encoded. */
void memory_event_decode(const unsigned char **at, struct memory_code *code,
                         struct memory_event *event);

/* memory_errors.c: says of each wrong free what is wrong with it, from the finished table allocs.
 */
int memory_errors_classify(struct memory *memory, sqlite3 *database, struct error *error);
int memory_errors_write(const struct memory *memory, sqlite3 *database, struct error *error);

#endif
