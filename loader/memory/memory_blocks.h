/*
 * Blocks from their allocation until their row of allocs is final and written; what of a block
 * other parts hand on.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_BLOCKS_H
#define FISQL_LOADER_MEMORY_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/sqlite/btree.h"

#define MEMORY_NO_INDEX UINT32_MAX

struct memory_block {
    uint64_t id, address, size, alloc_ns, call;
    uint64_t realloc_of; /* allocs.id, 0 = none */
    uint64_t number;     /* allocations of its thread before it */
    uint32_t stack;      /* index in memory_stacks */
    uint32_t thread;     /* index of memory->threads */
    uint32_t chain;      /* index in memory_chains; MEMORY_NO_INDEX = none */
    struct btree_place place;
    bool final;   /* nothing will change any more */
    bool written; /* at `place` */
};

/* How a block was freed. */
struct memory_block_free {
    uint64_t ns, call, owner_call, allocs_between;
    uint32_t thread; /* index of memory->threads */
    uint32_t frame, site, owner_frame;
    uint8_t kind;
    bool freed;       /* else nothing here holds */
    bool same_thread; /* allocs_between holds */
};

/* What a realloc goes on from: the last block of a chain, or one that was just freed for it. */
struct memory_link {
    bool valid;
    uint64_t id, address, size;
    uint32_t stack, chain;
};

static const struct memory_link memory_no_link = {.chain = MEMORY_NO_INDEX};

static inline struct memory_link memory_link_of(const struct memory_block *block)
{
    return (struct memory_link){.valid = true,
                                .id = block->id,
                                .address = block->address,
                                .size = block->size,
                                .stack = block->stack,
                                .chain = block->chain};
}

struct memory_blocks {
    struct memory_block *items;
    size_t count, capacity;
    uint32_t *unused; /* indexes, a stack */
    size_t unused_count, unused_capacity;
};

/* The index of an item that nobody uses; what it holds is not said. */
int memory_blocks_take(struct memory_blocks *blocks, uint32_t *index, struct error *error);
int memory_blocks_give_back(struct memory_blocks *blocks, uint32_t index, struct error *error);
void memory_blocks_release(struct memory_blocks *blocks);

#endif
