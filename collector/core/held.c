/* What the recorder takes: see held.h. */
#include "collector/core/held.h"

#include "collector/core/event.h"
#include "collector/core/shadow_stack.h"
#include "collector/core/silent.h"
#include "collector/core/usage.h"

#include <errno.h>

#define HELD_US_MIN 2u /* less is not worth a record */

/* Of `ticks` the thread was on the processor for `ran`. */
static void put(uint64_t ticks, uint64_t ran)
{
    struct event event;
    struct thread_log *log;
    do {
        log = log_open(FRAME_ADDRESS());
        if (log == NULL)
            return;
        event.count = 0;
        event_put_code(&event, FISQL_CODE_HELD);
        event_put(&event, ran | FISQL_HELD_RAN, 4);
        if (ran < ticks) {
            event_put_code(&event, FISQL_CODE_HELD);
            event_put(&event, ticks - ran, 4);
        }
    } while (!log_commit(log, &event, 0, log_last_tick(log)));
}

void held_begin(struct held *held, bool with_cpu)
{
    int error = errno; /* the clock's system call may be refused */
    *held = (struct held){.tick = clock_read(process.clock)};
    if (with_cpu && process.gap_ticks != UINT64_MAX && !silent() && !usage_cpu_of(0, &held->cpu_ns))
        held->cpu_ns = 0;
    errno = error;
}

/* Of `ticks` since then, those on the processor; all, if it was not read. */
static uint64_t ran_since(uint64_t cpu_ns, uint64_t ticks)
{
    uint64_t now_ns;
    if (cpu_ns == 0 || !usage_cpu_of(0, &now_ns))
        return ticks;
    uint64_t ran = usage_ticks(process.gap_ticks, now_ns - cpu_ns);
    return ran < ticks ? ran : ticks;
}

static uint64_t ticks_min(void)
{
    return process.ticks_per_us != 0 ? HELD_US_MIN * process.ticks_per_us : HELD_US_MIN * 1000u;
}

bool held_end(const struct held *held, bool record)
{
    int error = errno;
    uint64_t ticks = clock_read(process.clock) - held->tick;
    bool is_long = process.clock != CLOCK_SWITCHED_OFF && ticks >= ticks_min();
    if (is_long && record && current_log != NULL)
        put(ticks, ran_since(held->cpu_ns, ticks));
    errno = error;
    return is_long;
}
