/* The present instant of the decoded thread, in ticks and in nanoseconds. Ticks may go back, by
 * another core's clock; then the nanoseconds wait for them. */
#ifndef FISQL_LOADER_CALLS_THREAD_CLOCK_H
#define FISQL_LOADER_CALLS_THREAD_CLOCK_H

#include "loader/log/clock.h"

struct thread_clock {
    const struct clock_line *line; /* of the process; borrowed */
    uint64_t tick, now_ns;
};

static inline void thread_clock_advance(struct thread_clock *clock, uint64_t ticks)
{
    clock->tick += ticks;
    uint64_t now = clock_ns(clock->line, clock->tick);
    if (now > clock->now_ns)
        clock->now_ns = now;
}

static inline void thread_clock_begin(struct thread_clock *clock, const struct clock_line *line)
{
    *clock = (struct thread_clock){.line = line};
}

/* A chunk begins at this tick. */
static inline void thread_clock_set(struct thread_clock *clock, uint64_t tick)
{
    clock->tick = tick;
    thread_clock_advance(clock, 0);
}

/* The instant of a tick, which may be the present one. */
static inline uint64_t thread_clock_ns(const struct thread_clock *clock, uint64_t tick)
{
    return tick == clock->tick ? clock->now_ns : clock_ns(clock->line, tick);
}

#endif
