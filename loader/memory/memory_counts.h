/*
 * Blocks counted by what they have in common: alloc_sizes, alloc_distances, alloc_owners (a stack
 * and a number) and block_flows (from where to where).
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_COUNTS_H
#define FISQL_LOADER_MEMORY_MEMORY_COUNTS_H

#include "base/intern.h"
#include "loader/memory/memory_stacks.h"

/* Different sizes of a stack that are counted each; the others are counted together. */
#define MEMORY_SIZES_MAX 64
#define MEMORY_SIZE_OTHER UINT64_MAX

/* The longest distance that is counted. */
#define MEMORY_DISTANCE_MAX 15

/* By stack and a number: the key's a and b. */
struct memory_counter {
    struct intern keys;
    struct memory_amount {
        uint64_t blocks, bytes, example; /* allocs.id of the first one */
    } * amounts;                         /* by index */
    size_t capacity;
};

struct memory_flow {
    struct memory_flow_key {
        uint32_t stack, frame, site;        /* allocated at the stack, freed at frame and site */
        uint32_t alloc_thread, free_thread; /* indexes of memory->threads */
    } key;
    uint64_t blocks, bytes, residence_ns, residence_max_ns, mismatched;
    uint64_t example, mismatch; /* allocs.id */
};

struct memory_flows {
    struct intern places, threads; /* halves of the key */
    struct intern keys;            /* (place, threads) */
    struct memory_flow *items;     /* by index */
    size_t capacity;
};

struct memory_counts {
    struct memory_counter sizes, distances, owners;
    struct memory_flows flows;
};

/* Counts an allocation at its stack. */
int memory_counts_alloc(struct memory_counts *counts, struct alloc_stack *stack,
                        const struct memory_block *block, struct error *error);
/* Counts how the block was freed. */
int memory_counts_free(struct memory_counts *counts, const struct alloc_stack *stack,
                       const struct memory_block *block, const struct memory_block_free *freed,
                       struct error *error);
void memory_counts_release(struct memory_counts *counts);

#endif
