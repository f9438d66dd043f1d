/* Work of a known amount for the programs of tests/bench/whatif.py. Each is built as it is and with a
 * macro that makes a change, and both are timed; what `fisql whatif` predicts of a recording of the
 * first is compared with that. SHORT makes less of it, for tests. */
#ifndef WORK_H
#define WORK_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function)) /* part of the function that it is in */
#define PART __attribute__((noinline))

/* About so many microseconds on a processor of 2020; the same number of steps on any. */
#define STEPS_A_US 400u
QUIET static inline __attribute__((always_inline)) uint64_t turn(uint64_t value, unsigned us)
{
    for (unsigned i = 0; i < us * STEPS_A_US; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value | 1;
}

QUIET static inline __attribute__((always_inline)) void nap(unsigned us)
{
    struct timespec length = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
    nanosleep(&length, NULL);
}

#endif
