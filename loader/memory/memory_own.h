/*
 * Blocks as the thread that allocated them sees them: its last allocation at each address that it
 * did not itself free again.
 *
 * Zero-initialised is empty and may be released. Used by one thread at a time.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_OWN_H
#define FISQL_LOADER_MEMORY_MEMORY_OWN_H

#include "loader/memory/memory_map.h"

struct memory_own_block {
    uint64_t size, call, number; /* the thread's allocations before it */
};

struct memory_own {
    struct memory_map at; /* addresses to indexes of `blocks` */
    struct memory_own_block *blocks;
    size_t blocks_count, blocks_capacity;
    uint32_t *unused; /* indexes of `blocks`, a stack */
    size_t unused_count, unused_capacity;
    uint64_t allocs; /* all */
};

int memory_own_alloc(struct memory_own *own, uint64_t address, uint64_t size, uint64_t call,
                     struct error *error);

/* Takes the block at an address out. Returns 1; 0 where the thread has none there; -1. */
int memory_own_free(struct memory_own *own, uint64_t address, struct memory_own_block *block,
                    struct error *error);

void memory_own_release(struct memory_own *own);

#endif
