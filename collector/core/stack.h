/* Where a thread's stack lies. */
#ifndef FISQL_COLLECTOR_CORE_STACK_H
#define FISQL_COLLECTOR_CORE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Of a thread; asked for when it is first needed. */
struct stack_bounds {
    uint64_t low, high; /* low: 0 = not asked yet */
};

/* Do both addresses, within the calling thread, lie on one stack? A handler may run on an alternate
 * stack, a coroutine on one of its own. */
bool stack_is_one(struct stack_bounds *bounds, uint64_t a, uint64_t b);
/* Sees to it that the calling thread's are asked for. */
void stack_ask(struct stack_bounds *bounds);
/* In the main thread, before another one asks. */
void stack_setup(void);

#endif
