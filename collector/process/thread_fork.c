/*
 * The calling thread's log across fork. Parent and child share the live area: the child continues
 * in its own slot from the state of its parent's log at the fork.
 */
#include "collector/process/thread_fork.h"

#include "collector/core/chunk.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"
#include "collector/core/thread_memory.h"

#include <sys/mman.h>

/* The state before fork, with which the child goes on. The parent does not wait: in the child, the
 * parent's log may already have changed. */
static THREAD_LOCAL struct {
    struct shadow_stack shadow;
    struct thread_state thread;
    struct pair *dictionary;
    struct call_time *times;
    uint64_t last_tick;
    uint32_t depth;
    uint32_t units_max;
} at_fork;
static THREAD_LOCAL bool had_log;

/* Logs in which one of the thread's hooks may be at work when its signal handler forks. The hook
 * goes on in the child, too, and must not store into the parent's memory. They are the logs with an
 * interrupted hook, and the current one, which a hook may have looked up but not taken yet. */
#define DETACHED_MAX 9u
/* The part of a detached log's chunk, which nobody reads, for a dictionary and its counts. */
#define DICTIONARY_ROOM (FISQL_LIVE_CHUNK_BYTES / 2)
_Static_assert(DICTIONARY_ENTRIES * sizeof(struct pair) + (DICTIONARY_ENTRIES + 8) * 4 <=
                   DICTIONARY_ROOM,
               "a dictionary and its counts fit");
static THREAD_LOCAL struct thread_log *detached[DETACHED_MAX];
static THREAD_LOCAL uint32_t detached_count;
/* As they were before fork, because the parent may already reuse them; NULL without memory. */
static THREAD_LOCAL struct thread_log *detached_were;

static void detached_note(void)
{
    detached_count = thread_logs_interrupted(detached, DETACHED_MAX - 1);
    detached[detached_count++] = current_log;
    void *memory = mmap(NULL, DETACHED_MAX * sizeof *detached_were, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    detached_were = memory != MAP_FAILED ? memory : NULL;
    for (uint32_t i = 0; detached_were != NULL && i < detached_count; i++)
        detached_were[i] = *detached[i];
}

void thread_log_went_on(void)
{
    if (detached_were != NULL)
        munmap(detached_were, DETACHED_MAX * sizeof *detached_were);
    detached_were = NULL;
    detached_count = 0;
}

void thread_log_forking(void)
{
    if (current_log != NULL && current_log->busy != 0)
        thread_log_nested(current_log);         /* a signal handler forks within a hook */
    had_log = current_log != NULL && !silent(); /* silence: the child is not recorded */
    if (!had_log)
        return;
    at_fork.shadow = current_log->shadow;
    at_fork.thread = current_log->thread;
    at_fork.dictionary = current_log->dictionary;
    at_fork.times = current_log->times;
    at_fork.last_tick = log_last_tick(current_log);
    at_fork.depth = fisql_word_depth(current_log->live.word);
    at_fork.units_max = current_log->live.units_max;
    detached_note();
}

static bool private_slot(struct thread_log *slot)
{
    return mmap(slot, FISQL_LIVE_SLOT_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* In the child: replaces the logs by private memory. */
static void detach(void)
{
    for (uint32_t i = 0; i < detached_count; i++) {
        struct thread_log *log = detached[i];
        struct thread_log was = detached_were != NULL ? detached_were[i] : *log;
        was.abandoned = 1;
        if (slot_of_chunk(&was) != log) /* the hook may know its event's place */
            private_slot(slot_of_chunk(&was));
        if (i + 1 == detached_count) { /* the one that was current */
            was.abandoned_hook = 0;    /* whatever a hook commits there is not recorded, */
            was.dictionary = (struct pair *)((unsigned char *)log + FISQL_LIVE_SLOT_BYTES -
                                             DICTIONARY_ROOM); /* for the child's log has its own */
            was.counts.of_slot = counted_behind(was.dictionary);
        }
        if (private_slot(log))
            *log = was;
    }
    thread_log_went_on();
}

void thread_log_forked(void)
{
    thread_logs_forked();
    __atomic_store_n(&process.thread_next, 0, __ATOMIC_RELAXED);
    if (paused_log != NULL)
        process.options.start_off = true; /* the child's log will not know the open calls */
    paused_log = NULL;
    if (!had_log)
        return;
    detach();
    struct thread_log *own = slot_take();
    if (own == NULL) {
        current_log = NULL;
        return;
    }
    uint64_t now = clock_read(process.clock);
    own->live.tid = process.pid;
    own->live.thread = __atomic_fetch_add(&process.thread_next, 1, __ATOMIC_RELAXED);
    own->dictionary = at_fork.dictionary;
    own->times = at_fork.times;
    own->counts.of_slot = counted_behind(own->dictionary);
    own->shadow = at_fork.shadow;
    own->shadow.hidden_inherited = own->shadow.hidden;
    own->room_units = CHUNK_UNITS;
    own->live.units_max = at_fork.units_max == 0 ? 0 : units_max_of(own);
    own->thread = (struct thread_state){
        .min_ticks = at_fork.thread.min_ticks,
        .enter_max = at_fork.thread.enter_max,
        .exit_max = at_fork.thread.exit_max,
        .start_tick = now,
        .flags_next = FISQL_FLAG_FORKED,
        .ended = at_fork.thread.ended,
        .counted = at_fork.thread.counted,
        .counted_above = at_fork.thread.counted_above,
    };
    chunk_begin(own, now > at_fork.last_tick ? now : at_fork.last_tick, at_fork.depth, 0);
    thread_logs_add(own);
    current_log = own;
    thread_log_facts(own, NULL, NULL);
}

void thread_logs_forget(void)
{
    thread_logs_forked();
    __atomic_store_n(&process.thread_next, 0, __ATOMIC_RELAXED);
    process.options.start_off = true; /* exits of unknown calls will come */
    paused_log = current_log = NULL;
}
