/*
 * The rows of alloc_stacks: what was allocated at each place (frame, site, kind of allocation) over
 * all threads.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_STACKS_H
#define FISQL_LOADER_MEMORY_MEMORY_STACKS_H

#include "base/intern.h"
#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_places.h"

/* What lives of a stack, and how much of it lived at once: see memory_live.c. */
struct memory_stack_live {
    uint64_t blocks, bytes, blocks_max, bytes_max;
    uint64_t peak; /* number of the peak that the following are of */
    uint64_t peak_blocks, peak_bytes;
};

struct alloc_stack {
    uint32_t frame, site, kind, function;
    uint64_t blocks, bytes, freed_blocks, freed_bytes;
    struct memory_stack_live live;
    uint64_t min_size, max_size, lifetime_ns, lifetime_max_ns, cross_thread_frees;
    uint64_t first_ns, last_ns;
    uint64_t first_alloc, last_alloc, first_live, last_live; /* allocs.id, 0 = none */
    uint32_t sizes;                                          /* different ones in alloc_sizes */
};

struct memory_stacks {
    struct intern keys;
    struct alloc_stack *items; /* by index */
    size_t capacity;
};

static inline uint32_t memory_stacks_count(const struct memory_stacks *stacks)
{
    return stacks->keys.count;
}

/* The stack of a place. */
int memory_stacks_find(struct memory_stacks *stacks, const struct memory_place *place,
                       uint32_t *index, struct error *error);

void memory_stack_count_alloc(struct alloc_stack *stack, const struct memory_block *block);
void memory_stack_count_free(struct alloc_stack *stack, const struct memory_block *block,
                             const struct memory_block_free *freed);
/* The block was never freed. */
void memory_stack_note_live(struct alloc_stack *stack, const struct memory_block *block);

void memory_stacks_release(struct memory_stacks *stacks);

#endif
