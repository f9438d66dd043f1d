/*
 * Events other than calls: allocations, frees and notes. They always take the slow path; one store
 * commits each, like every other event (base.h).
 */
#include "collector/memory/alloc_events.h"

#include "collector/core/event.h"
#include "collector/locks/lock_events.h"

#include <string.h>

/* Signed distance from the chunk's heap base in steps of 16 bytes; false if it does not fit. */
static bool address_short(struct thread_log *log, uint64_t address, uint64_t *steps)
{
    if (log->chunk->heap_base == 0)
        log->chunk->heap_base = address & ~(uint64_t)15;
    int64_t distance = (int64_t)(address - log->chunk->heap_base);
    *steps = (uint64_t)(distance >> 4);
    return (distance & 15) == 0 && (distance >> 4) == (int32_t)(distance >> 4);
}

static struct thread_log *record_begin(struct event *event, uint64_t tick_wanted, uint64_t site,
                                       uint64_t *tick, uint64_t *delta, uint32_t *slot)
{
    uint64_t frame = FRAME_ADDRESS();
    struct thread_log *log = log_open(frame);
    if (log == NULL)
        return NULL;
    event->count = 0;
    *tick = tick_wanted != 0 ? tick_wanted : clock_read_order(process.clock);
    *delta = event_put_delta(event, log, tick, tick_wanted == 0, 0xffff);
    *slot = event_put_pair(event, log, 0, site);
    return log;
}

void record_alloc(unsigned kind, uint64_t address, uint64_t size_bytes, uint64_t site)
{
    struct event event;
    struct thread_log *log;
    uint64_t tick, delta, steps;
    uint32_t slot;
    do {
        log = record_begin(&event, 0, site, &tick, &delta, &slot);
        if (log == NULL)
            return;
        bool is_short = address_short(log, address, &steps) && size_bytes <= 0xffff;
        event_put_code(&event, (is_short ? FISQL_CODE_ALLOC : FISQL_CODE_ALLOC_FULL) + kind);
        event_put(&event, delta, 1);
        event_put(&event, slot, 1);
        event_put(&event, size_bytes, is_short ? 1 : 4);
        event_put(&event, is_short ? steps : address, is_short ? 2 : 4);
    } while (!log_commit(log, &event, 0, tick));
}

void record_free(unsigned kind, uint64_t address, uint64_t site)
{
    lock_events_freed(address);
    struct event event;
    struct thread_log *log;
    uint64_t tick, delta, steps;
    uint32_t slot;
    do {
        log = record_begin(&event, 0, site, &tick, &delta, &slot);
        if (log == NULL)
            return;
        bool is_short = address_short(log, address, &steps);
        event_put_code(&event, (is_short ? FISQL_CODE_FREE : FISQL_CODE_FREE_FULL) + kind);
        event_put(&event, delta, 1);
        event_put(&event, slot, 1);
        event_put(&event, is_short ? steps : address, is_short ? 2 : 4);
    } while (!log_commit(log, &event, 0, tick));
}

void record_realloc(uint64_t start_tick, uint64_t old, uint64_t address, uint64_t size_bytes,
                    uint64_t site)
{
    struct event event;
    struct thread_log *log;
    uint64_t tick, delta;
    uint32_t slot;
    uint64_t end = clock_read_order(process.clock);
    do {
        log = record_begin(&event, start_tick, site, &tick, &delta, &slot);
        if (log == NULL)
            return;
        event_put_code(&event, FISQL_CODE_REALLOC);
        event_put(&event, delta, 1);
        event_put(&event, slot, 1);
        event_put(&event, end > tick ? end - tick : 0, 4);
        event_put(&event, size_bytes, 4);
        event_put(&event, old, 4);
        event_put(&event, address, 4);
    } while (!log_commit(log, &event, 0, tick));
}

void record_note(const char *text, size_t size_bytes)
{
    size_t size_max = EVENT_BYTES_MAX;
    size_t size = size_bytes < size_max ? size_bytes : size_max;
    while (size < size_bytes && size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--; /* not inside a UTF-8 character */
    log_record_bytes(FISQL_CODE_NOTE, text, size);
}
