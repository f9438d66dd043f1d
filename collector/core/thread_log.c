/*
 * Thread logs: begins, changes and ends them. See base.h for how a thread records.
 *
 * A log's first page and its chunk lie in a slot of the live area, or in private memory if there is
 * no slot (chunk.c); its dictionary, shadow stack and counts lie in private memory
 * (thread_memory.c). malloc never allocates any of it.
 */
#include "collector/core/thread_log.h"

#include "collector/core/chunk.h"
#include "collector/core/counted.h"
#include "collector/core/event.h"
#include "collector/core/facts.h"
#include "collector/core/feature.h"
#include "collector/core/file.h"
#include "collector/core/hand_over.h"
#include "collector/core/live_area.h"
#include "collector/core/lock.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/core/ring.h"
#include "collector/core/stack.h"
#include "collector/core/thread_choice.h"
#include "collector/core/thread_copy.h"
#include "collector/core/thread_memory.h"
#include "collector/core/thread_name.h"
#include "collector/core/usage.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t lists_lock; /* guards the list; taken with signals blocked only */
static struct thread_log *logs;
static pthread_key_t end_key;
static bool end_key_made;
THREAD_LOCAL struct thread_log *current_log;
THREAD_LOCAL struct thread_log *paused_log;
THREAD_LOCAL uint32_t thread_is_ending;

/* The thread is no longer recorded: thread_log_stop(), or no memory. */
static THREAD_LOCAL bool stopped;

/* Less is not worth a record: we read the clocks one after the other. */
#define HELD_NS_MIN 2000u

/* The calling thread's ticks on the processor; the clock's if we do not read that. */
static uint64_t busy_ticks(uint64_t gap_ticks)
{
    uint64_t cpu_ns;
    return gap_ticks != UINT64_MAX && usage_cpu_of(0, &cpu_ns) ? usage_ticks(gap_ticks, cpu_ns)
                                                               : clock_read(process.clock);
}

/* Records in the next chunk how long writing the last one kept the thread off the processor. */
static void put_held(struct thread_log *log, uint64_t ticks)
{
    uint64_t word = log->live.word;
    uint16_t *units = log_units(log, word);
    units[0] = FISQL_CODE_HELD << 1 | 1u;
    memcpy(units + 1, &ticks, sizeof ticks);
    word = word_after(word, 5);
    log->live.last_tick[fisql_word_toggle(word)] = log_last_tick(log);
    log->other_units = fisql_word_units(word);
    BARRIER();
    log->live.word = word;
}

/* may_hand: no interrupted hook may know where the chunk lies. */
static void flush(struct thread_log *log, bool may_hand)
{
    struct fisql_cost cost = {.write_ticks = 0};
    if (process.options.ring_chunks != 0 && !process.ending && !log->thread.ended) {
        ring_keep(log);
        chunk_follow(log, log);
    } else {
        uint64_t gap_ticks = process.gap_ticks, start = clock_read(process.clock);
        uint64_t ticks = busy_ticks(gap_ticks);
        if (!may_hand || !hand_over(log))
            chunk_write(log);
        chunk_follow(log, log);
        cost.write_ticks = busy_ticks(gap_ticks) - ticks;
        uint64_t passed = clock_read(process.clock) - start;
        bool goes_on =
            may_hand && !log_writes_through(log); /* else nobody would write the record */
        if (goes_on && gap_ticks != UINT64_MAX && passed > cost.write_ticks &&
            passed - cost.write_ticks > usage_ticks(gap_ticks, HELD_NS_MIN))
            put_held(log, passed - cost.write_ticks);
    }
    log->chunk->cost = fisql_cost_pack(&cost);
}

void thread_log_flush(struct thread_log *log)
{
    flush(log, true);
}

bool thread_logs_unslotted(void)
{
    lock_acquire(&lists_lock);
    const struct thread_log *log = logs;
    while (log != NULL && !log->unslotted)
        log = log->next;
    lock_release(&lists_lock);
    return log != NULL;
}

/* ---- threads ---- */

void thread_usage_now(struct usage *now)
{
    *now = (struct usage){.tick = clock_read(process.clock)};
    if (process.gap_ticks != UINT64_MAX)
        usage_read(process.clock, now);
}

