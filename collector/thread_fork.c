/*
 * The calling thread's log across fork. The live area is shared: the child goes on in a slot of its
 * own, from where its parent's log was when it forked.
 */
#include "collector/thread_fork.h"

#include "collector/chunk.h"
#include "collector/live_area.h"
#include "collector/process.h"

#include <sys/mman.h>

/* The log's head as it was before fork: in the child, the parent's log is already being written by
 * the parent, which does not wait. */
static THREAD_LOCAL struct thread_log at_fork;
static THREAD_LOCAL bool had_log;
/* The thread's logs in which a hook is interrupted. */
static THREAD_LOCAL struct thread_log *interrupted[8];
static THREAD_LOCAL uint32_t interrupted_count;

void thread_log_forking(void)
{
    if (current_log != NULL && current_log->busy != 0)
        thread_log_nested(current_log); /* a handler forks in the middle of a hook */
    had_log = current_log != NULL;
    if (!had_log)
        return;
    at_fork = *current_log;
    interrupted_count =
        thread_logs_interrupted(interrupted, sizeof interrupted / sizeof interrupted[0]);
}

/* Hooks that a handler interrupted, and forked, go on in the child too: what they store there must
 * not reach the parent's memory. */
static void interrupted_detach(void)
{
    for (uint32_t i = 0; i < interrupted_count; i++) {
        struct thread_log *log = interrupted[i], copy = *log;
        copy.abandoned = 1; /* the parent may use it again by now */
        if (mmap(log, FISQL_LIVE_SLOT_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
            *log = copy;
    }
}

void thread_log_forked(void)
{
    const struct thread_log *log = &at_fork;
    thread_logs_forked();
    __atomic_store_n(&process.thread_next, 0, __ATOMIC_RELAXED);
    if (paused_log != NULL)
        process.options.start_off = true; /* calls are open that the child's log will not know */
    paused_log = NULL;
    if (!had_log)
        return;
    interrupted_detach();
    struct thread_log *own = slot_take();
    if (own == NULL) {
        current_log = NULL;
        return;
    }
    struct fisql_chunk *chunk = own->chunk;
    uint32_t in_area = own->in_area, unslotted = own->unslotted;
    uint64_t last = log_last_tick(log);
    uint32_t depth = fisql_word_depth(log->live.word);
    struct thread_log head = *log; /* not yet ours to fisql record, and never again the parent's */
    head.live.state = FISQL_SLOT_TAKEN;
    head.live.pid = 0;
    *own = head;
    live_slot_own(own);
    own->live.tid = process.pid;
    own->live.thread = __atomic_fetch_add(&process.thread_next, 1, __ATOMIC_RELAXED);
    own->live.first_call = 0;
    own->chunk = chunk;
    own->in_area = in_area;
    own->unslotted = unslotted;
    own->sequence = 0;
    own->busy = 0;
    own->poke = 0;
    own->abandoned = 0;
    own->undone = own->undo.active = 0;
    own->hidden_inherited = own->hidden;
    own->ring = NULL;
    own->ring_next = 0;
    own->flags_next = FISQL_FLAG_FORKED;
    own->start_tick = clock_read(process.clock);
    own->room_units = CHUNK_UNITS;
    own->units_max = own->units_max == 0 ? 0 : units_max_of(own);
    chunk_begin(own, own->start_tick > last ? own->start_tick : last, depth, 0);
    thread_logs_add(own);
    current_log = own;
    thread_log_facts(own, NULL);
}

void thread_logs_forget(void)
{
    thread_logs_forked();
    __atomic_store_n(&process.thread_next, 0, __ATOMIC_RELAXED);
    process.options.start_off = true; /* exits of calls come that the log does not know */
    paused_log = current_log = NULL;
}
