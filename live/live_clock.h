/* The age of a live area's ticks. */
#ifndef FISQL_LIVE_LIVE_CLOCK_H
#define FISQL_LIVE_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/live.h"

/* The rate is that of the counter since the area was made. */
struct live_clock {
    uint64_t area_tick, area_ns, now_tick, now_ns; /* area_tick 0 = there is no counter */
};

/* Reads the clocks now. */
struct live_clock live_clock_now(const struct fisql_live_area *area);

/* The nanoseconds from a tick until now. False if it is not known: the clock is off, or the tick
 * may be of either clock. */
bool live_clock_ago(const struct live_clock *clock, uint64_t tick, uint64_t *ns);

#endif
