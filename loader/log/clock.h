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
#ifndef FISQL_LOADER_LOG_CLOCK_H
#define FISQL_LOADER_LOG_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/wide.h"
#include "loader/log/log_index.h"

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

/* Sets the end ticks of processes that a signal ended, and of their first threads: `fisql record`
 * does not know their ticks. */
void clock_map_end_killed(const struct clock_map *map, struct log_index *index);

/* For any tick: one before the anchor, and times beyond CLOCK_NS_MAX. */
uint64_t clock_ns_far(const struct clock_line *line, uint64_t tick);

static inline uint64_t clock_ns(const struct clock_line *line, uint64_t tick)
{
    uint64_t distance = tick - line->tick;
    wide_uint scaled = (wide_uint)distance * line->rate;
    uint64_t ns = (uint64_t)(scaled >> CLOCK_SHIFT) + (uint64_t)line->ns;
    /* Within 63 bits the sum leaves no doubt. */
    bool sound = (int64_t)distance >= 0 && scaled >> (CLOCK_SHIFT + 63) == 0 && ns <= CLOCK_NS_MAX;
    return __builtin_expect(sound, 1) ? ns : clock_ns_far(line, tick);
}

/* The tick at a time, as nearly as nanoseconds tell it. */
static inline uint64_t clock_tick(const struct clock_line *line, uint64_t ns)
{
    int64_t distance_ns = (int64_t)(ns - (uint64_t)line->ns);
    bool before = distance_ns < 0;
    wide_uint scaled = (wide_uint)(before ? 0 - (uint64_t)distance_ns : (uint64_t)distance_ns)
                       << CLOCK_SHIFT;
    uint64_t distance = line->rate != 0 ? (uint64_t)(scaled / line->rate) : 0;
    return before ? line->tick - distance : line->tick + distance;
}

#endif