static void usage_facts(struct facts *facts, const struct usage *usage, bool own)
{
    facts_number(facts, FISQL_FACT_THREAD_CPU_TICK, usage->tick);
    facts_number(facts, FISQL_FACT_THREAD_CPU_NS, usage->cpu_ns);
    if (!own)
        return;
    facts_number(facts, FISQL_FACT_THREAD_WAITS, usage->waits);
    facts_number(facts, FISQL_FACT_THREAD_PREEMPTIONS, usage->preemptions);
    facts_number(facts, FISQL_FACT_THREAD_MINOR_FAULTS, usage->minor_faults);
    facts_number(facts, FISQL_FACT_THREAD_MAJOR_FAULTS, usage->major_faults);
}

/* For the calling thread as of `now`, or for one that the process's end cuts off: NULL, as only its
 * processor time can be read. */
static void named_facts(struct thread_log *log, const char *name, const char *how,
                        const struct usage *now)
{
    unsigned char buffer[640]; /* exactly the longest facts: stacks may be small */
    struct facts facts;
    struct usage other = {.tick = clock_read(process.clock)};
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_THREAD, log->live.thread, log->live.tid);
    facts_text(&facts, FISQL_FACT_THREAD_NAME, name);
    facts_number(&facts, FISQL_FACT_THREAD_START_TICK, log->thread.start_tick);
    if (how != NULL) {
        facts_number(&facts, FISQL_FACT_THREAD_END_TICK, now != NULL ? now->tick : other.tick);
        facts_text(&facts, FISQL_FACT_THREAD_HOW, how);
    }
    if (process.gap_ticks != UINT64_MAX &&
        (now != NULL || usage_cpu_of(log->live.tid, &other.cpu_ns)))
        usage_facts(&facts, now != NULL ? now : &other, now != NULL);
    facts_write(&facts);
}

void thread_log_facts(struct thread_log *log, const char *how, const struct usage *now)
{
    char name[17] = "";
    struct usage usage;
    if (silent())
        return;
    if (now == NULL)
        thread_usage_now(&usage);
    prctl(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
    named_facts(log, name, how, now != NULL ? now : &usage);
}

static bool name_of_thread(uint32_t tid, char *name, size_t size)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    int file = file_open(path, O_RDONLY);
    if (file < 0)
        return false;
    ssize_t length = read(file, name, size - 1);
    close(file);
    if (length > 1)
        name[length - 1] = '\0'; /* replaces the newline */
    return length > 1;
}

void thread_logs_cut_off(void)
{
    lock_acquire(&lists_lock);
    for (struct thread_log *log = logs; log != NULL; log = log->next) {
        char name[17];
        if (log == current_log || log->thread.ended)
            continue;
        if (thread_log_copy(log))
            slot_settle(log); /* the thread writes later events itself: process.ending */
        if (name_of_thread(log->live.tid, name, sizeof name))
            named_facts(log, name, FISQL_HOW_WITH_PROCESS, NULL);
    }
    lock_release(&lists_lock);
}

void thread_logs_add(struct thread_log *log)
{
    lock_acquire(&lists_lock);
    log->next = logs;
    logs = log;
    lock_release(&lists_lock);
}

static void list_remove(struct thread_log *log)
{
    lock_acquire(&lists_lock);
    struct thread_log **at = &logs;
    while (*at != NULL && *at != log)
        at = &(*at)->next;
    if (*at != NULL)
        *at = log->next;
    lock_release(&lists_lock);
}

static void logs_release(struct thread_log *log);

/* Gives back the logs of threads that are gone. */
static void logs_reap(void)
{
    for (;;) {
        lock_acquire(&lists_lock);
        struct thread_log *log = logs;
        while (log != NULL &&
               !(log->thread.ended && !log->abandoned && !log->reaping &&
                 syscall(SYS_tgkill, (long)process.pid, (long)log->live.tid, 0L) != 0))
            log = log->next;
        /* A second thread that comes here leaves them to us. */
        for (struct thread_log *at = log != NULL ? logs : NULL; at != NULL; at = at->next)
            at->reaping |= at->live.thread == log->live.thread;
        lock_release(&lists_lock);
        if (log == NULL)
            return;
        logs_release(log);
    }
}

void thread_log_deltas(struct thread_log *log)
{
    uint64_t gap = process.gap_ticks;
    log->thread.enter_max = gap < 0xffff ? (uint32_t)gap : 0xffff;
    log->thread.exit_max = gap < 0x7fff ? (uint32_t)gap : 0x7fff;
}

