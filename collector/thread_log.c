/*
 * Thread logs: beginning, writing out, changing and ending them. See runtime.h for how a thread
 * records and log_format.h for what a chunk holds.
 *
 * Memory. A log's first page and its chunk lie in a slot of the live area (or in private memory
 * when there is no slot); its dictionary, shadow stack and counts lie in private memory
 * (thread_memory.c). Nothing is ever allocated by malloc.
 */
#include "collector/thread_log_parts.h"

#include "collector/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t lists_lock; /* guards the list; taken with signals blocked only */
static struct thread_log *logs;
static pthread_key_t end_key;
static bool end_key_made;
__thread struct thread_log *paused_log __attribute__((tls_model("initial-exec")));

/* The thread is not recorded any more: thread_log_stop(), or no memory. */
static __thread bool stopped __attribute__((tls_model("initial-exec")));

/* ---- chunks ---- */

/* Chunks in private memory: fisql record cannot save them when their process is gone, and tells how
 * many there were. */
static void unslotted_begin(struct thread_log *log)
{
    log->unslotted = process.area != NULL;
    if (log->unslotted)
        __atomic_fetch_add(&process.area->unslotted, 1, __ATOMIC_RELAXED);
}

/* What is in it is written, and so will be what comes. */
static void unslotted_end(struct thread_log *log)
{
    if (__atomic_exchange_n(&log->unslotted, 0, __ATOMIC_RELAXED) != 0)
        __atomic_fetch_sub(&process.area->unslotted, 1, __ATOMIC_RELAXED);
}

