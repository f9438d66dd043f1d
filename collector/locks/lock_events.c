/* The collector's side of libfisql-locks.so: see lock_events.h. */
#include "collector/locks/lock_events.h"

#include "collector/core/event.h"
#include "collector/core/facts.h"
#include "collector/core/quiet.h"
#include "collector/core/silent.h"
#include "collector/core/thread_log.h"

const struct lock_watch *lock_watch;
static uint32_t lost; /* atomic: the log says so */

uint32_t fisql_lock_mode(const struct lock_watch *watch)
{
    if (silent() || !process_active() || process.options.locks == 0)
        return 0;
    __atomic_store_n(&lock_watch, watch, __ATOMIC_RELEASE);
    return process.options.locks;
}

struct fisql_live_slot *fisql_lock_now(uint64_t *tick)
{
    struct thread_log *log = current_log;
    *tick = clock_read(process.clock);
    return log != NULL ? &log->live : NULL;
}

/* The shadow stack is the thread's own, and whole between two instructions: a handler that
 * interrupts a hook finds what its own log continues. */
void fisql_lock_stack(struct fisql_live_stack *stack)
{
    const struct thread_log *log = current_log;
    stack->depth = stack->count = 0;
    if (log == NULL || log->shadow.calls == NULL)
        return;
    stack->depth = calls_open(log) + log->shadow.blind;
    if (log->shadow.blind != 0 || stack->depth > log->shadow.depth_max)
        return; /* it has no room for the innermost calls */
    while (stack->count < FISQL_LIVE_FRAMES_MAX && stack->count < stack->depth) {
        const struct shadow_call *call = &log->shadow.calls[stack->depth - 1 - stack->count];
        stack->frames[stack->count++] = (struct fisql_live_frame){call->function, call->site};
    }
}

uint64_t fisql_lock_second(void)
{
    return process.ticks_per_us != 0 ? process.ticks_per_us * (uint64_t)1000000 : 1000000000;
}

bool fisql_lock_record(const struct fisql_lock_record *record)
{
    const unsigned char *bytes = (const unsigned char *)record;
    size_t count = sizeof *record;
    if (collector_inside != 0 || !process_active() ||
        __atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0)
        return false;
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    log_record_bytes(FISQL_CODE_LOCK, bytes, count);
    return true;
}

/* At once, because a process that fails may not reach its end. */
void fisql_lock_lost(void)
{
    unsigned char buffer[512];
    struct quiet quiet;
    struct facts facts;
    if (silent() || !process_active() || __atomic_exchange_n(&lost, 1, __ATOMIC_RELAXED) != 0)
        return;
    quiet_begin(&quiet);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, process.pid);
    facts_text(&facts, FISQL_FACT_LOSS_REASON, "locks not recorded");
    facts_text(
        &facts, FISQL_FACT_LOSS_DETAIL,
        "some or all: there was no memory for them; allow the program more (ulimit -d, ulimit -v)");
    facts_write(&facts);
    quiet_end(&quiet);
}

static void forked(void)
{
    lost = 0;
}

static void ending(void)
{
    const struct lock_watch *watch = __atomic_load_n(&lock_watch, __ATOMIC_ACQUIRE);
    if (watch != NULL)
        watch->ending();
}

const struct feature locks_feature = {.forked = forked, .ending = ending};