static struct thread_log *log_make(void)
{
    logs_reap();
    struct thread_log *log = slot_take();
    if (log == NULL)
        return NULL;
    log->live.tid = (uint32_t)syscall(SYS_gettid);
    log->live.thread = __atomic_fetch_add(&process.thread_next, 1, __ATOMIC_RELAXED);
    if (!memory_take(log)) {
        slot_release(log);
        return NULL;
    }
    log->thread.min_ticks = process.options.min_ticks;
    log->room_units = CHUNK_UNITS;
    log->live.units_max = process.ending ? 0 : units_max_of(log);
    log->thread.filter_settings = __atomic_load_n(&process.filter_settings, __ATOMIC_ACQUIRE);
    counted_adopt(log);
    thread_log_deltas(log);
    log->thread.start_tick = clock_read(process.clock);
    return log;
}

/* Reports that this thread's calls, or its signal handler's, are missing for lack of memory. */
static void log_missing(void)
{
    unsigned char buffer[256];
    struct facts facts;
    static THREAD_LOCAL bool told;
    if (told)
        return;
    told = true;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, (uint32_t)syscall(SYS_gettid));
    facts_text(&facts, FISQL_FACT_LOSS_REASON, "no memory to record a thread");
    facts_text(&facts, FISQL_FACT_LOSS_THREAD, "all");
    facts_write(&facts);
}

/* The name that the thread was given before it was recorded (thread_choice.h). */
static void given_name_facts(const struct thread_log *log)
{
    unsigned char buffer[sizeof(struct fisql_chunk) + 128];
    struct facts facts;
    if (thread_name_given()[0] == 0)
        return;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_THREAD, log->live.thread, log->live.tid);
    facts_text(&facts, FISQL_FACT_THREAD_GIVEN_NAME, thread_name_given());
    facts_write(&facts);
}

static struct thread_log *log_resume(void);

struct thread_log *thread_log_start(void)
{
    if (collector_inside != 0 || stopped || !process_active() ||
        __atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0 ||
        (UNLIKELY(thread_choice_matters()) && !thread_choice_ask()))
        return NULL;
    if (silent() && paused_log == NULL) {
        silent_lose();
        return NULL;
    }
    struct quiet quiet;
    quiet_begin(&quiet);
    collector_inside++;
    struct thread_log *log = current_log;
    bool fresh = paused_log == NULL;
    if (log == NULL)
        log = paused_log != NULL ? log_resume() : log_make();
    if (log != NULL && current_log == NULL) {
        log->shadow.late = process.options.start_off || thread_choice_matters();
        thread_log_facts(log, NULL, NULL);
        if (fresh)
            given_name_facts(log);
        chunk_begin(log, log->thread.start_tick, 0, 0);
        thread_logs_add(log);
        current_log = log;
        FEATURES_CALL(thread_begins)();
        if (end_key_made)
            pthread_setspecific(end_key, (void *)1);
    }
    if (log == NULL) {
        log_missing();
        stopped = true;
    }
    collector_inside--;
    quiet_end(&quiet);
    return log;
}

/* Is it a log that a nested hook abandoned, and whose own hook is done with it or gone? A frame
 * below ours on the same stack cannot be waiting for us to return, nor can one at or below that of
 * the hook that does wait, at `waiting`. */
static bool log_idle(struct thread_log *log, uint64_t frame, uint64_t waiting)
{
    uint64_t busy = log->busy;
    return log->abandoned != 0 && log->live.tid == (uint32_t)syscall(SYS_gettid) &&
           (busy == 0 || (busy < frame && stack_is_one(&log->shadow.bounds, busy, frame)) ||
            (busy <= waiting && stack_is_one(&log->shadow.bounds, busy, waiting)));
}

/* One of the thread's own logs that is idle, or a new one; NULL if there is none. */
static struct thread_log *log_spare(uint64_t frame, uint64_t waiting, bool *fresh)
{
    lock_acquire(&lists_lock);
    struct thread_log *log = logs;
    while (log != NULL && !log_idle(log, frame, waiting))
        log = log->next;
    lock_release(&lists_lock);
    *fresh = log == NULL;
    if (log != NULL)
        return log;
    log = slot_take();
    if (log == NULL)
        return NULL;
    if (!memory_take_nested(log)) {
        slot_release(log);
        return NULL;
    }
    return log;
}

