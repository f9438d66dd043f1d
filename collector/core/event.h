/*
 * Events off the fast path: an event is built unit by unit in a struct event and then committed to
 * the thread's log with one store. The order of calls is log_open(), the event_put functions,
 * log_commit(); or log_open() and log_leave() where there is nothing to record. All are for the
 * calling thread only and leave errno alone.
 */
#ifndef FISQL_COLLECTOR_CORE_EVENT_H
#define FISQL_COLLECTOR_CORE_EVENT_H

#include "collector/core/chunk.h"
#include "collector/core/dictionary.h"
#include "collector/process/process.h"

/* An event under construction: at most TIME, a definition and the longest fixed record. It is
 * copied four units at a time, so what is behind it in the chunk may be spoiled. */
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

/* Puts a GAP record for the gap from `last` to an event at *tick. Where the event is now, its tick
 * becomes that of the reading: a thread that is put aside during the reading is so within the gap. */
void event_put_gap(struct event *event, uint64_t last, uint64_t *tick, bool now);

/* Puts a TIME record if the time since the last event exceeds what the event's own delta holds.
 * Returns that delta. */
static inline uint64_t event_put_time(struct event *event, uint64_t delta, uint64_t delta_max)
{
    if (LIKELY(delta <= delta_max))
        return delta;
    event_put_code(event, FISQL_CODE_TIME);
    event_put(event, delta, 4);
    return 0;
}

/* Puts the definition of a pair into its slot. */
void event_put_definition(struct event *event, struct thread_log *log, uint32_t slot,
                          uint64_t function, uint64_t site);

/* The dictionary slot of a pair, defined first if it is not in the dictionary. */
static inline uint32_t event_put_pair(struct event *event, struct thread_log *log,
                                      uint64_t function, uint64_t site)
{
    uint32_t slot = pair_find(log, function, site);
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        event_put_definition(event, log, slot, function, site);
    return slot;
}

/* The calling thread's log, busy with the hook at `frame` and fit to record in; NULL if nothing can
 * be recorded. */
struct thread_log *log_open(uint64_t frame);

/* Puts what stands before an event at *tick, which is now or was some time ago: GAP where the last
 * event is long ago, TIME where its own delta does not hold the time since. Returns that delta. A
 * tick read before a signal handler's events is older than them: time then stands still, and *tick
 * becomes the last event's. */
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

/* Copies the built units behind what the log has committed. Returns where they end. */
uint16_t *event_copy(struct thread_log *log, const struct event *event);
/* Commits so many units with a change of the log's word, and leaves the log. Returns as log_leave().
 */
bool log_commit_copied(struct thread_log *log, uint32_t units, uint64_t change, uint64_t tick);
/* Does both. */
bool log_commit(struct thread_log *log, const struct event *event, uint64_t change, uint64_t tick);

/* Records an event that is a code, its delta, a number of bytes in one unit, and these bytes, padded to a
 * unit: at most EVENT_BYTES_MAX. It opens the log by itself, and does nothing where nothing can be
 * recorded. */
#define EVENT_BYTES_MAX 80u
void log_record_bytes(uint32_t code, const void *bytes, size_t count);
/* The same, and shows `look` the log meanwhile, with the event's tick; again where a nested hook abandoned it.
 * Returns false where nothing was recorded: then it was not shown either, or for nothing. */
typedef void log_look(const struct thread_log *log, uint64_t tick, void *context);
bool log_record_bytes_look(uint32_t code, const void *bytes, size_t count, log_look *look,
                           void *context);

/* Makes room for an event of so many units, its time and padding included, in a log that log_open() gave: a
 * chunk that has less is written. Returns false if the log was abandoned, and left. */
bool log_make_room(struct thread_log *log, uint32_t units);

/* Gives the log back. Returns false if a nested hook abandoned it before the word `committed` was
 * stored: what was to be recorded is then not in the log. It may have been abandoned before this
 * hook took it, too, and hold any word. This is judged while the log is still busy: after that,
 * handlers that interrupt one another may take it up again, and abandon it anew. One that comes
 * between the two finds the word stored. */
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

/* Is every event of the log written at once, because nobody will write it later? */
static inline bool log_writes_through(const struct thread_log *log)
{
    return (process.ending | log->thread.ended) != 0;
}

/* Writes what the log has committed. Returns false if a nested hook abandoned the log: it has
 * written that already. */
bool log_write_through(struct thread_log *log);

#endif
