/* What thread_log.c, thread_fork.c, thread_memory.c and thread_copy.c share. Nobody else includes
 * it. */
#ifndef FISQL_COLLECTOR_THREAD_LOG_PARTS_H
#define FISQL_COLLECTOR_THREAD_LOG_PARTS_H

#include "collector/runtime.h"

/* The log of the calling thread while recording is switched off. */
extern __thread struct thread_log *paused_log __attribute__((tls_model("initial-exec")));

/* A slot of the live area, or private memory in its place; NULL where there is neither. */
struct thread_log *slot_take(void);
/* Begins a chunk after `last`, with `depth` calls open, and makes the slot live. */
void chunk_begin(struct thread_log *log, uint64_t last, uint32_t depth, uint64_t flushes);
/* Adds a log to the process's list; forgets the list in a forked child. */
void list_add(struct thread_log *log);
void lists_forked(void);
/* The calling thread's logs in which a hook is interrupted: at most `room`. Returns their number.
 */
uint32_t logs_interrupted(struct thread_log **found, uint32_t room);
/* Writes what is known of the calling thread; how: how it ends, NULL at its start. */
void thread_facts(struct thread_log *log, const char *how);

/* The private memory of a thread's first log; false where there is none. A thread gives its own
 * back when all its logs are given back. */
bool memory_take(struct thread_log *log);
void memory_release(const struct thread_log *log);
/* A dictionary and counts for a further log of the thread: the shadow stack is the same. */
bool memory_take_nested(struct thread_log *log);
void memory_release_nested(const struct thread_log *log);
void memory_forked(void);

static inline uint32_t *counted_behind(struct pair *dictionary)
{
    return (uint32_t *)(dictionary + DICTIONARY_ENTRIES);
}

/* Of another thread: writes what it has recorded, where the live area does not have it. Returns
 * false where that failed, or the live area has it. */
bool thread_log_copy(const struct thread_log *log);

static inline uint64_t log_last_tick(const struct thread_log *log)
{
    return log->live.last_tick[fisql_word_toggle(log->live.word)];
}

#endif
