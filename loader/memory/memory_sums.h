/*
 * Sums of the run's allocations: by frame and function (memory_sums), by place (memory_stacks, the
 * rows of alloc_stacks), by what blocks share (memory_counts: alloc_sizes, alloc_distances,
 * alloc_owners, block_flows), and chains of reallocs (memory_chains, the rows of alloc_chains).
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_SUMS_H
#define FISQL_LOADER_MEMORY_MEMORY_SUMS_H

#include "base/array.h"
#include "base/intern.h"
#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_places.h"

/* ---- by frame and function ---- */

struct memory_sums {
    struct memory_totals all;
    struct memory_totals *frames; /* by id */
    size_t frames_capacity;
    struct memory_function *functions; /* by id */
    size_t functions_capacity;
};

/* Makes room for a function; invalidates pointers into `functions`. */
static inline int memory_sums_reach_function(struct memory_sums *sums, uint32_t function,
                                             struct error *error)
{
    return array_reach(&sums->functions, &sums->functions_capacity, function, error);
}

static inline int memory_sums_reach(struct memory_sums *sums, uint32_t frame, uint32_t function,
                                    struct error *error)
{
    if (array_reach(&sums->frames, &sums->frames_capacity, frame, error) != 0)
        return -1;
    return memory_sums_reach_function(sums, function, error);
}

static inline void memory_totals_add(struct memory_totals *sum, const struct memory_totals *more)
{
    sum->allocs += more->allocs;
    sum->alloc_bytes += more->alloc_bytes;
    sum->frees += more->frees;
    sum->free_bytes += more->free_bytes;
}

/* Adds the totals of each path of a thread's places to the path's open functions. by_path:
 * memory_paths_count() items; adds the children's to their parents', too. */
int memory_sums_add_paths(struct memory_sums *sums, const struct memory_places *places,
                          struct memory_totals *by_path, struct error *error);

static inline void memory_sums_release(struct memory_sums *sums)
{
    free(sums->frames);
    free(sums->functions);
    *sums = (struct memory_sums){0};
}

/* ---- what one call does together ---- */

/* How many blocks of a place the call at hand has allocated or freed, and the most that one did. One
 * thread's calls of one context do not overlap, so a call's blocks come one after the other. */
struct memory_together {
    uint64_t call, blocks;
    uint64_t most_call, most; /* calls.id, 0 = none */
};

static inline void memory_together_count(struct memory_together *together, uint64_t call)
{
    if (together->call != call)
        together->call = call, together->blocks = 0;
    if (++together->blocks > together->most && call != 0) {
        together->most = together->blocks;
        together->most_call = call;
    }
}

/* ---- by place ---- */

/* What lives of a stack, and the most at once: see memory_live.c. */
struct memory_stack_live {
    uint64_t blocks, bytes, blocks_max, bytes_max;
    uint64_t peak; /* number of the peak of these: */
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
    struct memory_together together[MEMORY_DOERS];           /* allocated; the most alone */
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

/* ---- by what blocks have in common ---- */

/* We count so many sizes of a stack each, the others together. */
#define MEMORY_SIZES_MAX 64
#define MEMORY_SIZE_OTHER UINT64_MAX

/* We count no longer distances. */
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
    struct memory_together together[MEMORY_DOERS];
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

/* ---- chains of reallocs ---- */

struct memory_chains {
    struct memory_chain {
        uint64_t first_alloc, first_size, length, moves, copied_bytes;
    } * items;
    size_t capacity;
    struct memory_indexes indexes;
    struct btree_part *rows;
    uint64_t rows_count;
};

int memory_chains_begin(struct memory_chains *chains, struct btree_file *file, struct error *error);

/* A realloc made the block out of `from`. */
int memory_chains_continue(struct memory_chains *chains, struct memory_block *block,
                           const struct memory_link *from, struct error *error);

/* Nothing follows `last`. */
int memory_chains_end(struct memory_chains *chains, const struct memory_link *last,
                      struct error *error);

/* The rows are ready for btree_finish then. */
int memory_chains_end_rows(struct memory_chains *chains, struct error *error);
void memory_chains_release(struct memory_chains *chains);

#endif
