/* Ticks of a live area: see live_clock.h. */
#include "live/live_clock.h"

#include <time.h>

#define SPAN_NS_MIN 1000000u /* a rate over less is not exact enough */

struct live_clock live_clock_now(const struct fisql_live_area *area)
{
    struct timespec now;
    struct live_clock clock = {.area_ns = area->clock_ns};
#if defined(__x86_64__)
    clock.area_tick = area->clock_tick;
    clock.now_tick = __builtin_ia32_rdtsc();
#endif
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock.now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return clock;
}

/* All ticks lie between the area's beginning and now, so a tick belongs to the clock whose span
 * holds it. */
bool live_clock_ago(const struct live_clock *clock, uint64_t tick, uint64_t *ns)
{
    bool counter = clock->area_tick != 0 && tick >= clock->area_tick && tick <= clock->now_tick;
    bool system = tick >= clock->area_ns && tick <= clock->now_ns;
    if (counter == system || clock->area_ns == 0 || clock->now_ns < clock->area_ns + SPAN_NS_MIN)
        return false;
    if (system) {
        *ns = clock->now_ns - tick;
        return true;
    }
    double rate =
        (double)(clock->now_tick - clock->area_tick) / (double)(clock->now_ns - clock->area_ns);
    *ns = (uint64_t)((double)(clock->now_tick - tick) / rate);
    return true;
}
