/*
 * Figures over a set of calls: those of a frame, a function, an edge, a thread's function. Every
 * field is additive (count, sum, minimum, maximum with its call), so tallies add up in any order.
 *
 * Sums are exact 128-bit integers. tally_mean and tally_m2 compute from them at the end, so the
 * order of the calls does not matter.
 *
 * Adjusted times are without the hooks' cost, as the top of schema.sql says. A call's CPU duration
 * is its adjusted one without the time that its thread was off the processor (gaps.h).
 */
#ifndef FISQL_LOADER_CALLS_TALLY_H
#define FISQL_LOADER_CALLS_TALLY_H

#include <stdint.h>

#include "base/wide.h"

/* Time off the processor. */
struct off_time {
    uint64_t wait_ns, preempted_ns;
};

/* The same summed over calls: `total` over outermost activations, `self` without callees. */
struct off_sums {
    struct off_time total, self;
    uint64_t self_waits; /* gaps in which the thread waited */
    uint64_t paused_ns;  /* FISQL_PAUSE to FISQL_RESUME; self times leave it and its waits out */
};

/* A sum of measured self times, and the hooks' part of it. */
struct tally_self {
    uint64_t raw_ns, hooks_ps;
};

/* Sums over a thread's outermost activations of a frame and of a function. */
struct tally_totals {
    uint64_t frame_raw_ns, frame_hooks_ps;
    uint64_t function_raw_ns, function_hooks_ps;
    struct off_time frame_off;
};

/* Variances of estimated sums, in ns^2: 0 where all calls have times (sampled.h). */
struct tally_errors {
    wide_uint total, self; /* total: of the outermost activations */
};

struct tally {
    uint64_t calls;    /* rows and counted */
    uint64_t counted;  /* counted ones among them */
    uint64_t finished; /* ended 0 or 1 */
    uint64_t open;     /* ended 2 or 3 */
    wide_uint sum_ns;  /* of CPU durations of finished calls */
    wide_uint square_sum;
    uint64_t min_ns, max_ns; /* of them; valid where finished > 0 */
    uint64_t fastest_call, slowest_call;
    struct tally_self self;
    uint64_t child_calls;
    struct tally_totals total;
    struct off_sums off;                 /* total: outermost activations of the function */
    uint64_t first_enter_ns, first_call; /* first_call 0 = no call that is a row */
    uint64_t last_enter_ns, last_call;   /* likewise */
    struct tally_errors frame_errors, function_errors;
};

static inline void tally_errors_add(struct tally_errors *into, const struct tally_errors *from)
{
    into->total += from->total;
    into->self += from->self;
}

static inline void off_time_add(struct off_time *into, struct off_time from)
{
    into->wait_ns += from.wait_ns;
    into->preempted_ns += from.preempted_ns;
}

static inline void off_sums_add(struct off_sums *into, const struct off_sums *from)
{
    off_time_add(&into->total, from->total);
    off_time_add(&into->self, from->self);
    into->self_waits += from->self_waits;
    into->paused_ns += from->paused_ns;
}

/* Keep the example call with the smaller, or the greater, figure; if equal, the earlier call. */
static inline void tally_smaller(uint64_t *figure, uint64_t *call, uint64_t other_figure,
                                 uint64_t other_call)
{
    if (other_figure < *figure || (other_figure == *figure && other_call < *call)) {
        *figure = other_figure;
        *call = other_call;
    }
}

static inline void tally_greater(uint64_t *figure, uint64_t *call, uint64_t other_figure,
                                 uint64_t other_call)
{
    if (other_figure > *figure || (other_figure == *figure && other_call < *call)) {
        *figure = other_figure;
        *call = other_call;
    }
}

/* Keeps the later call; if they began at once, the one with the greater id. */
static inline void tally_later(uint64_t *enter_ns, uint64_t *call, uint64_t other_enter_ns,
                               uint64_t other_call)
{
    if (other_enter_ns > *enter_ns || (other_enter_ns == *enter_ns && other_call > *call)) {
        *enter_ns = other_enter_ns;
        *call = other_call;
    }
}

void tally_add(struct tally *into, const struct tally *from);

/* max(0, ns - the hooks' part). */
static inline uint64_t tally_adjusted(uint64_t ns, uint64_t hooks_ps)
{
    uint64_t hooks_ns = hooks_ps / 1000;
    return ns > hooks_ns ? ns - hooks_ns : 0;
}

static inline void tally_self_add(struct tally_self *into, const struct tally_self *from)
{
    into->raw_ns += from->raw_ns;
    into->hooks_ps += from->hooks_ps;
}

/* Hooks run on the processor, so the result is no less than the time off it; nor is raw_ns, the
 * measured time, except in a hostile log. */
static inline uint64_t tally_no_less_than_off(uint64_t adjusted_ns, uint64_t raw_ns,
                                              uint64_t off_ns)
{
    uint64_t least_ns = off_ns < raw_ns ? off_ns : raw_ns;
    return adjusted_ns > least_ns ? adjusted_ns : least_ns;
}

/* A sum of times without the hooks' part. Subtract it from the sum, not call by call: a call may
 * cost less than the mean, and the differences cut off at 0 would add up. */
static inline uint64_t tally_left(uint64_t raw_ns, uint64_t hooks_ps, struct off_time off)
{
    return tally_no_less_than_off(tally_adjusted(raw_ns, hooks_ps), raw_ns,
                                  off.wait_ns + off.preempted_ns);
}

/* Estimates of small sums may be less than 0 (sampled.h). */
static inline uint64_t tally_not_negative(uint64_t sum)
{
    return (int64_t)sum > 0 ? sum : 0;
}

static inline uint64_t tally_self_left(const struct tally_self *self, const struct off_sums *off)
{
    return tally_left(tally_not_negative(self->raw_ns), tally_not_negative(self->hooks_ps),
                      off->self);
}

static inline uint64_t tally_self_ns(const struct tally *tally)
{
    return tally_self_left(&tally->self, &tally->off);
}

/* The standard error, in ns, of this variance. */
uint64_t tally_error(wide_uint square);

/* Of the CPU durations of finished calls; finished must not be 0. */
double tally_mean(const struct tally *tally);
double tally_m2(const struct tally *tally);

#endif
