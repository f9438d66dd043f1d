/* What the log says of the process and of the run when it begins to be recorded, and in a forked
 * child. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_FACTS_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_FACTS_H

#include <stdint.h>

/* Gives the process its key in the run. */
void process_identify(void);
/* ticks_per_second: 0 = the clock is the parent's, and known. setup_from_ns: the thread's processor
 * time when the collector began to start, 0 = not known. */
void process_facts(const char *origin, uint64_t ticks_per_second, uint64_t setup_from_ns);
void run_facts(uint64_t ticks_per_second);

/* In a forked child: makes it a process of its own. fork_tick: when its parent was about to fork, 0
 * = not known. */
void process_forked(uint64_t fork_tick);

#endif
