/* What the files of memory_pair share: blocks, and how far the threads' events have come. */
#ifndef FISQL_LOADER_MEMORY_PAIRING_H
#define FISQL_LOADER_MEMORY_PAIRING_H

#include "loader/memory/memory_parts.h"

/* How a block was freed. */
struct memory_block_free {
    uint64_t ns, call, owner_call, allocs_between;
    uint32_t thread; /* index of memory->threads */
    uint32_t frame, site, owner_frame;
    uint8_t kind;
    bool freed;       /* else nothing here holds */
    bool same_thread; /* allocs_between holds */
};

/* A block from its allocation until its row is final and written. */
struct memory_block {
    uint64_t id, address, size, alloc_ns, call;
    uint64_t realloc_of; /* allocs.id, 0 = none */
    uint64_t number;     /* allocations of its thread before it */
    uint32_t stack;
    uint32_t thread; /* index of memory->threads */
    uint32_t chain;  /* of pairing->chains; NO_INDEX = none */
    struct btree_place place;
    bool final;   /* nothing will change any more */
    bool written; /* at `place` */
};

/* A free that came when its block's row was written. */
struct late_free {
    uint32_t block;
    struct memory_block_free free;
};

/* A block that realloc made anew, and again. */
struct memory_chain {
    uint64_t first_alloc, first_size, length, moves, copied_bytes;
};

/* The last block of a chain, or a block that a realloc has just freed. */
struct memory_link {
    bool valid;
    uint64_t id, address, size;
    uint32_t stack, chain;
};

struct pair_thread {
    struct memory_thread *spool;
    struct memory_event event; /* the next one */
    uint64_t tick;             /* of the next one, not less than that before */
    /* Where its code is read. */
    const unsigned char *at, *end;
    unsigned char *buffer;
    size_t piece;
    struct memory_code code;
    bool begun;

    uint64_t allocs;
    struct memory_link freed; /* by the realloc whose allocation comes next */
    uint32_t *place_stacks;   /* by place: its stack + 1 */
    struct memory_totals *paths;
    uint64_t live_blocks, live_bytes;
    struct timeline_row step; /* of the present step */
    bool changed;             /* in this step */
};

struct pair_process {
    struct memory_map live; /* addresses to indexes of pairing->blocks */
    struct memory_map inherited_at;
    struct inherited_block {
        uint64_t id, size;
        bool freed;
    } * inherited; /* what its parent had when it forked */
    size_t inherited_count, inherited_capacity;
    bool has_events; /* or a descendant by fork has */
};

/* A fork, or the end of a process. */
struct process_event {
    uint64_t tick;
    uint32_t process;
    bool end;
};

struct pairing {
    struct memory *memory;
    struct error *error;
    struct pair_thread *threads; /* as memory->threads */
    struct pair_process *processes;
    struct process_event *process_events;
    size_t process_events_count, process_event;
    uint32_t *forking; /* children of which the fork may still have to come */
    size_t forking_count;
    struct memory_block *blocks;
    size_t blocks_count, blocks_capacity;
    uint32_t *unused_blocks;
    size_t unused_blocks_count, unused_blocks_capacity;
    struct memory_chain *chains;
    size_t chains_count, chains_capacity;
    uint32_t *unused_chains;
    size_t unused_chains_count, unused_chains_capacity;
    /* Rows that are not written yet: blocks by id modulo its size, from first_row on. */
    struct window_row {
        uint32_t block;
        struct memory_block_free free;
    } * window;
    uint64_t first_row, next_row; /* ids */
    struct late_free *late;       /* not yet brought to their rows */
    size_t late_count;
    struct btree_part *allocs, *chain_rows;
    uint64_t chain_rows_count;
    /* Live memory. */
    struct pair_live {
        uint64_t blocks, bytes;
    } * functions; /* by id */
    size_t functions_capacity;
    uint64_t live_bytes, live_blocks, step_bytes_max;
    uint64_t peak; /* counts the peaks */
    uint32_t step;
    struct timeline_row step_all;
    uint32_t *changed_threads;
    size_t changed_count;
};

/* memory_fork.c */
/* Lists the forks whose children have events, and the ends, in their order. */
int pair_plan_processes(struct pairing *pairing);
/* Does what happened to processes before an event: forks up to its tick, ends before it. */
int pair_pass_processes(struct pairing *pairing, uint64_t tick);
/* The end of all: what lives now was never freed. */
int pair_end_processes(struct pairing *pairing);
/* A process has a new block: its children that it is about to fork may inherit it. */
int pair_inherit_late(struct pairing *pairing, uint32_t process, const struct memory_block *block,
                      uint64_t tick);
void pair_process_release(struct pair_process *process);
/* A block that lives no longer, though no free of it is known. */
int pair_forget_block(struct pairing *pairing, uint32_t index);

/* memory_live.c. The time of events must be told before they are. */
int live_advance(struct pairing *pairing, uint64_t ns);
int live_add(struct pairing *pairing, const struct memory_block *block);
/* freed: by a free; else it is forgotten. */
void live_remove(struct pairing *pairing, const struct memory_block *block, bool freed);
int live_end(struct pairing *pairing);

/* memory_rows.c */
int rows_begin(struct pairing *pairing, struct btree_file *file);
/* A new block with the next id; its index. */
int rows_add(struct pairing *pairing, uint32_t *index);
/* The block has become final. free: how it was freed, NULL = it was not. */
int rows_final(struct pairing *pairing, uint32_t index, const struct memory_block_free *free);
int rows_end(struct pairing *pairing, struct btree_file *file);
/* A realloc made block `index` of what `from` tells of. */
int chain_continue(struct pairing *pairing, uint32_t index, const struct memory_link *from);
/* Nothing follows `last`. */
int chain_end(struct pairing *pairing, const struct memory_link *last);

struct memory_link memory_link_of(const struct memory_block *block);

#endif
