/* Chunks: see chunk.h, and formats/log.h for their contents. */
#include "collector/core/chunk.h"

#include "collector/core/dictionary.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"

#include <string.h>
#include <sys/mman.h>

/* ---- where it lies ---- */

/* If its process dies, fisql record cannot save a chunk in private memory; it reports their
 * number. */
static void unslotted_begin(struct thread_log *log)
{
    log->unslotted = process.area != NULL;
    if (log->unslotted)
        __atomic_fetch_add(&process.area->unslotted, 1, __ATOMIC_RELAXED);
}

void slot_settle(struct thread_log *log)
{
    if (__atomic_exchange_n(&log->unslotted, 0, __ATOMIC_RELAXED) != 0)
        __atomic_fetch_sub(&process.area->unslotted, 1, __ATOMIC_RELAXED);
}

struct thread_log *slot_take(void)
{
    struct thread_log *log = live_slot_take();
    if (log == NULL && silent())
        return NULL;
    if (log == NULL) {
        log = mmap(NULL, FISQL_LIVE_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
        if (log == MAP_FAILED)
            return NULL;
        unslotted_begin(log);
        live_slot_own(log);
    }
    log->chunk = chunk_of_slot(log);
    return log;
}

void slot_release(struct thread_log *log)
{
    log_file_room_used(log);
    slot_settle(log);
    if (slot_of_chunk(log) != log)
        live_slot_release(slot_of_chunk(log));
    if (log->in_area)
        live_slot_release(log);
    else if (!silent())
        munmap(log, FISQL_LIVE_SLOT_BYTES);
}

/* ---- beginning and writing it ---- */

static uint32_t put_snapshot(struct thread_log *log, uint32_t depth)
{
    uint32_t count = depth < FISQL_SNAPSHOT_MAX ? depth : FISQL_SNAPSHOT_MAX;
    struct fisql_open_call *entry = (struct fisql_open_call *)(log->chunk + 1);
    for (uint32_t i = depth - count; i < depth; i++, entry++) {
        entry->function = log->shadow.calls[i].function;
        entry->site = log->shadow.calls[i].site;
        entry->enter_tick = log->shadow.calls[i].tick;
    }
    return count;
}

void chunk_begin(struct thread_log *log, uint64_t last, uint32_t depth, uint64_t flushes)
{
    struct fisql_chunk *chunk = log->chunk;
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    memset(chunk, 0, sizeof *chunk);
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = FISQL_CHUNK_EVENTS;
    chunk->flags = log->thread.flags_next |
                   (process.clock == CLOCK_SWITCHED_OFF ? FISQL_FLAG_NO_TIME : 0) |
                   (process.clock == CLOCK_SAMPLED ? FISQL_FLAG_SAMPLED : 0);
    chunk->run_id = process.run_id;
    chunk->process_key = process.key;
    chunk->pid = process.pid;
    chunk->tid = log->live.tid;
    chunk->thread = log->live.thread;
    chunk->sequence = log->thread.sequence;
    chunk->tick_start = last;
    chunk->first_call = log->live.first_call;
    chunk->open_depth = depth;
    chunk->open_calls = put_snapshot(log, depth);
    log->thread.flags_next = 0;
    log->counts.end = 0;
    log->other_units = 0;
    memset(log->dictionary, 0, DICTIONARY_ENTRIES * sizeof(struct pair));
    log->min_units =
        (uint32_t)(sizeof *chunk + chunk->open_calls * sizeof(struct fisql_open_call)) / 2;
    log->room_units = process.options.ring_chunks != 0 ? CHUNK_UNITS : log_file_room(log) / 2;
    log->live.last_tick[0] = last;
    log->live.word =
        flushes << FISQL_WORD_FLUSH_SHIFT | (uint64_t)depth * WORD_DEPTH | log->min_units;
    if (log->live.units_max != 0)
        log_limit_next(log);
    __atomic_store_n(&log->live.state, FISQL_SLOT_LIVE, __ATOMIC_RELEASE);
}

void chunk_close(struct thread_log *log)
{
    uint64_t tick, ns;
    bool full = fisql_word_units(log->live.word) > log->room_units - 2 * CHUNK_UNITS_ROOM;
    clock_pair(process.clock, &tick, &ns);
    /* Also of one that is written ahead of the ring, where a signal has come within a hook: chunks
     * before it may be dropped. */
    if (process.options.ring_chunks != 0)
        log->chunk->flags |= FISQL_FLAG_RING;
    fisql_chunk_close(log->chunk, log->live.word, tick, ns, full ? log->room_units * 2 : 0);
}

void chunk_write(struct thread_log *log)
{
    chunk_close(log);
    fisql_chunk_sign(log->chunk);
    if (log_file_write(log->chunk, log->chunk->length, log->chunk->calls) != 0)
        log->thread.flags_next |= FISQL_FLAG_LOST;
    log_file_room_used(log);
    chunk_passed(log);
}

void chunk_passed(struct thread_log *log)
{
    log->live.first_call += fisql_word_calls(log->live.word);
    log->thread.sequence++;
}

void chunk_follow(struct thread_log *log, const struct thread_log *before)
{
    uint64_t word = before->live.word;
    chunk_begin(log, log_last_tick(before), fisql_word_depth(word),
                (word >> FISQL_WORD_FLUSH_SHIFT) + 1);
}
