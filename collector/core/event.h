/*
 * Events off the fast path. We build an event unit by unit in a struct event, then commit it to the
 * thread's log with one store. Order of calls: log_open(), the event_put functions, log_commit();
 * or log_open() and log_leave(). All are for the calling thread only and keep errno.
 */
#ifndef FISQL_COLLECTOR_CORE_EVENT_H
#define FISQL_COLLECTOR_CORE_EVENT_H

#include "collector/core/chunk.h"
#include "collector/core/dictionary.h"
#include "collector/process/process.h"

/* An event under construction: at most TIME, a definition and the longest fixed record. We copy it
 * four units at a time, so up to three units behind it in the chunk may be overwritten. */
struct event {
    uint16_t units[EVENT_UNITS_MAX];
    uint32_t count;
};

/* Appends the low units of a value, the lowest first. */
static inline void event_put(struct event *event, uint64_t value, uint32_t units)
{
    for (uint32_t i = 0; i < units; i++)
        event->units[event->count++] = (uint16_t)(value >> (16 * i));
}

/* Appends the unit of a code (formats/log.h). */
static inline void event_put_code(struct event *event, uint32_t code)
{
    event->units[event->count++] = (uint16_t)(code << 1 | 1u);
}

/* Puts a GAP record for the gap from `last` to an event at *tick. now: the event happens now; *tick
 * becomes the reading's end. So a preemption during the reading falls into the gap, and what the
 * reading takes, a microsecond or two behind a wait, is not charged to a small call that follows. */
void event_put_gap(struct event *event, uint64_t last, uint64_t *tick, bool now);

/* Puts a TIME record if the event's own delta is too small. Returns that delta. */
static inline uint64_t event_put_time(struct event *event, uint64_t delta, uint64_t delta_max)
{
    if (LIKELY(delta <= delta_max))
        return delta;
    uint64_t left = process.clock == CLOCK_SAMPLED; /* an event's 0 would say that it has no time */
    event_put_code(event, FISQL_CODE_TIME);
    event_put(event, delta - left, 4);
    return left;
}

/* A pair's dictionary slot; defines the pair first if it is missing. */
static inline uint32_t event_put_pair(struct event *event, struct thread_log *log,
                                      uint64_t function, uint64_t site)
{
    uint32_t slot = pair_find(log, function, site);
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        event->count += pair_define(log, &event->units[event->count], slot, function, site);
    return slot;
}

/* The calling thread's log, busy with the hook at `frame`; NULL if nothing can be recorded. */
struct thread_log *log_open(uint64_t frame);

/* Puts what precedes an event at *tick (now, or some time ago): GAP if the last event is long ago,
 * TIME if its own delta is too small for the time since. Returns that delta. A tick read before a
 * signal handler's events is older than they are: then *tick becomes the last event's. */
static inline uint64_t event_put_delta(struct event *event, const struct thread_log *log,
                                       uint64_t *tick, bool now, uint64_t delta_max)
{
    uint64_t last = log_last_tick(log);
    if ((int64_t)(*tick - last) < 0)
        *tick = last;
    if (UNLIKELY(*tick - last > process.gap_ticks))
        event_put_gap(event, last, tick, now);
    return event_put_time(event, *tick - last, delta_max);
}

/* Copies the built units behind what the log has committed. Returns their end. */
uint16_t *event_copy(struct thread_log *log, const struct event *event);
/* Commits units with a change of the log's word, leaves the log. Returns as log_leave(). */
bool log_commit_copied(struct thread_log *log, uint32_t units, uint64_t change, uint64_t tick);
bool log_commit(struct thread_log *log, const struct event *event, uint64_t change, uint64_t tick);

/* Records an event made of a code, its delta, a number of bytes in one unit, and these bytes (at
 * most EVENT_BYTES_MAX), padded to a unit. Opens the log; does nothing if nothing can be
 * recorded. */
#define EVENT_BYTES_MAX 80u
void log_record_bytes(uint32_t code, const void *bytes, size_t count);
/* The same; calls `look` with the log and the tick before it commits, again if a nested hook
 * abandons the log. Returns false if nothing was recorded: then `look` was not called, or in
 * vain. */
typedef void log_look(const struct thread_log *log, uint64_t tick, void *context);
bool log_record_bytes_look(uint32_t code, const void *bytes, size_t count, log_look *look,
                           void *context);

/* Makes room for `units` units, time and padding included, in a log from log_open(): writes the
 * chunk if it has less. Returns false if the log was abandoned; it is then left. */
bool log_make_room(struct thread_log *log, uint32_t units);

/* Gives the log back. Returns false if a nested hook abandoned it before the word `committed` was
 * stored: then the event is not in the log. A log abandoned before this hook took it may hold any
 * word. We compare while it is still busy: later, handlers that interrupt one another may take it
 * up and abandon it again. A handler between the two reads finds the word stored. */
static inline bool log_leave(struct thread_log *log, uint64_t committed)
{
    BARRIER();
    bool there = LIKELY(log->abandoned == 0) ||
                 (log->abandoned_word == committed && log->abandoned_hook == log->busy);
    BARRIER();
    log->busy = 0;
    BARRIER();
    return there;
}

/* Must each event be written at once, because nobody will write it later? */
static inline bool log_writes_through(const struct thread_log *log)
{
    return (process.ending | log->thread.ended) != 0;
}

/* Writes what the log has committed. Returns false if a nested hook that abandoned it did so. */
bool log_write_through(struct thread_log *log);

#endif
