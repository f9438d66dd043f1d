/*
 * What lives while memory_pair goes through the run: of each stack, function and thread and in all;
 * the most of each; and the timeline.
 *
 * How much of a stack lived at the run's peak is known only when no higher peak follows. Each peak
 * has a number. Before a stack changes it is brought up to date: if there was a peak since its last
 * change, what lives now is what lived then. So a peak costs nothing.
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

/* What comes of it. */
struct memory_timeline {
    struct memory_step *steps;
    size_t count, capacity;
    uint64_t end_ns, step_ns;
    struct memory_peak {
        uint64_t ns, bytes, blocks;
    } peak;
};

struct memory_live {
    struct memory_stacks *stacks; /* borrowed, as the next two */
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

/* The three are borrowed until memory_live_release; the timeline is empty but for its end. Each of
 * the threads gets a row of a step in which it did something. */
int memory_live_begin(struct memory_live *live, struct memory_stacks *stacks,
                      struct memory_sums *sums, struct memory_timeline *timeline,
                      struct memory_thread *const *threads, size_t threads_count,
                      struct error *error);

/* The time of what is added or removed next. */
int memory_live_advance(struct memory_live *live, uint64_t ns, struct error *error);
int memory_live_add(struct memory_live *live, const struct memory_block *block,
                    struct error *error);
/* freed: by a free; else it is forgotten. */
void memory_live_remove(struct memory_live *live, const struct memory_block *block, bool freed);
/* The run is over. any: it had blocks; else it has no timeline. */
int memory_live_end(struct memory_live *live, bool any, struct error *error);
void memory_live_release(struct memory_live *live);

/* end_ns: of the run; with this many threads, a step is long enough for the steps to be no more
 * than a thousand and their rows no more than a million. */
struct memory_timeline memory_timeline_of(uint64_t end_ns, size_t threads_count);
void memory_timeline_release(struct memory_timeline *timeline);

#endif
