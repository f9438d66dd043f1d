/* The chunk that a thread log fills: its memory, start and writing. Signals must be blocked. */
#ifndef FISQL_COLLECTOR_CORE_CHUNK_H
#define FISQL_COLLECTOR_CORE_CHUNK_H

#include "collector/core/control.h"
#include "collector/core/thread_log.h"
#include "collector/process/process.h"

#define CHUNK_UNITS (FISQL_LIVE_CHUNK_BYTES / 2)
#ifdef FISQL_VALUES
#define VALUES_UNITS_MAX (1u + (FISQL_VALUES_BYTES_MAX + 1u) / 2u)
#else
#define VALUES_UNITS_MAX 0u
#endif
#define EVENT_UNITS_MAX 72u /* of the longest record, values not included */
/* Units kept free at a chunk's end: for the longest record, its values and the padding. An exit may
 * have two events of values behind it: EXIT_VALUES and RESULT. */
#define CHUNK_UNITS_ROOM (EVENT_UNITS_MAX + 2u * VALUES_UNITS_MAX + 8u)

static inline struct fisql_chunk *chunk_of_slot(struct thread_log *slot)
{
    return (struct fisql_chunk *)(void *)((unsigned char *)slot + FISQL_SLOT_HEADER);
}
/* The slot that holds a log's chunk: its own, or one that it was lent. */
static inline struct thread_log *slot_of_chunk(const struct thread_log *log)
{
    return (struct thread_log *)(void *)((unsigned char *)log->chunk - FISQL_SLOT_HEADER);
}

/* A slot of the live area, else private memory; NULL if there is neither. */
struct thread_log *slot_take(void);
void slot_release(struct thread_log *log);
/* Uncounts a chunk in private memory: its events, past and future, are written. */
void slot_settle(struct thread_log *log);

/* Begins a chunk after `last`, with `depth` calls open, and makes the slot live. */
void chunk_begin(struct thread_log *log, uint64_t last, uint32_t depth, uint64_t flushes);
/* The chunk that follows the one in `before`, which may be the same log. */
void chunk_follow(struct thread_log *log, const struct thread_log *before);
/* Appends the chunk to the log. The caller then begins the next one. */
void chunk_write(struct thread_log *log);
/* Completes the chunk except for its checksum; chunk_write() does this itself. */
void chunk_close(struct thread_log *log);
/* Counts on from the end of this chunk: it is written or handed over. */
void chunk_passed(struct thread_log *log);

/* A log's units_max while nothing needs the slow path. */
static inline uint32_t units_max_of(const struct thread_log *log)
{
    return log->room_units - CHUNK_UNITS_ROOM;
}

/* Sets units_max, unless another thread has poked the log, or `fisql control` asks for something. */
static inline void log_limit_set(struct thread_log *log, uint32_t units)
{
    __atomic_store_n(&log->live.units_max, units, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* against thread_logs_poke(), and cmd_control.c */
    if (__atomic_load_n(&log->thread.poke, __ATOMIC_RELAXED) != 0 || control_asked())
        __atomic_store_n(&log->live.units_max, 0, __ATOMIC_RELAXED);
}

/* Sets units_max to the next burst of samples (hook_sample.h), or to the chunk's limit. */
static inline void log_limit_next(struct thread_log *log)
{
    uint32_t units = units_max_of(log);
    if (process.ticks_per_us != 0 && log->thread.min_ticks == 0 && process.clock != CLOCK_SAMPLED) {
        uint32_t next = fisql_word_units(log->live.word) + 1024 + (log_random(log) >> 20);
        units = next < units ? next : units;
    }
    log_limit_set(log, units);
}

#endif
