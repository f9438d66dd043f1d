/* Where a thread's stack lies. */
#ifndef FISQL_COLLECTOR_CORE_STACK_H
#define FISQL_COLLECTOR_CORE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* A thread's stack, found when first needed. */
struct stack_bounds {
    uint64_t low, high; /* low: 0 = not asked yet */
};

/* Do both addresses of the calling thread lie on one stack? A handler may run on an alternate
 * stack, a coroutine on its own. */
bool stack_is_one(struct stack_bounds *bounds, uint64_t a, uint64_t b);
/* Finds the calling thread's bounds if they are not known. */
void stack_ask(struct stack_bounds *bounds);
/* Call it in the main thread, before any other one asks. */
void stack_setup(void);

#endif
