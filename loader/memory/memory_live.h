/*
 * What lives while memory_pair goes through the run: per stack, function and thread and in all; the
 * most of each; the timeline.
 *
 * Only the run's end shows which peak was the highest. So each peak has a number, and before a
 * stack changes we bring it up to date: if a peak came since its last change, what lives now lived
 * then, too. So a peak costs nothing.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_LIVE_H
#define FISQL_LOADER_MEMORY_MEMORY_LIVE_H

#include "loader/memory/memory_sums.h"
#include "loader/memory/memory_thread.h"

struct memory_amount_live {
    uint64_t blocks, bytes;
};

/* A row of memory_steps. */
struct memory_step {
    uint32_t step, thread; /* threads.id, 0 = all */
    uint64_t live_bytes, live_blocks, max_live_bytes;
    struct memory_totals totals; /* within the step */
};

struct memory_timeline {
    struct memory_step *steps;
    size_t count, capacity;
    uint64_t end_ns, step_ns;
    struct memory_peak {
        uint64_t ns, bytes, blocks;
    } peak;
};

struct memory_live {
    struct memory_stacks *stacks; /* borrowed like the next two */
    struct memory_sums *sums;
    struct memory_timeline *timeline;
    struct memory_amount_live all;
    struct memory_amount_live *functions; /* by id */
    size_t functions_capacity;
    struct memory_live_thread {
        uint32_t id;
        bool changed; /* in this step */
        struct memory_amount_live live;
        struct memory_totals totals; /* in this step */
    } * threads;                     /* by index of memory->threads */
    uint32_t *changed;               /* indexes of threads */
    size_t changed_count;
    uint64_t peaks; /* so far */
    uint32_t step;  /* the present one */
    struct memory_totals step_totals;
    uint64_t step_bytes_max;
};

/* Borrows the three until memory_live_release. The timeline has no step yet. A thread gets a row of
 * each step in which it did something. */
int memory_live_begin(struct memory_live *live, struct memory_stacks *stacks,
                      struct memory_sums *sums, struct memory_timeline *timeline,
                      struct memory_thread *const *threads, size_t threads_count,
                      struct error *error);

/* The next changes are of this time. */
int memory_live_advance(struct memory_live *live, uint64_t ns, struct error *error);
int memory_live_add(struct memory_live *live, const struct memory_block *block,
                    struct error *error);
/* freed: by a free; else we forget the block. */
void memory_live_remove(struct memory_live *live, const struct memory_block *block, bool freed);
/* The run is over. any: it had blocks, so it has a timeline. */
int memory_live_end(struct memory_live *live, bool any, struct error *error);
void memory_live_release(struct memory_live *live);

/* end_ns: of the run. Steps are long enough for at most a thousand steps and a million rows. */
struct memory_timeline memory_timeline_of(uint64_t end_ns, size_t threads_count);
void memory_timeline_release(struct memory_timeline *timeline);

#endif
