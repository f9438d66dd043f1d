/* Private memory of thread logs: dictionary, counts and shadow stack. */
#ifndef FISQL_COLLECTOR_CORE_THREAD_MEMORY_H
#define FISQL_COLLECTOR_CORE_THREAD_MEMORY_H

#include "collector/core/dictionary.h"

/* Call it before recording takes any memory that it can do without: reserves the first thread's
 * memory, and until memory_unhold() what else starting takes. Returns false if there is not enough:
 * the process cannot be recorded. */
bool memory_hold(void);
void memory_unhold(void);

/* Takes a thread's private memory for its first log; false: none. Its last log gives it back. */
bool memory_take(struct thread_log *log);
void memory_release(const struct shadow_stack *shadow);
/* A dictionary and counts for a further log of the thread, which shares the shadow stack. */
bool memory_take_nested(struct thread_log *log);
void memory_release_nested(const struct thread_log *log);
void memory_forked(void);

/* Makes room for more calls on the shadow stack. The log must be busy. Returns false if there is no
 * room; else the caller starts again. */
bool memory_deepen(struct thread_log *log);

static inline uint32_t *counted_behind(struct pair *dictionary)
{
    return (uint32_t *)(dictionary + DICTIONARY_ENTRIES);
}

/* Sets the depth of logged calls to the current --depth. */
void memory_limit_depth(struct thread_log *log);

#endif
