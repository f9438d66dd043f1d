/* The cost of a call's two hooks. */
#ifndef FISQL_COLLECTOR_CORE_HOOK_COST_H
#define FISQL_COLLECTOR_CORE_HOOK_COST_H

#include <stdint.h>

/* In picoseconds; 0 = not known. */
struct hook_cost {
    uint64_t inside_ps, outside_ps; /* the call's own measured time */
    uint64_t untimed_ps;            /* both, of a call without a time (sampled.h); */
    uint64_t leaf_ps;               /* of one that is written as one event (leaf.h) */
};

/* Measures it. Records nothing. */
struct hook_cost hook_cost_measure(uint64_t ticks_per_second);

#endif
