/*
 * Sums over the calls of a link or a frame. There may be millions, and a call finds its own in no
 * cache, so they are small: each call changes the first 11 words; a struct rare_sums has what few
 * of them need. A struct tally has the same figures at length. Figures that only functions have are
 * in function_rollup.
 */
#ifndef FISQL_LOADER_CALLS_CALL_SUMS_H
#define FISQL_LOADER_CALLS_CALL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/tally.h"

struct rare_sums {
    uint64_t counted; /* calls without rows */
    uint64_t open;    /* calls that ended 2 or 3 */
    uint64_t sum_high, square_high;
    struct off_sums off;
    struct tally_errors errors;
};

struct call_sums {
    uint64_t calls; /* with rows */
    uint64_t child_calls;
    uint64_t last_enter_ns, last_call;
    uint64_t min_ns, max_ns;     /* of the CPU durations of finished calls; see call_sums_begin */
    uint64_t sum_ns, square_sum; /* of them: the lower halves */
    uint64_t raw_ns, hooks_ps;   /* total; of a frame that of its outermost activations */
    struct tally_self self;
    uint64_t first_enter_ns, first_call;
    uint64_t fastest_call, slowest_call;
    struct rare_sums *rare; /* NULL = zeros; owned */
};

/* Call it before the first call is added to zeros. */
static inline void call_sums_begin(struct call_sums *sums)
{
    sums->min_ns = UINT64_MAX;
}

/* Whether anything is in it. */
static inline bool call_sums_any(const struct call_sums *sums)
{
    return sums->calls > 0 || sums->rare != NULL;
}

/* Makes `rare` if it is new; NULL without memory. */
struct rare_sums *call_sums_rare(struct call_sums *sums, struct error *error);
void call_sums_release(struct call_sums *sums);

/* The upper halves. */
int call_sums_add_high(struct call_sums *sums, uint64_t sum_high, uint64_t square_high,
                       struct error *error);

static inline void call_sums_extremes(struct call_sums *sums, uint64_t call_id, uint64_t cpu_ns)
{
    bool first = sums->min_ns == UINT64_MAX;
    if (cpu_ns < sums->min_ns) {
        sums->min_ns = cpu_ns;
        sums->fastest_call = call_id;
    }
    if (cpu_ns > sums->max_ns || first) {
        sums->max_ns = cpu_ns;
        sums->slowest_call = call_id;
    }
}

/* A finished call's CPU duration. */
static inline int call_sums_finished(struct call_sums *sums, uint64_t call_id, uint64_t cpu_ns,
                                     struct error *error)
{
    call_sums_extremes(sums, call_id, cpu_ns);
    wide_uint square = (wide_uint)cpu_ns * cpu_ns;
    uint64_t sum_high = __builtin_add_overflow(sums->sum_ns, cpu_ns, &sums->sum_ns);
    uint64_t square_high = (uint64_t)(square >> 64);
    square_high += __builtin_add_overflow(sums->square_sum, (uint64_t)square, &sums->square_sum);
    if (__builtin_expect((sum_high | square_high) != 0, 0))
        return call_sums_add_high(sums, sum_high, square_high, error);
    return 0;
}

/* The same of a call that stands for `weight` calls, or of calls with these durations. */
int call_sums_finished_weighted(struct call_sums *sums, uint64_t call_id, uint64_t cpu_ns,
                                uint64_t weight, struct error *error);

/* Whether a link's calls are outermost activations in their threads: all are, or none. */
struct outermost {
    bool of_frame, of_function;
};

/* The tally of a link, or of a frame (whose calls count as outermost). */
struct tally call_sums_tally(const struct call_sums *sums, struct outermost outermost);

/* Adds a link's sums to its frame's, or one worker's sums of a frame to another's. */
int call_sums_add(struct call_sums *into, const struct call_sums *from, bool of_frame,
                  struct error *error);

#endif
