/* What a program under stress (nest.c) and the one that sends it signals (pester.c) share: a file
 * that both map, named by the environment variable STRESS_FILE. */
#ifndef NEST_H
#define NEST_H
#include <stdint.h>

#define NEST_PIDS_MAX 4000u

struct nest {
    /* Each counted before the call and behind it: they differ where a handler was cut off. */
    uint64_t nest_begun, nest_ended;
    uint64_t leaf_begun, leaf_ended;
    uint32_t pids_used;
    uint32_t pids[NEST_PIDS_MAX]; /* processes with the handlers, in the order of their starts */
};
#endif
