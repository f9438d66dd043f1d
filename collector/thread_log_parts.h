/* What thread_log.c and thread_fork.c share. Nobody else includes it. */
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

static inline uint64_t log_last_tick(const struct thread_log *log)
{
    return log->live.last_tick[fisql_word_toggle(log->live.word)];
}

#endif
