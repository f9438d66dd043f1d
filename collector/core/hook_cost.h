/* The cost of a call's two hooks. */
#ifndef FISQL_COLLECTOR_CORE_HOOK_COST_H
#define FISQL_COLLECTOR_CORE_HOOK_COST_H

#include <stdint.h>

/* Measures it in picoseconds, inside and outside the call's own measured time. Records nothing. */
void hook_cost_measure(uint64_t ticks_per_second, uint64_t *inside_ps, uint64_t *outside_ps);

#endif
