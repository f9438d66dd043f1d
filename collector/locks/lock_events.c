/* The collector's side of libfisql-locks.so: see lock_events.h. */
#include "collector/locks/lock_events.h"

#include "collector/core/event.h"
#include "collector/core/facts.h"
#include "collector/core/quiet.h"
#include "collector/core/silent.h"

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

uint64_t fisql_lock_second(void)
{
    return process.ticks_per_us != 0 ? process.ticks_per_us * (uint64_t)1000000 : 1000000000;
}

bool fisql_lock_record(const struct fisql_lock_record *record)
{
    const unsigned char *bytes = (const unsigned char *)record;
    size_t count = sizeof *record;
    if (!process_active() || __atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0)
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
