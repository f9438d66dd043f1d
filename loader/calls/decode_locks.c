/* Decodes records of locks: see decode.h. tables_locks.c resolves points of other threads when all
 * is decoded. */
#include "loader/calls/decode_parts.h"

#include <string.h>

#include "base/array.h"

#define WAITS_NESTED 16 /* a signal's handler waits within a wait */

static int site_of(struct decoder *decoder, uint64_t address, uint32_t *site, struct error *error)
{
    *site = 0;
    return address == 0 ? 0
                        : program_site(decoder->shared->program, decoder->process, address,
                                       decoder->clock.tick, site, error);
}

/* The duration of the last `ticks` ticks. */
static uint64_t lasting_ns(const struct decoder *decoder, uint64_t ticks)
{
    uint64_t now = decoder->clock.tick;
    return clock_ns(decoder->clock.line, now) -
           clock_ns(decoder->clock.line, now - (ticks < now ? ticks : now));
}

/* Ends the last wait for the lock. */
static void waited(struct decoder *decoder, const struct fisql_lock_record *record)
{
    struct decode_locks *locks = &decoder->out->locks;
    for (size_t i = locks->count; i > 0 && locks->count - i < WAITS_NESTED; i--) {
        struct decode_lock *wait = &locks->items[i - 1];
        if (wait->what != FISQL_LOCK_WAIT || wait->lock != record->lock || wait->until_ns != 0)
            continue;
        wait->until_ns = decoder->clock.now_ns;
        wait->count = record->count;
        return;
    }
}

static int put_extra(struct decoder *decoder, const struct fisql_lock_record *record,
                     uint32_t *number, struct error *error)
{
    struct decode_locks *locks = &decoder->out->locks;
    *number = 0;
    if ((record->what == FISQL_LOCK_WAIT && record->guards[0] == 0) ||
        record->what == FISQL_LOCK_TAKEN || record->what == FISQL_LOCK_MISUSED)
        return 0;
    if (array_reserve(&locks->extras, &locks->extras_capacity, locks->extras_count + 1, error) != 0)
        return -1;
    struct decode_lock_extra *extra = &locks->extras[locks->extras_count++];
    memcpy(extra, record->numbers, sizeof *extra);
    if (record->what == FISQL_LOCK_HELD) {
        extra->numbers[1] = lasting_ns(decoder, record->numbers[1]);
        extra->numbers[2] = lasting_ns(decoder, record->numbers[2]);
    }
    *number = (uint32_t)locks->extras_count;
    return 0;
}

int decode_lock(struct decoder *decoder, const struct event *event, struct error *error)
{
    struct fisql_lock_record record;
    struct decode_locks *locks = &decoder->out->locks;
    const struct open_call *call = call_stack_own_top(&decoder->stack);
    event_lock(event, &record);
    if (record.what == FISQL_LOCK_WAITED) {
        waited(decoder, &record);
        return 0;
    }
    struct decode_lock lock = {.ns = decoder->clock.now_ns,
                               .call_id = call != NULL ? call->head.call_id : 0,
                               .point = record.point,
                               .lock = record.lock,
                               .other = record.other,
                               .thread = record.thread,
                               .frame = call != NULL ? call->head.frame_id : 0,
                               .what = record.what,
                               .kind = record.kind,
                               .mode = record.mode,
                               .count = record.count};
    if (array_reserve(&locks->items, &locks->capacity, locks->count + 1, error) != 0 ||
        site_of(decoder, record.site, &lock.site, error) != 0 ||
        site_of(decoder, record.other_site, &lock.other_site, error) != 0 ||
        put_extra(decoder, &record, &lock.extra, error) != 0)
        return -1;
    locks->items[locks->count++] = lock;
    return 0;
}
