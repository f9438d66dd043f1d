/*
 * What a drawing of a thread's calls needs, whatever their number: its long calls, and sums by
 * slices of time for those that are too short to be drawn. `fisql serve` reads both.
 *
 * A call is long if it takes 1 us or more; where these are more than a small share of the thread's
 * calls, the limit rises, by factors of four: a class of durations is dropped whole. Class c holds
 * durations below 4^c ns, and those of class c - 1 are below 4^(c - 1). So the long calls of a
 * window lie, in each class, in one range of entries.
 *
 * A slice's length is a power of two for the whole run, such that there are few slices for the number
 * of calls. A slice counts the calls entered in it, and sums up what its short calls spend
 * themselves: those that take less than a slice and have fewer than PICTURE_SHORT_CALLS calls within
 * them. Of such a call the end is known when its row is added up (row_sums.h), so the sums of one
 * slice at a time are enough. Times are raw, as in `calls`.
 */
#ifndef FISQL_LOADER_CALLS_CALL_PICTURE_H
#define FISQL_LOADER_CALLS_CALL_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "loader/calls/rollup.h"
#include "loader/calls/row_window.h"
#include "loader/log/clock.h"

#define PICTURE_CLASSES 32u
#define PICTURE_CLASS_FIRST 6u /* from 4^5 ns, 1.024 us, on */
#define PICTURE_SHORT_CALLS 1000u
_Static_assert(PICTURE_SHORT_CALLS < WINDOW_ROWS / 2, "a row that is written open has more");

struct long_call {
    uint64_t call_id, enter_ns, duration_ns;
    uint32_t depth, function;
};

/* The long calls of a class. */
struct long_calls {
    struct long_call *items;
    size_t count, capacity;
};

struct picture_slice {
    uint64_t slice; /* its number: from slice << shift ns on */
    uint64_t calls; /* entered */
    uint64_t short_ns, function_ns;
    uint32_t function; /* with most of short_ns; 0 = there are no short calls */
};

/* A thread's picture. */
struct thread_picture {
    struct long_calls classes[PICTURE_CLASSES];
    unsigned class_first; /* of those kept */
    struct picture_slice *slices;
    size_t slices_count, slices_capacity;
};

/* What all threads share. */
struct picture_scale {
    unsigned slice_shift;
    size_t long_spare; /* so many long calls a thread may have, besides a share of its calls */
};

/* A call whose row was added up while it was open. */
struct picture_open {
    uint64_t call_id;
    uint32_t depth;
};

/* A worker's, of the thread that adds up. */
struct call_picture {
    struct thread_picture *out; /* of the present thread; borrowed */
    struct picture_scale scale;
    uint64_t first_id;
    uint64_t long_from_ns; /* the least long call */
    size_t long_count, long_max;
    struct picture_slice now; /* the present slice; calls 0 = there is none yet */
    uint64_t slice_from_id;   /* its first call: no other slice has that one */
    uint64_t slice_end_ns;
    uint64_t rare_from_ns;            /* what takes less is not long, and shorter than a slice */
    struct function_rollup **touched; /* those with short calls in the present slice; borrowed */
    size_t touched_count, touched_capacity;
    struct picture_open *open; /* the outermost first */
    size_t open_count, open_capacity;
};

/* By the log's calls and threads, and the length of its run as far as that is known before. */
struct picture_scale picture_scale_make(const struct log_index *index,
                                        const struct clock_map *clock);

void call_picture_begin(struct call_picture *picture, const struct picture_scale *scale,
                        uint64_t first_id, struct thread_picture *out);
/* The thread's last row was added: `calls` in all. */
MUST_CHECK int call_picture_end(struct call_picture *picture, uint64_t calls, struct error *error);
void call_picture_release(struct call_picture *picture);
void thread_picture_release(struct thread_picture *picture);

/* The class of a duration, and the least duration of a class. */
static inline unsigned picture_class(uint64_t duration_ns)
{
    unsigned class = (64u - (unsigned)__builtin_clzll(duration_ns | 1) + 1) / 2;
    return class < PICTURE_CLASSES ? class : PICTURE_CLASSES - 1;
}

static inline uint64_t picture_class_from_ns(unsigned class)
{
    return class > 0 ? (uint64_t)1 << 2 * (class - 1) : 0;
}

/* ---- for row_sums.c: each row costs a few instructions, and what is rare is out of line ---- */

/* The rows from first_id on come next. Lowers *end_id to the first of them that is in a later slice
 * than the first row, and counts those before it: they are ordered by their entry. */
MUST_CHECK int call_picture_run(struct call_picture *picture, const struct row_window *window,
                                uint64_t first_id, uint64_t *end_id, struct error *error);

int call_picture_rare(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      struct error *error);
int call_picture_keep(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      uint32_t depth, struct error *error);
int call_picture_touch(struct call_picture *picture, struct function_rollup *function,
                       struct error *error);

static inline int call_picture_short(struct call_picture *picture, const struct row *row,
                                     struct error *error)
{
    struct function_rollup *function = row->function;
    if (__builtin_expect(function->drawn.slice_from_id != picture->slice_from_id, 0) &&
        call_picture_touch(picture, function, error) != 0)
        return -1;
    function->drawn.ns += row->duration_ns - row->children_ns;
    return 0;
}

/* A row of the run whose call has ended. */
static inline int call_picture_done(struct call_picture *picture, const struct row *row,
                                    uint64_t call_id, struct error *error)
{
    if (__builtin_expect(row->duration_ns >= picture->rare_from_ns, 0))
        return call_picture_rare(picture, row, call_id, error);
    return row->descendants < PICTURE_SHORT_CALLS ? call_picture_short(picture, row, error) : 0;
}

/* A row of the run whose call has not ended. */
int call_picture_open(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      struct error *error);

/* The end of a call that was open then. The innermost of these ends first. */
static inline int call_picture_left(struct call_picture *picture, const struct row *row,
                                    uint64_t call_id, struct error *error)
{
    must(picture->open_count > 0);
    const struct picture_open *open = &picture->open[--picture->open_count];
    must(open->call_id == call_id);
    return row->duration_ns >= picture->long_from_ns
               ? call_picture_keep(picture, row, call_id, open->depth, error)
               : 0;
}

#endif
