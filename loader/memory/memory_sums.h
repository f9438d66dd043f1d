/*
 * What was allocated and freed: in all, by frame, by function.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_SUMS_H
#define FISQL_LOADER_MEMORY_MEMORY_SUMS_H

#include "base/array.h"
#include "loader/memory/memory_places.h"

struct memory_sums {
    struct memory_totals all;
    struct memory_totals *frames; /* by id */
    size_t frames_capacity;
    struct memory_function *functions; /* by id */
    size_t functions_capacity;
};

/* Makes room for a function; what was borrowed from `functions` is invalid then. */
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

/* What happened under each path of a thread's places is added to the functions that are open on it.
 * by_path: memory_paths_count() items; those of parents get their children's, too. */
int memory_sums_add_paths(struct memory_sums *sums, const struct memory_places *places,
                          struct memory_totals *by_path, struct error *error);

static inline void memory_sums_release(struct memory_sums *sums)
{
    free(sums->frames);
    free(sums->functions);
    *sums = (struct memory_sums){0};
}

#endif
