/* The events of a chunk for a follower: see live_tail.h. */
#include "live/live_tail_internal.h"

#include "base/array.h"
#include "base/must.h"
#include "loader/log/events.h"

/* Where we are in a chunk. */
struct position {
    uint64_t tick;
    uint64_t depth; /* calls open, as its events say */
    bool fresh;     /* what follows was not read before */
};

static uint64_t depth_of(const struct live_tail_thread *thread)
{
    return (uint64_t)thread->outer + thread->open_count;
}

/* ---- calls ---- */

static int enter(struct tail_events *events, struct live_tail_thread *thread, uint64_t function,
                 uint64_t tick, struct error *error)
{
    const struct live_tail_call call = {
        .function = function, .enter_tick = tick, .depth = (uint32_t)depth_of(thread)};
    if (array_add(&thread->open, &thread->open_count, &thread->open_capacity, call, error) != 0)
        return -1;
    thread->at.calls++;
    if (!events->silent)
        events->reader->enter(events->reader->context, thread,
                              &thread->open[thread->open_count - 1]);
    return 0;
}

static void leave(struct tail_events *events, struct live_tail_thread *thread, uint64_t calls,
                  uint64_t tick, bool unwound)
{
    for (; calls > 0; calls--) {
        if (thread->open_count == 0) {
            thread->outer -= thread->outer > 0;
            continue;
        }
        thread->open_count--;
        if (!events->silent)
            events->reader->leave(events->reader->context, thread,
                                  &thread->open[thread->open_count], tick, unwound);
    }
}

/* The chunk's snapshot becomes the open calls. Those that are still the same keep their marks. */
static int open_calls(struct live_tail_thread *thread, const struct fisql_chunk *chunk,
                      struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint32_t outer = chunk->open_depth - chunk->open_calls;
    size_t count = outer == thread->outer ? thread->open_count : 0;
    if (array_reserve(&thread->open, &thread->open_capacity, chunk->open_calls + 1u, error) != 0)
        return -1;
    thread->outer = outer;
    thread->open_count = chunk->open_calls;
    for (uint32_t i = 0; i < chunk->open_calls; i++) {
        struct live_tail_call *call = &thread->open[i];
        if (i < count && call->function == entries[i].function &&
            call->enter_tick == entries[i].enter_tick)
            continue;
        count = 0;
        *call = (struct live_tail_call){.function = entries[i].function,
                                        .enter_tick = entries[i].enter_tick,
                                        .depth = outer + i};
    }
    return 0;
}

/* ---- events ---- */

static int show(struct tail_events *events, struct live_tail_thread *thread,
                const struct event *event, uint64_t function, uint64_t tick, struct error *error)
{
    const struct live_tail_reader *reader = events->reader;
    switch (event->type) {
    case EVENT_ENTER:
    case EVENT_ENTER_FULL:
        return enter(events, thread, function, tick, error);
    case EVENT_EXIT:
        leave(events, thread, 1, tick, false);
        return 0;
    case EVENT_UNWIND:
        leave(events, thread, event->calls, tick, true);
        return 0;
    case EVENT_PAUSE: /* calls that are open now end in the log */
        leave(events, thread, thread->open_count, tick, true);
        thread->outer = 0;
        return 0;
    case EVENT_CHECKPOINT:
        if (!events->silent)
            reader->reach(reader->context, thread, event->point, event->values, event->values_bytes,
                          tick);
        return 0;
    case EVENT_NOTE:
        if (!events->silent)
            reader->note(reader->context, thread, event->text, event->text_bytes, tick);
        return 0;
    case EVENT_GAP:
        if (!events->silent && reader->gap != NULL)
            reader->gap(reader->context, thread, event->gap.cpu_ns, event->gap.reading);
        return 0;
    case EVENT_DEFINE:
    case EVENT_TIME:
    case EVENT_MISMATCH:
    case EVENT_COUNTED:
    case EVENT_HELD:
    case EVENT_FAULT:
    case EVENT_INCIDENT:
    case EVENT_LOCK:
    case EVENT_PAUSED:
    case EVENT_RESUMED:
    case EVENT_OBJECT:
    case EVENT_ALLOC:
    case EVENT_FREE:
    case EVENT_REALLOC:
    case EVENT_ARGUMENTS:
    case EVENT_RESULT:
    case EVENT_EXIT_VALUES:
        break;
    }
    return 0;
}

