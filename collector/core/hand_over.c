/*
 * Handing full chunks over to `fisql record`, which appends them to the log while the thread that
 * filled them goes on (formats/live.h, struct fisql_writer).
 *
 * A log's first page stays where it is, for an interrupted hook may know it; its chunk moves. Each
 * full chunk goes to the writer together with the slot in which it lies, and the log gets another
 * one that its thread takes and lends it (chunk_slot). The chunk in the log's own slot cannot go:
 * the thread writes the first one itself. When there is no writer, or it has enough to do, or there
 * is no slot, the thread writes, too; so nothing waits and nothing is lost.
 *
 * A slot that was handed over stays mapped here (live_slot_hand()), and when the writer has freed it
 * it is the next one to be taken. As long as it is whole it can be taken back: whoever changes the
 * slot's state, the writer or we, has the chunk.
 *
 * In which order. The chunk is whole before the log lets go of it, so that whoever salvages finds it
 * once or twice, and readers take one of the two. The log is TAKEN before its chunk_slot changes:
 * its word and the chunk always belong together.
 */
#include "collector/core/hand_over.h"

#include "collector/core/chunk.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"
#include "collector/core/system_call.h"

#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* So many chunks wait before the writer is woken: it looks by itself every few milliseconds. */
#define WAKE_AT 2u
/* A process that ends waits so many milliseconds for a write of the writer's that is under way. */
#define END_STEPS 200
/* Who may not make system calls waits so long for room. */
#define PATIENCE_US 1000000u

static uint32_t
    outstanding; /* atomic: chunks were handed over; they may have been appended since */

static bool writer_there(const struct fisql_live_area *area)
{
    uint32_t alive = __atomic_load_n(&area->writer.alive, __ATOMIC_RELAXED);
    return alive != 0 && (alive & FUTEX_OWNER_DIED) == 0;
}

/* How many chunks wait for the writer. */
static uint32_t handed_count(const struct fisql_writer *writer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++)
        count += __atomic_load_n(&writer->handed[i], __ATOMIC_RELAXED) != 0;
    return count;
}

static void handed_put(struct fisql_writer *writer, uint32_t slot)
{
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++) {
        uint32_t none = 0;
        if (__atomic_load_n(&writer->handed[i], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&writer->handed[i], &none, slot + 1, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return;
    }
}

static void writer_wake(struct fisql_writer *writer)
{
    if (__atomic_load_n(&writer->asleep, __ATOMIC_SEQ_CST) == 0 ||
        __atomic_exchange_n(&writer->asleep, 0, __ATOMIC_SEQ_CST) == 0)
        return;
    __atomic_fetch_add(&writer->wake, 1, __ATOMIC_SEQ_CST);
    const long argument[6] = {(long)(intptr_t)&writer->wake, FUTEX_WAKE, 1};
    system_call(SYS_futex, argument);
}

/* False: it cannot go. */
static bool pass(struct thread_log *log, uint32_t waiting)
{
    struct fisql_writer *writer = &process.area->writer;
    struct thread_log *slot = slot_of_chunk(log);
    uint32_t index = slot->in_area - 1, length;
    chunk_close(log);
    length = log->chunk->length;
    if (!live_slot_hand(slot))
        return false;
    __atomic_fetch_add(&writer->log_end, length, __ATOMIC_RELAXED);
    log_file_room_used(log);
    chunk_passed(log);
    __atomic_store_n(&outstanding, 1, __ATOMIC_RELAXED);
    handed_put(writer, index);
    if (waiting + 1 >= WAKE_AT)
        writer_wake(writer);
    return true;
}

bool hand_over(struct thread_log *log)
{
    struct fisql_live_area *area = process.area;
    if (silent() || !process.with_parent || !log->in_area || process.ending || log->thread.ended)
        return false;
    if (!writer_there(area)) {
        hand_over_take_back();
        return false;
    }
    uint32_t waiting = handed_count(&area->writer);
    bool room = waiting < FISQL_HANDED_MAX && !live_slots_many();
    struct thread_log *next = room ? live_slot_take() : NULL;
    if (next == NULL)
        return false;
    __atomic_store_n(&next->live.state, FISQL_SLOT_LENT, __ATOMIC_RELEASE);
    if (slot_of_chunk(log) == log) {
        chunk_write(log);
    } else if (!pass(log, waiting)) {
        live_slot_release(next);
        return false;
    }
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    __atomic_store_n(&log->live.chunk_slot, next->in_area, __ATOMIC_RELEASE);
    log->chunk = chunk_of_slot(next);
    return true;
}

bool hand_over_possible(void)
{
    struct fisql_live_area *area = process.area;
    return process.with_parent && area != NULL && area->writer.serves_silent != 0 &&
           (__atomic_load_n(&area->writer.alive, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED) == 0;
}

/* Room comes when the writer has appended a chunk, which takes it a millisecond at most where it gets a
 * processor. */
bool hand_over_copy(const void *chunk, size_t size_bytes)
{
    struct fisql_live_area *area = process.area;
    uint64_t start = clock_counter(), patience = (uint64_t)process.ticks_per_us * PATIENCE_US;
    struct thread_log *slot = NULL;
    if (!process.with_parent || size_bytes > FISQL_LIVE_CHUNK_BYTES)
        return false;
    while ((slot = live_slot_take()) == NULL && hand_over_possible() &&
           clock_counter() - start < patience)
        ;
    if (slot == NULL)
        return false;
    uint32_t index = slot->in_area - 1;
    memcpy(chunk_of_slot(slot), chunk, size_bytes);
    if (!live_slot_hand(slot)) {
        live_slot_release(slot);
        return false;
    }
    __atomic_fetch_add(&area->writer.log_end, size_bytes, __ATOMIC_RELAXED);
    handed_put(&area->writer, index);
    return true;
}

void hand_over_silently(void)
{
    uint32_t *word = &process.area->writer.silent;
    const long argument[6] = {(long)(intptr_t)word, FUTEX_WAKE, 1};
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    system_call(SYS_futex, argument);
}

static void write_back(struct thread_log *slot)
{
    struct fisql_chunk *chunk = chunk_of_slot(slot);
    fisql_chunk_sign(chunk);
    log_file_write(chunk, chunk->length, chunk->calls);
}

/* Of a writer that was killed nobody knows whether it has appended the chunk: readers drop a copy. */
static void write_again(struct thread_log *slot)
{
    chunk_of_slot(slot)->flags |= FISQL_FLAG_SALVAGED;
    write_back(slot);
}

static void take_back(void)
{
    bool there = writer_there(process.area);
    live_slots_take_back(!there, there ? write_back : write_again);
}

void hand_over_take_back(void)
{
    if (!silent() && process.area != NULL &&
        __atomic_exchange_n(&outstanding, 0, __ATOMIC_RELAXED) != 0)
        take_back();
}

/* The writer may be killed within its write(2), and the word says so only when it is gone. */
void hand_over_end(void)
{
    const struct timespec step = {0, 1000000};
    if (silent() || process.area == NULL || __atomic_load_n(&outstanding, __ATOMIC_RELAXED) == 0)
        return;
    for (int steps = 0; steps < END_STEPS; steps++) {
        take_back();
        if (!live_slots_handed())
            return;
        uint32_t nothing = 0; /* a sleep by a call that recording needs anyway (seccomp.c) */
        const long argument[6] = {(long)(intptr_t)&nothing, FUTEX_WAIT_PRIVATE, 0,
                                  (long)(intptr_t)&step};
        system_call(SYS_futex, argument);
    }
}
