/* Builds and commits events: see event.h. */
#include "collector/core/event.h"

#include "collector/core/control.h"
#include "collector/core/counted.h"
#include "collector/process/fork.h"
#include "collector/core/quiet.h"
#include "collector/core/ring.h"
#include "collector/core/thread_choice.h"
#include "collector/core/thread_memory.h"
#include "collector/core/usage.h"

#include <string.h>

void event_put_gap(struct event *event, uint64_t last, uint64_t *tick, bool now)
{
    struct usage usage;
    usage_read(process.clock, &usage);
    if (now)
        usage.tick = clock_read(process.clock);
    if (now && usage.tick > *tick)
        *tick = usage.tick;
    uint64_t reading = usage.tick > *tick ? usage.tick - *tick : 0;
    event_put_code(event, FISQL_CODE_GAP);
    event_put(event, *tick - last, 4);
    event_put(event, reading < UINT32_MAX ? reading : UINT32_MAX, 2);
    event_put(event, usage.cpu_ns, 4);
    event_put(event, usage.waits, 2);
    event_put(event, usage.preemptions, 2);
    event_put(event, usage.minor_faults, 2);
    event_put(event, usage.major_faults, 2);
}

/* The calling thread's log, marked busy with this frame; NULL if nothing can be recorded. */
static struct thread_log *log_begin(uint64_t frame)
{
    if (UNLIKELY(fork_mark.mine == 0))
        fork_notice();
    struct thread_log *log = current_log;
    if (log == NULL)
        log = thread_log_start();
    if (log != NULL && UNLIKELY(log->busy != 0))
        log = thread_log_nested(log);
    if (log == NULL)
        return NULL;
    log->busy = frame;
    BARRIER();
    return log;
}

uint16_t *event_copy(struct thread_log *log, const struct event *event)
{
    uint16_t *units = log_units(log, log->live.word);
    for (uint32_t i = 0; i < event->count; i += 4)
        memcpy(units + i, event->units + i, 4 * sizeof units[0]);
    return units + event->count;
}

bool log_commit_copied(struct thread_log *log, uint32_t units, uint64_t change, uint64_t tick)
{
    uint64_t after = word_after(log->live.word + change, units);
    log->other_units = change == WORD_CALL + WORD_DEPTH ? 0 : fisql_word_units(after);
    log->live.last_tick[fisql_word_toggle(after)] = tick;
    BARRIER();
    log->live.word = after;
    if (UNLIKELY(log_writes_through(log)) && log_write_through(log))
        after = log->live.word;
    return log_leave(log, after);
}

bool log_commit(struct thread_log *log, const struct event *event, uint64_t change, uint64_t tick)
{
    event_copy(log, event);
    return log_commit_copied(log, event->count, change, tick);
}

bool log_write_through(struct thread_log *log)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    bool ours = log->abandoned == 0;
    if (ours)
        thread_log_flush(log);
    quiet_end(&quiet);
    return ours;
}

/* Writes the chunk if it is full or another thread asks for that; goes off if recording is paused.
 * Signals must be blocked, and the log not abandoned. Returns false if the log is gone. */
static bool log_turn(struct thread_log *log)
{
    bool poked = __atomic_exchange_n(&log->thread.poke, 0, __ATOMIC_ACQ_REL) != 0;
    if (__atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0) {
        thread_log_pause(log);
        return false;
    }
    if (log->thread.filter_settings !=
        __atomic_load_n(&process.filter_settings, __ATOMIC_ACQUIRE)) {
        thread_log_pause(log); /* the thread resumes at once, with the new filter */
        return false;
    }
    if (UNLIKELY(thread_choice_matters()) && !thread_choice_make()) {
        thread_log_pause(log); /* until the thread is chosen */
        return false;
    }
    if (poked)
        memory_limit_depth(log); /* --depth may have changed, too */
    counted_adopt(log);
    if (poked && process.options.ring_chunks != 0)
        ring_dump(log);
    else if (fisql_word_units(log->live.word) != log->min_units)
        thread_log_flush(log);
    return true;
}

/* What the slow path does first: begins a new chunk if this one is full or another thread asks;
 * goes off if recording is paused. Returns false if the log is gone, or a nested hook abandoned it:
 * that hook has written the chunk, and requests go on in the other log. */
static bool log_maintain(struct thread_log *log)
{
    if (UNLIKELY(control_asked()))
        control_take();
    if (UNLIKELY(__atomic_load_n(&log->thread.poke, __ATOMIC_RELAXED) != 0 ||
                 fisql_word_units(log->live.word) > units_max_of(log))) {
        struct quiet quiet;
        quiet_begin(&quiet);
        bool ours = log->abandoned == 0;
        bool there = ours && log_turn(log);
        quiet_end(&quiet);
        if (!ours)
            log_leave(log, 0);
        if (!there)
            return false;
    }
    bool slow = log->shadow.hidden != 0 || log->shadow.blind != 0 || log->shadow.throw_depth != 0;
    if (slow || log_writes_through(log))
        log_limit_set(log, 0);
    else
        log_limit_next(log);
    return true;
}

struct thread_log *log_open(uint64_t frame)
{
    for (;;) {
        struct thread_log *log = log_begin(frame);
        /* units_max is 0 if the log needs maintenance. */
        if (log == NULL || LIKELY(fisql_word_units(log->live.word) <= log->live.units_max) ||
            log_maintain(log))
            return log;
    }
}

bool log_make_room(struct thread_log *log, uint32_t units)
{
    if (fisql_word_units(log->live.word) + units <= log->room_units)
        return true;
    bool ours = log_write_through(log);
    if (!ours)
        log_leave(log, 0);
    return ours;
}

bool log_record_bytes_look(uint32_t code, const void *bytes, size_t count, log_look *look,
                           void *context)
{
    struct event event;
    struct thread_log *log;
    uint64_t tick, frame = FRAME_ADDRESS();
    do {
        log = log_open(frame);
        if (log == NULL)
            return false;
        event.count = 0;
        tick = clock_read(process.clock);
        uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
        event_put_code(&event, code);
        event_put(&event, delta, 1);
        event_put(&event, count, 1);
        event.units[event.count + count / 2] = 0;
        memcpy(&event.units[event.count], bytes, count);
        event.count += (uint32_t)(count + 1) / 2;
        if (look != NULL)
            look(log, tick, context);
    } while (!log_commit(log, &event, 0, tick));
    return true;
}

void log_record_bytes(uint32_t code, const void *bytes, size_t count)
{
    log_record_bytes_look(code, bytes, count, NULL, NULL);
}
