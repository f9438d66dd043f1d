/* What the fast and the slow hooks of patched functions share. */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_PARTS_H
#define FISQL_COLLECTOR_PATCH_PATCH_PARTS_H

#include "collector/core/hooks_sampled.h"
#include "collector/core/shadow_stack.h"
#include "collector/core/watch.h"

/* Nothing open has the slot of a call that begins: it has a return address of its own. */
FAST bool enter_slot(struct thread_log *log, uint64_t function, uint64_t site, uint64_t slot,
                     uint64_t tick, bool sample)
{
    return enter_below(log, function, site, slot, slot + 1, tick, sample, 0);
}

/* The same, and the exit, by the clock that the process has; the system's takes a call. */
FAST bool enter_slot_now(struct thread_log *log, uint64_t function, uint64_t site, uint64_t slot)
{
    enum clock_kind clock = process.clock;
    return clock == CLOCK_SAMPLED ? enter_sampled(log, function, site, slot, slot + 1)
                                  : enter_slot(log, function, site, slot, clock_read(clock), false);
}

FAST bool exit_slot_now(struct thread_log *log, const struct shadow_call *call, uint64_t slot)
{
    enum clock_kind clock = process.clock;
    return clock == CLOCK_SAMPLED ? exit_sampled(log, call->function, call->site, slot, false, 0)
                                  : exit_fast(log, call->function, call->site, slot, false,
                                              clock_read(clock), false, false, 0);
}

/* Would log_ready() hold if the process had no callbacks, and has the function none? Else each call
 * of a patched function would save all registers while there is a callback. */
FAST bool log_ready_unwatched(const struct thread_log *log, uint64_t function)
{
    return fork_mark.mine == FORK_MARK_WATCHED && (log->busy | log->shadow.hidden) == 0 &&
           collector_inside == 0 && watch_callbacks(function) == 0;
}

FAST uint64_t word_at(uint64_t address)
{
    return *(const volatile uint64_t *)address;
}

/* Volatile: gcc 14 takes stores beside its own frame for dead. */
FAST void word_put(uint64_t address, uint64_t word)
{
    *(volatile uint64_t *)address = word;
}

/* The innermost call. */
FAST const struct shadow_call *call_top(const struct thread_log *log)
{
    return &log->shadow.calls[(int64_t)fisql_word_depth(log->live.word) - 1];
}

#endif
