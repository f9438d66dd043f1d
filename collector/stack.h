/* Where a thread's stack lies. */
#ifndef FISQL_COLLECTOR_STACK_H
#define FISQL_COLLECTOR_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct thread_log;

/* Do both addresses, within the calling thread, lie on one stack? A handler may run on an alternate
 * stack, a coroutine on one of its own. */
bool stack_is_one(struct thread_log *log, uint64_t a, uint64_t b);
/* In the main thread, before another one asks. */
void stack_setup(void);

#endif
