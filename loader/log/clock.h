/*
 * From clock ticks to nanoseconds since the run's start.
 *
 * Every chunk carries a clock pair: a tick and CLOCK_MONOTONIC in nanoseconds, read together. All
 * processes of a run are on one machine, and those that read the same kind of clock share its line:
 * ns = anchor_ns + (tick - anchor_tick) * rate, the rate being that between the first and the last
 * pair of the run, where they lie far enough apart for their reading errors not to matter, else
 * what the collector measured at its start. Integer arithmetic (64 x 64 -> 128 bits), so that every
 * machine gives the same result; never decreasing in the tick.
 */
#ifndef FISQL_LOADER_CLOCK_H
#define FISQL_LOADER_CLOCK_H

#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"
#include "base/wide.h"

#define CLOCK_SHIFT 40
#define CLOCK_NS_MAX (INT64_MAX / 4) /* later times, which only a hostile log has, are cut here */

struct clock_line {
    uint64_t tick; /* the anchor */
    int64_t ns;    /* at it, since the run's start; may be negative */
    uint64_t rate; /* nanoseconds per tick << CLOCK_SHIFT */
};

struct clock_map {
    struct clock_line *lines; /* by process index */
    size_t count;
    uint64_t start_ns; /* the run's start in CLOCK_MONOTONIC */
};

int clock_map_make(struct clock_map *map, const struct log_index *index, struct error *error);
void clock_map_release(struct clock_map *map);

/* Gives processes that a signal ended, and their first threads, their ends: who recorded them does not
 * know their ticks. */
void clock_map_end_killed(const struct clock_map *map, struct log_index *index);

static inline uint64_t clock_ns(const struct clock_line *line, uint64_t tick)
{
    /* Signed distance from the anchor; a tick before it is near it in any sound log. */
    int64_t distance = (int64_t)(tick - line->tick);
    wide_int ns = (((wide_int)distance * (wide_int)line->rate) >> CLOCK_SHIFT) + line->ns;
    if (__builtin_expect(ns < 0, 0))
        return 0;
    return __builtin_expect(ns > CLOCK_NS_MAX, 0) ? CLOCK_NS_MAX : (uint64_t)ns;
}

#endif