struct thread_log *slot_take(void)
{
    struct thread_log *log = live_slot_take();
    if (log == NULL) {
        log = mmap(NULL, FISQL_LIVE_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
        if (log == MAP_FAILED)
            return NULL;
        unslotted_begin(log);
        live_slot_own(log);
    }
    log->chunk = (struct fisql_chunk *)((unsigned char *)log + FISQL_SLOT_HEADER);
    return log;
}

static void slot_release(struct thread_log *log)
{
    log_file_room_used(log);
    unslotted_end(log);
    if (log->in_area)
        live_slot_release(log);
    else
        munmap(log, FISQL_LIVE_SLOT_BYTES);
}

static uint32_t put_snapshot(struct thread_log *log, uint32_t depth)
{
    uint32_t count = depth < FISQL_SNAPSHOT_MAX ? depth : FISQL_SNAPSHOT_MAX;
    struct fisql_open_call *entry = (struct fisql_open_call *)(log->chunk + 1);
    for (uint32_t i = depth - count; i < depth; i++, entry++) {
        entry->function = log->shadow[i].function;
        entry->site = log->shadow[i].site;
        entry->enter_tick = log->shadow[i].tick;
    }
    return count;
}

/* Begins a chunk after `last`, with `depth` calls open, and makes the slot live. */
void chunk_begin(struct thread_log *log, uint64_t last, uint32_t depth, uint64_t flushes)
{
    struct fisql_chunk *chunk = log->chunk;
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    memset(chunk, 0, sizeof *chunk);
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = FISQL_CHUNK_EVENTS;
    chunk->flags = log->flags_next | (process.clock == CLOCK_SWITCHED_OFF ? FISQL_FLAG_NO_TIME : 0);
    chunk->run_id = process.run_id;
    chunk->process_key = process.key;
    chunk->pid = process.pid;
    chunk->tid = log->live.tid;
    chunk->thread = log->live.thread;
    chunk->sequence = log->sequence;
    chunk->tick_start = last;
    chunk->first_call = log->live.first_call;
    chunk->open_depth = depth;
    chunk->open_calls = put_snapshot(log, depth);
    log->flags_next = 0;
    log->counted_end = 0;
    log->other_units = 0;
    memset(log->dictionary, 0, DICTIONARY_ENTRIES * sizeof(struct pair));
    log->min_units =
        (uint32_t)(sizeof *chunk + chunk->open_calls * sizeof(struct fisql_open_call)) / 2;
    log->room_units = process.options.ring_chunks != 0 ? CHUNK_UNITS : log_file_room(log) / 2;
    if (log->units_max != 0)
        log_limit_set(log, units_max_of(log));
    log->live.last_tick[0] = last;
    log->live.word =
        flushes << FISQL_WORD_FLUSH_SHIFT | (uint64_t)depth * WORD_DEPTH | log->min_units;
    __atomic_store_n(&log->live.state, FISQL_SLOT_LIVE, __ATOMIC_RELEASE);
}

static void chunk_write(struct thread_log *log)
{
    uint64_t tick, ns;
    bool full = fisql_word_units(log->live.word) > log->room_units - 2 * CHUNK_UNITS_ROOM;
    clock_pair(process.clock, &tick, &ns);
    uint32_t length =
        fisql_chunk_finish(log->chunk, log->live.word, tick, ns, full ? log->room_units * 2 : 0);
    if (log_file_write(log->chunk, length, log->chunk->calls) != 0)
        log->flags_next |= FISQL_FLAG_LOST;
    log_file_room_used(log);
}

/* Flight recorder: the finished chunk stays where it is, the oldest kept one is overwritten next.
 * Returns the log to go on with. */
static struct thread_log *ring_turn(struct thread_log *log);

void thread_log_flush(struct thread_log *log)
{
    uint64_t last = log_last_tick(log);
    uint64_t word = log->live.word;
    uint64_t flushes = (word >> FISQL_WORD_FLUSH_SHIFT) + 1;
    if (process.options.ring_chunks != 0 && !process.ending && !log->ended) {
        ring_turn(log);
    } else {
        chunk_write(log);
    }
    log->live.first_call += fisql_word_calls(word);
    log->sequence++;
    chunk_begin(log, last, fisql_word_depth(word), flushes);
}

/* The ring's chunks are copied to slots of the live area, so that they outlive the process too. */
static struct thread_log *ring_turn(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    if (log->ring == NULL) {
        void *memory = mmap(NULL, entries * sizeof(void *), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return log;
        log->ring = memory;
    }
    uint32_t at = log->ring_next++ % entries;
    if (log->ring[at] == NULL)
        log->ring[at] = slot_take();
    if (log->ring[at] == NULL)
        return log;
    struct thread_log *kept = log->ring[at];
    uint64_t tick, ns;
    clock_pair(process.clock, &tick, &ns);
    log->chunk->flags |= FISQL_FLAG_RING;
    uint32_t length = fisql_chunk_finish(log->chunk, log->live.word, tick, ns, 0);
    __atomic_store_n(&kept->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    memcpy(kept->chunk, log->chunk, length);
    kept->live.word = log->live.word;
    kept->live.thread = log->live.thread;
    kept->live.tid = log->live.tid;
    kept->sequence = log->sequence;
    __atomic_store_n(&kept->live.state, FISQL_SLOT_LIVE, __ATOMIC_RELEASE);
    return log;
}

void thread_log_dump(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    for (uint32_t i = 0; log->ring != NULL && i < entries; i++) {
        struct thread_log *kept = log->ring[(log->ring_next + i) % entries];
        if (kept == NULL || kept->live.state != FISQL_SLOT_LIVE)
            continue;
        log_file_write(kept->chunk, kept->chunk->length, kept->chunk->calls);
        __atomic_store_n(&kept->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    }
    uint64_t word = log->live.word;
    if (fisql_word_units(word) == log->min_units)
        return;
    uint64_t last = log_last_tick(log);
    log->chunk->flags |= FISQL_FLAG_RING;
    chunk_write(log);
    log->live.first_call += fisql_word_calls(word);
    log->sequence++;
    chunk_begin(log, last, fisql_word_depth(word), (word >> FISQL_WORD_FLUSH_SHIFT) + 1);
}

static void ring_release(struct thread_log *log)
{
    for (uint32_t i = 0; log->ring != NULL && i < process.options.ring_chunks; i++)
        if (log->ring[i] != NULL)
            slot_release(log->ring[i]);
    if (log->ring != NULL)
        munmap(log->ring, process.options.ring_chunks * sizeof(void *));
    log->ring = NULL;
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

static void named_facts(struct thread_log *log, const char *name, const char *how)
{
    unsigned char buffer[1024];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_THREAD, log->live.thread, log->live.tid);
    facts_text(&facts, FISQL_FACT_THREAD_NAME, name);
    facts_number(&facts, FISQL_FACT_THREAD_START_TICK, log->start_tick);
    if (how != NULL) {
        facts_number(&facts, FISQL_FACT_THREAD_END_TICK, clock_read(process.clock));
        facts_text(&facts, FISQL_FACT_THREAD_HOW, how);
    }
    facts_write(&facts);
}

/* Of the calling thread. */
void thread_facts(struct thread_log *log, const char *how)
{
    char name[17] = "";
    prctl(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
    named_facts(log, name, how);
}

void thread_logs_cut_off(void)
{
    lock_acquire(&lists_lock);
    for (struct thread_log *log = logs; log != NULL; log = log->next) {
        char path[48], name[17];
        if (log == current_log || log->ended)
            continue;
        if (thread_log_copy(log))
            unslotted_end(log); /* what comes still it writes itself: process.ending */
        snprintf(path, sizeof path, "/proc/self/task/%u/comm", log->live.tid);
        int file = file_open(path, O_RDONLY);
        if (file < 0)
            continue;
        ssize_t length = read(file, name, sizeof name - 1);
        close(file);
        if (length > 1) {
            name[length - 1] = '\0'; /* in place of the line's end */
            named_facts(log, name, NULL);
        }
    }
    lock_release(&lists_lock);
}

void list_add(struct thread_log *log)
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
               !(log->ended && !log->abandoned && !log->reaping &&
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
    log->min_ticks = process.options.min_ticks;
    log->room_units = CHUNK_UNITS;
    log->units_max = process.ending ? 0 : units_max_of(log);
    log->start_tick = clock_read(process.clock);
    return log;
}

/* Says that this thread's calls, or those of a signal's handler in it, are missing, for there is no
 * memory to record them. */
static void log_missing(void)
{
    unsigned char buffer[1024];
    struct facts facts;
    static __thread bool told __attribute__((tls_model("initial-exec")));
    if (told)
        return;
    told = true;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, (uint32_t)syscall(SYS_gettid));
    facts_text(&facts, FISQL_FACT_LOSS_REASON, "no memory to record a thread");
    facts_text(&facts, FISQL_FACT_LOSS_THREAD, "all");
    facts_write(&facts);
}

static struct thread_log *log_resume(void);

struct thread_log *thread_log_start(void)
{
    if (collector_inside != 0 || stopped || !process_active() ||
        __atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0)
        return NULL;
    struct quiet quiet;
    quiet_begin(&quiet);
    collector_inside++;
    struct thread_log *log = current_log;
    if (log == NULL)
        log = paused_log != NULL ? log_resume() : log_make();
    if (log != NULL && current_log == NULL) {
        log->late = process.options.start_off;
        thread_facts(log, NULL);
        chunk_begin(log, log->start_tick, 0, 0);
        list_add(log);
        current_log = log;
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

/* A log that a nested hook abandoned and whose own hook is done with it, or gone: a frame that lies
 * below ours on the same stack cannot be waiting for us to return, nor one at or below that of the
 * hook that does wait, at `waiting`. */
static bool log_idle(struct thread_log *log, uint64_t frame, uint64_t waiting)
{
    uint64_t busy = log->busy;
    return log->abandoned != 0 && log->live.tid == (uint32_t)syscall(SYS_gettid) &&
           (busy == 0 || (busy < frame && stack_is_one(log, busy, frame)) ||
            (busy <= waiting && stack_is_one(log, busy, waiting)));
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
    struct pair *dictionary = other->dictionary;
    struct fisql_chunk *chunk = other->chunk;
    uint32_t in_area = other->in_area, unslotted = other->unslotted;
    uint64_t word = log->live.word;
    log->abandoned_word = word;
    log->abandoned_hook = log->busy;
    __atomic_store_n(&log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    /* In one with its link into the list: a poke reaches one of the two logs before the copy, so
     * that it is copied, or the other one after it. And a spare log is in the list, which other
     * threads may be walking: with our own log's link in it they could miss one, or go round for
     * ever. */
    lock_acquire(&lists_lock);
    struct thread_log *list_next = fresh ? logs : other->next;
    *other = *log;
    other->next = list_next;
    other->chunk = chunk;
    other->in_area = in_area;
    other->unslotted = unslotted;
    other->dictionary = dictionary;
    other->counted = counted_behind(dictionary);
    other->shadow_pinned = 1;
    other->busy = 0;
    other->abandoned = 0;
    other->undone = 0;
    if (fresh)
        logs = other;
    log->abandoned = 1;
    lock_release(&lists_lock);
}

/* The log with which a nested hook goes on, `log` being the thread's and busy; NULL if there is
 * none.
 */
static struct thread_log *log_nested(struct thread_log *log, uint64_t frame)
{
    bool fresh;
    struct thread_log *other = log_spare(frame, log->busy, &fresh);
    if (other == NULL) {
        log_missing();
        return NULL;
    }
    count_undo(log);
    uint64_t word = log->live.word;
    uint64_t last = log_last_tick(log);
    if (fisql_word_units(word) != log->min_units) {
        chunk_write(log);
        log->live.first_call += fisql_word_calls(word);
        log->sequence++;
    }
    log_continue(log, other, fresh);
    chunk_begin(other, last, fisql_word_depth(word), (word >> FISQL_WORD_FLUSH_SHIFT) + 1);
    current_log = other;
    return other;
}

struct thread_log *thread_log_nested(struct thread_log *log)
{
    struct quiet quiet;
    uint64_t frame = FRAME_ADDRESS();
    if (collector_inside != 0)
        return NULL;
    quiet_begin(&quiet);
    collector_inside++;
    if (log->abandoned != 0)
        log = current_log; /* a handler's hook came before signals were blocked, and did it */
    if (log != NULL && log->busy != 0)
        log = log_nested(log, frame);
    collector_inside--;
    quiet_end(&quiet);
    return log;
}

uint32_t logs_interrupted(struct thread_log **found, uint32_t room)
{
    uint32_t count = 0, tid = (uint32_t)syscall(SYS_gettid);
    lock_acquire(&lists_lock);
    for (struct thread_log *log = logs; log != NULL && count < room; log = log->next)
        if (log->live.tid == tid && log->abandoned != 0 && log->busy != 0)
            found[count++] = log;
    lock_release(&lists_lock);
    return count;
}

/* What another thread of the parent had half-linked is lost: that is address space. */
void lists_forked(void)
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
        __atomic_store_n(&log->poke, 1, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* against log_limit_set() */
        __atomic_store_n(&log->units_max, 0, __ATOMIC_RELAXED);
    }
    lock_release(&lists_lock);
}

/* Gives back every log of a thread, and the memory behind them. `log` is the one that it goes on
 * in. */
static void logs_release(struct thread_log *log)
{
    uint32_t thread = log->live.thread;
    struct thread_log last = *log;
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
    memory_release(&last);
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
    log->live.first_call += fisql_word_calls(word);
    log->sequence++;
    log->late = 1;
    log->hidden = log->blind = log->throw_depth = 0;
    log->landing_stack = 0;
    log->flags_next |= FISQL_FLAG_RESUMED;
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
    thread_log_finish(FISQL_HOW_WITH_PROCESS);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS,
                current_log != NULL ? current_log->live.thread : 0, (uint32_t)syscall(SYS_gettid));
    facts_text(&facts, FISQL_FACT_LOSS_REASON, reason);
    facts_write(&facts);
    stopped = true;
    current_log = paused_log = NULL;
    quiet_end(&quiet);
}

/* Recording is on again: the thread goes on in the log that it had. */
static struct thread_log *log_resume(void)
{
    struct thread_log *log = paused_log;
    paused_log = NULL;
    log->poke = 0;
    log->units_max = units_max_of(log);
    chunk_begin(log, clock_read(process.clock), 0, (log->live.word >> FISQL_WORD_FLUSH_SHIFT) + 1);
    current_log = log;
    return log;
}

/* A thread goes on after our destructor: destructors of other libraries come, and signals until the
 * very end. So its log stays, each event being written at once, until the thread is gone. */
static void log_end(struct thread_log *log)
{
    ring_release(log);
    log->ended = 1;
    log->units_max = 0;
}

void thread_log_finish(const char *how)
{
    struct quiet quiet;
    if (current_log == NULL && paused_log == NULL)
        return;
    quiet_begin(&quiet);
    collector_inside++;
    struct thread_log *log = current_log != NULL ? current_log : log_resume();
    uint64_t busy = log->busy;
    log->busy = 1;
    if (busy != 0)
        count_undo(log); /* we come from a signal handler: its hook's change may be half-made */
    if (log->ring != NULL || process.options.ring_chunks != 0)
        thread_log_dump(log);
    else if (fisql_word_units(log->live.word) != log->min_units)
        thread_log_flush(log);
    thread_facts(log, how);
    if (strcmp(how, FISQL_HOW_EXIT) == 0)
        log_end(log);
    unslotted_end(log);
    for (uint32_t i = 0; log->ring != NULL && i < process.options.ring_chunks; i++)
        if (log->ring[i] != NULL)
            unslotted_end(log->ring[i]);
    log->busy = busy;
    collector_inside--;
    quiet_end(&quiet);
}

/* Runs as a destructor of thread-specific data. Other destructors may call instrumented functions
 * after ours, so it asks to be called again as often as it can. */
static void thread_ending(void *value)
{
    uintptr_t round = (uintptr_t)value;
    if (round < 4 && pthread_setspecific(end_key, (void *)(round + 1)) == 0)
        return;
    thread_log_finish(FISQL_HOW_EXIT);
}

void thread_log_setup(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ending) == 0;
}
