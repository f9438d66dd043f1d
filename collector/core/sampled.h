/*
 * record --time sampled: which calls are timed.
 *
 * Reading the clock is most of what a hook costs. So of a function's many short calls from a place
 * only some are *timed*: both their hooks read the clock. The others' events say that no time has
 * passed (FISQL_FLAG_SAMPLED); order and number of the calls are recorded as ever.
 *
 * How many. Every pair of function and site begins with all calls timed. When some were timed we know
 * more of the mean and the deviation of the pair's durations, and set `gap`, the mean number of calls
 * from one timed call to the next, to the least of three:
 * - What keeps the standard error of the sum of the durations below 1.6 %: of a function with three such
 *   places, below 1 %. If one call of `gap` is timed, each call adds some (gap - 1) * deviation^2 to the
 *   error's square. So e holds at any number of calls if gap - 1 <= 2 * e^2 * calls / (deviation / mean)^2.
 *   Durations above SAMPLED_CAP times the mean count as that: of a function that takes 10 ns, what
 *   interrupts do to one call in a million would be most of the deviation.
 * - So many calls as take SAMPLED_NS_MAX together, so that a thread has an event with a clock that often.
 * - SAMPLED_GAP_MAX: beyond it a timed call's cost no longer matters.
 *
 * Which ones. The numbers of calls between two timed ones are random, evenly from 1 to 2 * gap - 1.
 * So a call is timed, whatever its place, with the probability 1 / gap, and no loop of the program
 * keeps pace with it. A reader gives a timed call the weight of the calls since the timed one
 * before; the expected sum of weight * duration is the sum of all durations.
 *
 * The tick of a timed call on the shadow stack is odd, as are all ticks that clock_read() gives
 * then, that of another one even: so its exit knows.
 */
#ifndef FISQL_COLLECTOR_CORE_SAMPLED_H
#define FISQL_COLLECTOR_CORE_SAMPLED_H

#include "collector/core/dictionary.h"
#include "collector/process/process.h"

#define SAMPLED_GAP_MAX 128u
#define SAMPLED_CAP 16u
#define SAMPLED_NS_MAX 20000u   /* a gap's: see usage.c */
#define SAMPLED_CALLS 2000u     /* 1 / (2 * 0.016^2) */
#define SAMPLED_STEP 16u        /* so many durations change little */
#define SAMPLED_KNOWN 32u       /* fewer durations show no deviation */
#define SAMPLED_TIMED_MAX 4096u /* then those so far count half */

struct call_time {
    uint32_t left; /* first: patch_x86_64.S counts it down; at 1 or 0 the next call is timed */
    uint32_t gap;
    uint32_t calls; /* so far; sticks at its maximum */
    uint16_t tag;   /* of the pair; 0 = none yet */
    uint16_t timed; /* durations in the sums */
    uint32_t cap;   /* ticks: longer durations count as this */
    uint32_t sum;   /* of the durations, in ticks */
    uint64_t squares;
};

static inline bool sampled(void)
{
    return process.clock == CLOCK_SAMPLED;
}

static inline bool sampled_is_timed(const struct shadow_call *call)
{
    return (call->tick & 1) != 0;
}

/* The tick of a call without a time that begins after `last`. */
static inline uint64_t sampled_no_tick(uint64_t last)
{
    return last & ~(uint64_t)1;
}

static inline uint16_t sampled_tag(uint64_t function, uint64_t site)
{
    return (uint16_t)(((function ^ site << 5) * 0x9e3779b97f4a7c15u) >> 40) | 1u;
}

static inline __attribute__((always_inline)) void sampled_choose_gap(struct call_time *time)
{
    uint64_t mean = time->sum / time->timed + 1, square = mean * mean;
    uint64_t squares = time->squares / time->timed;
    uint64_t variance = squares > square ? squares - square : 1;
    uint64_t cap = SAMPLED_CAP * mean;
    time->cap = cap < process.sampled_ticks_max ? (uint32_t)cap : process.sampled_ticks_max;
    uint64_t gap = 1 + time->calls / SAMPLED_CALLS * square / variance;
    uint64_t within = process.sampled_ticks_max / mean;
    gap = gap < within ? gap : within;
    gap = gap < SAMPLED_GAP_MAX ? gap : SAMPLED_GAP_MAX;
    time->gap = gap > 1 ? (uint32_t)gap : 1;
    if (time->timed >= SAMPLED_TIMED_MAX) {
        time->timed /= 2;
        time->sum /= 2;
        time->squares /= 2;
    }
}

/* The pair is new in its slot: in the chunk before, it may have had the other of its two. */
static inline __attribute__((always_inline)) void sampled_find(struct thread_log *log,
                                                               uint32_t slot, uint16_t tag)
{
    struct call_time *time = &log->times[slot], *other = &log->times[slot ^ 1], was = *time;
    *time = other->tag == tag
                ? *other
                : (struct call_time){.gap = 1, .tag = tag, .cap = process.sampled_ticks_max};
    if (other->tag == tag)
        *other = was;
}

/* Is the call that begins, of the pair in the slot, to be timed? */
static inline __attribute__((always_inline)) bool sampled_due(struct thread_log *log, uint32_t slot,
                                                              uint64_t function, uint64_t site)
{
    struct call_time *time = &log->times[slot];
    uint16_t tag = sampled_tag(function, site);
    if (UNLIKELY(time->tag != tag))
        sampled_find(log, slot, tag);
    if (time->left > 1) {
        time->left--;
        return false;
    }
    if (time->timed != 0 && time->timed % SAMPLED_STEP == 0) {
        if (time->timed >= SAMPLED_KNOWN)
            sampled_choose_gap(time);
        time->timed++;
        if (time->gap > 1)
            return false; /* choosing has taken time: the next one instead */
    }
    time->left = 1 + (uint32_t)((uint64_t)log_random(log) * (2 * time->gap - 1) >> 32);
    time->calls += time->left <= UINT32_MAX - time->calls ? time->left : 0;
    return true;
}

/* A timed call of the pair took so many ticks. */
static inline __attribute__((always_inline)) void
sampled_took(struct thread_log *log, uint64_t function, uint64_t site, uint64_t ticks)
{
    struct call_time *time = &log->times[pair_slot(function, site)];
    uint16_t tag = sampled_tag(function, site);
    if (time->tag != tag)
        time = &log->times[pair_slot(function, site) ^ 1];
    if (time->tag != tag)
        return;
    ticks = ticks < time->cap ? ticks : time->cap;
    time->sum += (uint32_t)ticks;
    time->squares += ticks * ticks;
    time->timed++;
}

#endif