/* Makes `other` go on where `log` is, and abandons `log`. */
static void log_continue(struct thread_log *log, struct thread_log *other, bool fresh)
{
    log->abandoned_word = log->live.word;
    log->abandoned_hook = log->busy;
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    other->live.tid = log->live.tid;
    other->live.thread = log->live.thread;
    other->live.first_call = log->live.first_call;
    other->counts.undo.active = other->counts.undone = 0; /* a jump may have left its hook */
    other->busy = 0;
    /* Together with its link into the list: a poke reaches one of the two logs before the copy, and
     * is copied, or the other one after it. */
    lock_acquire(&lists_lock);
    other->shadow = log->shadow;
    other->shadow.pinned = 1;
    other->thread = log->thread;
    other->live.units_max = log->live.units_max;
    other->abandoned = 0;
    if (fresh) {
        other->next = logs;
        logs = other;
    }
    log->abandoned = 1;
    lock_release(&lists_lock);
}

/* The log for a nested hook; `log` is the thread's, and busy. NULL if there is none. */
static struct thread_log *log_nested(struct thread_log *log, uint64_t frame)
{
    bool fresh;
    struct thread_log *other = log_spare(frame, log->busy, &fresh);
    if (other == NULL) {
        log_missing();
        return NULL;
    }
    count_undo(log);
    if (fisql_word_units(log->live.word) != log->min_units)
        chunk_write(log);
    log_continue(log, other, fresh);
    chunk_follow(other, log);
    current_log = other;
    return other;
}

struct thread_log *thread_log_nested(struct thread_log *log)
{
    struct quiet quiet;
    uint64_t frame = FRAME_ADDRESS();
    if (collector_inside != 0)
        return NULL;
    if (silent()) {
        silent_lose();
        return NULL;
    }
    quiet_begin(&quiet);
    collector_inside++;
    if (log->abandoned != 0)
        log = current_log; /* a handler's hook did it before signals were blocked */
    if (log != NULL && log->busy != 0)
        log = log_nested(log, frame);
    collector_inside--;
    quiet_end(&quiet);
    return log;
}

uint32_t thread_logs_interrupted(struct thread_log **found, uint32_t room)
{
    uint32_t count = 0, tid = (uint32_t)syscall(SYS_gettid);
    lock_acquire(&lists_lock);
    for (struct thread_log *log = logs; log != NULL && count < room; log = log->next)
        if (log->live.tid == tid && log->abandoned != 0 && log->busy != 0)
            found[count++] = log;
    lock_release(&lists_lock);
    return count;
}

/* We lose what another thread of the parent had half-linked: address space only. */
void thread_logs_forked(void)
{
    lock_forked(&lists_lock);
    logs = NULL;
    memory_forked();
    live_area_forked();
}

void thread_logs_poke(void)
{
    lock_acquire(&lists_lock);
    for (struct thread_log *log = logs; log != NULL; log = log->next) {
        __atomic_store_n(&log->thread.poke, 1, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* against log_limit_set() */
        __atomic_store_n(&log->live.units_max, 0, __ATOMIC_RELAXED);
    }
    lock_release(&lists_lock);
}

/* Gives back all logs of a thread and their memory. `log` is the current one. */
static void logs_release(struct thread_log *log)
{
    uint32_t thread = log->live.thread;
    struct shadow_stack shadow = log->shadow;
    for (;;) {
        lock_acquire(&lists_lock);
        struct thread_log *at = logs;
        while (at != NULL && at->live.thread != thread)
            at = at->next;
        lock_release(&lists_lock);
        if (at == NULL)
            break;
        list_remove(at);
        memory_release_nested(at);
        slot_release(at);
    }
    memory_release(&shadow);
}

void thread_log_pause(struct thread_log *log)
{
    uint64_t word = log->live.word;
    uint16_t *units = log_units(log, word);
    units[0] = FISQL_CODE_PAUSE << 1 | 1u;
    units[1] = 0;
    log->live.word = word_after(word, 2);
    log->live.last_tick[fisql_word_toggle(log->live.word)] =
        log->live.last_tick[fisql_word_toggle(word)];
    chunk_write(log);
    log->shadow.late = 1;
    log->shadow.hidden = log->shadow.blind = log->shadow.throw_depth = 0;
    log->shadow.landing_stack = 0;
    log->thread.flags_next |= FISQL_FLAG_RESUMED;
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    paused_log = log;
    current_log = NULL;
    BARRIER();
    log->busy = 0;
}

void thread_log_stop(const char *reason)
{
    unsigned char buffer[1024];
    struct quiet quiet;
    struct facts facts;
    quiet_begin(&quiet);
    thread_log_finish(FISQL_HOW_WITH_PROCESS, NULL);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS,
                current_log != NULL ? current_log->live.thread : 0, (uint32_t)syscall(SYS_gettid));
    facts_text(&facts, FISQL_FACT_LOSS_REASON, reason);
    facts_write(&facts);
    stopped = true;
    current_log = paused_log = NULL;
    quiet_end(&quiet);
}