/* Counts the calls open behind an event that was read before. */
static void pass(struct position *at, const struct event *event)
{
    if (event->type == EVENT_ENTER || event->type == EVENT_ENTER_FULL)
        at->depth++;
    else if (event->type == EVENT_EXIT)
        at->depth -= at->depth > 0;
    else if (event->type == EVENT_UNWIND)
        at->depth -= event->calls < at->depth ? event->calls : at->depth;
    else if (event->type == EVENT_PAUSE)
        at->depth = 0;
}

/* A short call may take its enter back (--min-duration), which we have shown. */
static void begin_fresh(struct tail_events *events, struct live_tail_thread *thread,
                        struct position *at)
{
    bool silent = events->silent;
    events->silent = true;
    if (!at->fresh && depth_of(thread) > at->depth)
        leave(events, thread, depth_of(thread) - at->depth, at->tick, false);
    events->silent = silent;
    at->fresh = true;
}

static int read_units(struct tail_events *events, struct live_tail_thread *thread,
                      const struct fisql_chunk *chunk, struct error *error)
{
    struct position at = {.tick = chunk->tick_start, .depth = chunk->open_depth};
    struct event_cursor cursor = events_begin(chunk);
    const uint16_t *begin = cursor.at;
    struct event event = {.slot = 0};
    uint32_t done = 0;
    int result = 0;
    events->reading++;
    while (result == 0) {
        if (done >= thread->at.units)
            begin_fresh(events, thread, &at);
        if (event_next(&cursor, &event) <= 0 || event.slot >= FISQL_SLOTS_MAX)
            break; /* the end; or damage, which costs the rest of the chunk */
        done = (uint32_t)(cursor.at - begin);
        if (event_clock(event.type) != FISQL_CLOCK_STILL)
            at.tick += event.ticks;
        const struct tail_definition *definition = &events->definitions[event.slot];
        uint64_t function = event.type == EVENT_ENTER_FULL           ? event.function
                            : definition->reading == events->reading ? definition->function
                                                                     : 0;
        if (event.type == EVENT_DEFINE)
            events->definitions[event.slot] =
                (struct tail_definition){event.function, events->reading};
        else if (!at.fresh)
            pass(&at, &event);
        else
            result = show(events, thread, &event, function, at.tick, error);
    }
    begin_fresh(events, thread, &at);
    thread->at.units = done;
    return result;
}

int tail_events_read(struct tail_events *events, struct live_tail_thread *thread,
                     const struct fisql_chunk *chunk, bool closed, struct error *error)
{
    struct live_tail_place *at = &thread->at;
    must(chunk->open_calls <= chunk->open_depth);
    if (at->begun &&
        (chunk->sequence < at->sequence || (chunk->sequence == at->sequence && at->closed)))
        return 0;
    if (!at->begun || chunk->sequence != at->sequence) {
        bool follows =
            at->begun && !at->lost && at->closed && chunk->sequence == at->sequence + 1 &&
            depth_of(thread) == chunk->open_depth && (chunk->flags & FISQL_FLAG_RESUMED) == 0;
        if (!events->silent && chunk->first_call > at->calls)
            thread->left_out += chunk->first_call - at->calls;
        if (!follows && open_calls(thread, chunk, error) != 0)
            return -1;
        at->calls = chunk->first_call;
        at->sequence = chunk->sequence;
        at->units = 0;
        at->begun = true;
        at->lost = false;
    }
    at->closed = closed;
    return read_units(events, thread, chunk, error);
}

void tail_events_skip(struct live_tail_thread *thread, const struct fisql_chunk *chunk,
                      bool counted)
{
    struct live_tail_place *at = &thread->at;
    uint64_t calls = chunk->first_call + chunk->calls;
    if (at->begun &&
        (chunk->sequence < at->sequence || (chunk->sequence == at->sequence && at->closed)))
        return;
    if (counted && calls > at->calls)
        thread->left_out += calls - at->calls;
    at->calls = calls > at->calls ? calls : at->calls;
    at->sequence = chunk->sequence;
    at->begun = at->closed = at->lost = true;
}
