/* The private memory of thread logs: dictionary, counts and shadow stack. */
#ifndef FISQL_COLLECTOR_CORE_THREAD_MEMORY_H
#define FISQL_COLLECTOR_CORE_THREAD_MEMORY_H

#include "collector/core/dictionary.h"

/* Before recording starts, and before anything takes memory that recording can do without: the first thread will
 * find its memory, and what else starting takes is held until memory_unhold(). Returns false where there is not
 * as much: the process cannot be recorded. */
bool memory_hold(void);
void memory_unhold(void);

/* The private memory of a thread's first log; false where there is none. A thread gives its own
 * back when all its logs are given back. */
bool memory_take(struct thread_log *log);
void memory_release(const struct shadow_stack *shadow);
/* A dictionary and counts for a further log of the thread: the shadow stack is the same. */
bool memory_take_nested(struct thread_log *log);
void memory_release_nested(const struct thread_log *log);
void memory_forked(void);

/* Makes room for more calls on the shadow stack. The log must be busy. Returns false if there is
 * none to be had, else the caller starts again. */
bool memory_deepen(struct thread_log *log);

static inline uint32_t *counted_behind(struct pair *dictionary)
{
    return (uint32_t *)(dictionary + DICTIONARY_ENTRIES);
}

/* Sets how deep calls are logged, as --depth says now. */
void memory_limit_depth(struct thread_log *log);

#endif
