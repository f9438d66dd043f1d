/* Facts of the process and the run, written when recording begins and in a forked child. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_FACTS_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_FACTS_H

#include <stdint.h>

/* Gives the process its key in the run. */
void process_identify(void);
/* ticks_per_second: 0 = the parent's clock, already known. setup_from_ns: the thread's processor
 * time when the collector began to start, 0 = unknown. */
void process_facts(const char *origin, uint64_t ticks_per_second, uint64_t setup_from_ns);
void run_facts(uint64_t ticks_per_second);

/* Makes a forked child its own process. fork_tick: when it was forked, 0 = unknown. */
void process_forked(uint64_t fork_tick);

#endif
