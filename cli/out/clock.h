/* What a clock says, in nanoseconds. */
#ifndef FISQL_CLI_OUT_CLOCK_H
#define FISQL_CLI_OUT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clock_ns(void)
{
    return clock_now_ns(CLOCK_MONOTONIC);
}

#endif
