/* What the files of memory.h share: spooled events, blocks, and what is added up over them. */
#ifndef FISQL_LOADER_MEMORY_PARTS_H
#define FISQL_LOADER_MEMORY_PARTS_H

#include <pthread.h>

#include "loader/intern.h"
#include "loader/memory.h"

#define NO_BLOCK UINT32_MAX

enum memory_event_type { MEMORY_ALLOC, MEMORY_FREE };

/* An allocation or a free; a realloc is both, the free first. */
struct memory_event {
    uint64_t tick;
    uint64_t address, size; /* size of a free: UINT64_MAX = not known to the thread */
    uint64_t call, owner_call;
    uint32_t frame, function, site, owner_frame;
    uint32_t allocs_between;                   /* of a free; UINT32_MAX = another thread's block */
    uint32_t functions_first, functions_count; /* of a free of unknown size: open functions */
    uint8_t type, kind;
    bool realloc; /* a realloc's part: the allocation follows its free in the thread */
};

struct memory_sum {
    uint64_t allocs, alloc_bytes, frees, free_bytes;
    int64_t net; /* of the thread's own blocks */
};

struct memory_block {
    uint64_t address, size, alloc_ns, free_ns;
    uint64_t call, free_call, owner_call;
    uint32_t frame, function, site, free_frame, free_site, owner_frame;
    uint32_t thread, free_thread, process, realloc_of; /* NO_BLOCK = none */
    uint32_t allocs_between, stack;
    uint8_t kind, free_kind;
    bool freed, lost; /* lost: another block took its address while it was live */
};

struct memory_thread {
    struct memory_watch watch; /* first */
    struct memory *memory;
    uint32_t id, process;
    struct memory_event *events;
    size_t events_count, events_capacity;
    struct memory_sum
        *sums; /* by depth - 1: what calls of that depth did since they were touched */
    size_t sums_capacity;
    uint32_t *touched; /* depths with a sum, ascending */
    size_t touched_count, touched_capacity;
    struct intern live; /* addresses to local blocks */
    struct local_block {
        uint64_t size, call;
        uint32_t number; /* of the thread's allocations before it */
        bool live;
    } * locals;
    size_t locals_capacity;
    uint32_t allocs;
    uint32_t *functions; /* lists of open functions at frees of unknown size */
    size_t functions_count, functions_capacity;
};

struct memory_process_facts {
    uint32_t parent;
    uint64_t start_tick, end_tick;
    bool gap;
    uint64_t gap_tick;
};

struct alloc_stack {
    uint32_t frame, site, kind;
    uint64_t blocks, bytes, freed_blocks, freed_bytes;
    uint64_t live_blocks, live_bytes, live_blocks_max, live_bytes_max, peak_blocks, peak_bytes;
    uint64_t min_size, max_size, lifetime_ns, lifetime_max_ns, cross_thread_frees;
    uint64_t first_ns, last_ns;
    uint32_t first_alloc, last_alloc, first_live, last_live; /* block numbers */
};

struct free_error {
    const char *error;
    uint64_t address, ns, call;
    uint32_t thread, frame, site, block;
    uint8_t kind;
};

struct timeline_row {
    uint32_t step, thread;
    uint64_t live_bytes, live_blocks, max_live_bytes;
    uint64_t allocs, alloc_bytes, frees, free_bytes;
};

struct memory {
    struct memory_options options;
    pthread_mutex_t lock;
    struct memory_thread **threads;
    size_t threads_count, threads_capacity;
    struct memory_process_facts *processes; /* by id */
    size_t processes_capacity;
    struct memory_block *blocks;
    size_t blocks_count, blocks_capacity;
    struct memory_totals *frames; /* by id */
    size_t frames_capacity;
    struct memory_function *functions; /* by id */
    size_t functions_capacity;
    struct intern stack_keys; /* (frame, site << 8 | kind) */
    struct alloc_stack *stacks;
    size_t stacks_capacity;
    struct free_error *errors;
    size_t errors_count, errors_capacity;
    struct timeline_row *timeline;
    size_t timeline_count, timeline_capacity;
    uint64_t end_ns, step_ns;
    uint64_t peak_ns, peak_bytes, peak_blocks;
    struct memory_totals totals;
    uint64_t unknown_frees; /* after a gap, or of blocks that a forked child inherited */
};

/* Family of a kind of allocation or free: kinds of one family match. */
const char *memory_kind_name(uint32_t kind);
const char *memory_kind_family(uint32_t kind);

/* Array items by id, made as needed; NULL without memory. */
struct memory_totals *memory_frame_totals(struct memory *memory, uint32_t frame);
struct memory_function *memory_function_totals(struct memory *memory, uint32_t function);

#endif