/* Recording is on again: the thread continues its log. */
static struct thread_log *log_resume(void)
{
    struct thread_log *log = paused_log;
    paused_log = NULL;
    log->thread.poke = 0;
    log->live.units_max = units_max_of(log);
    log->thread.filter_settings = __atomic_load_n(&process.filter_settings, __ATOMIC_ACQUIRE);
    memory_limit_depth(log);
    chunk_begin(log, clock_read(process.clock), 0, (log->live.word >> FISQL_WORD_FLUSH_SHIFT) + 1);
    current_log = log;
    return log;
}

/* A thread lives on after our destructor: other libraries' destructors follow, and signals until
 * the very end. So its log stays, and we write each event at once, until the thread is gone. */
static void log_end(struct thread_log *log)
{
    ring_release(log);
    log->thread.ended = 1;
    log->live.units_max = 0;
    FEATURES_CALL(thread_ends)();
}

void thread_log_finish(const char *how, const struct usage *ended)
{
    struct quiet quiet;
    struct usage now;
    if (current_log == NULL && paused_log == NULL)
        return;
    quiet_begin(&quiet);
    collector_inside++;
    if (ended == NULL)
        thread_usage_now(&now); /* before we write: that time is ours */
    struct thread_log *log = current_log != NULL ? current_log : log_resume();
    uint64_t busy = log->busy;
    log->busy = 1;
    if (busy != 0)
        count_undo(log); /* we run in a signal handler: the hook's change may be unfinished */
    if (log->thread.ring != NULL || process.options.ring_chunks != 0)
        ring_dump(log);
    else if (fisql_word_units(log->live.word) != log->min_units)
        flush(log, false);
    thread_log_facts(log, how, ended != NULL ? ended : &now);
    if (strcmp(how, FISQL_HOW_EXIT) == 0)
        log_end(log);
    slot_settle(log);
    ring_settle(log);
    log->busy = busy;
    collector_inside--;
    quiet_end(&quiet);
}

void thread_logs_leave(void)
{
#ifndef FISQL_LATE
    if (end_key_made)
        pthread_key_delete(end_key);
    end_key_made = false;
#endif
    for (struct thread_log *log = logs; log != NULL; log = log->next) {
        char name[17];
        struct usage now;
        if (log->abandoned || log->thread.ended ||
            __atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) != FISQL_SLOT_LIVE)
            continue;
        if (log->thread.ring != NULL || process.options.ring_chunks != 0)
            ring_dump(log);
        else if (fisql_word_units(log->live.word) != log->min_units)
            chunk_write(log);
        bool own = log->live.tid == (uint32_t)syscall(SYS_gettid);
        if (own)
            thread_usage_now(&now);
        if (name_of_thread(log->live.tid, name, sizeof name))
            named_facts(log, name, FISQL_HOW_WITH_PROCESS, own ? &now : NULL);
        slot_settle(log);
        __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    }
}

/* Destructor of thread-specific data. Other destructors may call instrumented functions after it,
 * so it asks to be called again as often as possible. */
static void thread_ending(void *value)
{
    uintptr_t round = (uintptr_t)value;
#ifdef FISQL_LATE
    if (!process_recording()) /* we have left */
        return;
#endif
    if (round < 4 && pthread_setspecific(end_key, (void *)(round + 1)) == 0)
        return;
    thread_is_ending = 1;
    BARRIER();
    thread_log_finish(FISQL_HOW_EXIT, NULL);
    FEATURES_CALL(thread_gone)();
    BARRIER();
    thread_is_ending = 0;
}

#ifdef FISQL_LATE
/* With the library, which stays: musl takes locks for making a key and for deleting it, which another
 * thread may hold while all are stopped, or while one forks (before 1.2.4). */
static __attribute__((constructor)) void key_make(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ending) == 0;
}

void thread_log_setup(void)
{
}
#else
void thread_log_setup(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ending) == 0;
}
#endif
