/* See handed.h. */
#include "collector/core/handed.h"

#include "collector/core/chunk.h"
#include "collector/core/live_area.h"
#include "collector/core/system_call.h"
#include "collector/process/process.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* A thread without system calls waits so long for room. */
#define PATIENCE_US 1000000u

bool handed_taken(void)
{
    uint32_t alive = __atomic_load_n(&process.area->writer.alive, __ATOMIC_RELAXED);
    return alive != 0 && (alive & FUTEX_OWNER_DIED) == 0;
}

uint32_t handed_count(void)
{
    const struct fisql_writer *writer = &process.area->writer;
    uint32_t count = 0;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++)
        count += __atomic_load_n(&writer->handed[i], __ATOMIC_RELAXED) != 0;
    return count;
}

void handed_put(uint32_t slot)
{
    struct fisql_writer *writer = &process.area->writer;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++) {
        uint32_t none = 0;
        if (__atomic_load_n(&writer->handed[i], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&writer->handed[i], &none, slot + 1, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return;
    }
}

void handed_wake(void)
{
    struct fisql_writer *writer = &process.area->writer;
    if (__atomic_load_n(&writer->asleep, __ATOMIC_SEQ_CST) == 0 ||
        __atomic_exchange_n(&writer->asleep, 0, __ATOMIC_SEQ_CST) == 0)
        return;
    __atomic_fetch_add(&writer->wake, 1, __ATOMIC_SEQ_CST);
    const long argument[6] = {(long)(intptr_t)&writer->wake, FUTEX_WAKE, 1};
    system_call(SYS_futex, argument);
}

bool handed_silently_possible(void)
{
    struct fisql_live_area *area = process.area;
    return process.with_parent && area != NULL && area->writer.serves_silent != 0 &&
           (__atomic_load_n(&area->writer.alive, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED) == 0;
}

/* The writer makes room by appending a chunk, which takes a millisecond at most once it runs. */
bool handed_copy(const void *chunk, size_t size_bytes)
{
    struct fisql_live_area *area = process.area;
    uint64_t start = clock_counter(), patience = (uint64_t)process.ticks_per_us * PATIENCE_US;
    struct thread_log *slot = NULL;
    if (!process.with_parent || size_bytes > FISQL_LIVE_CHUNK_BYTES)
        return false;
    while ((slot = live_slot_take()) == NULL && handed_silently_possible() &&
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
    handed_put(index);
    return true;
}

void handed_silently(void)
{
    uint32_t *word = &process.area->writer.silent;
    const long argument[6] = {(long)(intptr_t)word, FUTEX_WAKE, 1};
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    system_call(SYS_futex, argument);
}
