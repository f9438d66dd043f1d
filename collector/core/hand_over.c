/*
 * Hands full chunks over to `fisql record`, which appends them to the log while the thread goes on
 * (formats/live.h, struct fisql_writer).
 *
 * An interrupted hook may know a log's first page, so that page stays; its chunk moves. Each full
 * chunk goes to the writer together with its slot; the thread takes another slot and lends it to
 * the log (chunk_slot). The chunk in the log's own slot cannot go: the thread writes this first one
 * itself. It also writes if there is no writer, the writer is busy, or no slot is free; so nothing
 * waits and nothing is lost.
 *
 * A slot that we handed over stays mapped here (live_slot_hand()); once the writer has freed it, we
 * take it first. While its chunk is whole we can take it back: whoever changes the slot's state,
 * the writer or we, has the chunk.
 *
 * Order: the chunk is whole before the log lets go of it, so salvaging finds it once or twice, and
 * readers keep one. The log is TAKEN before its chunk_slot changes: word and chunk stay a pair.
 */
#include "collector/core/hand_over.h"

#include "collector/core/chunk.h"
#include "collector/core/handed.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/core/quiet.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"
#include "collector/core/system_call.h"

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

/* We wake the writer when so many chunks wait: it looks by itself every few milliseconds. */
#define WAKE_AT 2u
/* Whole chunks of one process: more would leave the caches before the writer comes to them. */
#define HANDED_OWN_MAX 8u
/* A process that ends waits so many milliseconds for a write in progress. */
#define END_STEPS 200

/* Atomic: we handed chunks over; the writer may have appended them since. */
static uint32_t outstanding;

/* False: the chunk cannot go. */
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
    handed_put(index);
    if (waiting + 1 >= WAKE_AT)
        handed_wake();
    return true;
}

bool hand_over(struct thread_log *log)
{
    if (silent() || !process.with_parent || !log->in_area || process.ending || log->thread.ended)
        return false;
    if (!handed_taken()) {
        hand_over_take_back();
        return false;
    }
    uint32_t waiting = handed_count();
    bool room = waiting < FISQL_HANDED_MAX && live_slots_handed() < HANDED_OWN_MAX;
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

static void write_back(struct thread_log *slot, const void *held)
{
    struct fisql_chunk *chunk = chunk_of_slot(slot);
    fisql_chunk_sign(chunk);
    if (held != NULL)
        log_file_held_write(held, chunk, chunk->length, chunk->calls);
    else
        log_file_write(chunk, chunk->length, chunk->calls);
}

/* A killed writer may have appended the chunk: readers drop the copy. */
static void write_again(struct thread_log *slot, const void *held)
{
    chunk_of_slot(slot)->flags |= FISQL_FLAG_SALVAGED;
    write_back(slot, held);
}

/* fisql record may replace the log when we have taken a chunk: then the chunk would come to a later
 * log than its successor, which its thread writes. So we open the log first. */
static void take_back_rotating(void)
{
    struct log_held held;
    struct quiet quiet;
    quiet_begin(&quiet);
    if (log_file_hold(&held)) {
        live_slots_take_back(false, held.epoch, write_back, &held);
        log_file_let_go(&held);
    }
    quiet_end(&quiet);
}

static void take_back(void)
{
    if (!handed_taken())
        live_slots_take_back(true, 0, write_again, NULL);
    else if (process.options.rotates)
        take_back_rotating();
    else
        live_slots_take_back(false, 0, write_back, NULL);
}

void hand_over_take_back(void)
{
    if (!silent() && process.area != NULL &&
        __atomic_exchange_n(&outstanding, 0, __ATOMIC_RELAXED) != 0)
        take_back();
}

/* The writer may be killed within its write(2); its word says so only when it is gone. */
void hand_over_end(void)
{
    const struct timespec step = {0, 1000000};
    if (silent() || process.area == NULL || __atomic_load_n(&outstanding, __ATOMIC_RELAXED) == 0)
        return;
    for (int steps = 0; steps < END_STEPS; steps++) {
        take_back();
        if (live_slots_handed() == 0)
            return;
        uint32_t nothing = 0; /* sleep by a call that recording needs anyway (seccomp.c) */
        const long argument[6] = {(long)(intptr_t)&nothing, FUTEX_WAIT_PRIVATE, 0,
                                  (long)(intptr_t)&step};
        system_call(SYS_futex, argument);
    }
}
