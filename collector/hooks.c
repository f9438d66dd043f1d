/*
 * The hooks that -finstrument-functions calls: enter and exit.
 *
 * This is the fast path. It writes one event and one shadow-stack entry, and takes the slow path
 * (hooks_slow.c) when anything is out of the ordinary: no log yet, a hook already at work in this
 * thread (a signal handler), the pair not in the dictionary, a long delta, a full chunk, or a call
 * stack that does not fit (shadow_stack.h). Now and then a hook measures what it costs itself: see
 * hook_sample.h.
 */
#include "collector/hooks.h"

#include "collector/event.h"
#include "collector/fork.h"
#include "collector/hook_sample.h"
#include "collector/hooks_slow.h"

#include <string.h>

/* Inlined into the hooks, and into their samples, which have a limit of their own. */
#define FAST static inline __attribute__((always_inline))

/* The log in which nothing stands against the fast path so far; NULL if there is none. */
FAST struct thread_log *log_ready(void)
{
    struct thread_log *log = current_log;
    return UNLIKELY(log == NULL || (log->busy | log->shadow.hidden) + 1 != fork_mark.mine) ? NULL
                                                                                           : log;
}

/* Up to which units of the chunk it may go on. */
FAST uint32_t limit_of(const struct thread_log *log, bool sample)
{
    return sample ? units_max_of(log) : log->thread.units_max;
}

/* Writes the event of a call entered at `tick`. Returns false if the slow path has to. */
FAST bool enter_fast(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                     uint64_t tick, bool sample)
{
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t toggle = fisql_word_toggle(word);
    uint32_t depth = fisql_word_depth(word);
    uint64_t delta = tick - log->live.last_tick[toggle];
    uint32_t slot = pair_slot(function, site);
    struct shadow_call *call = &log->shadow.calls[depth];
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        slot ^= 1;
    if (UNLIKELY(delta > log->thread.enter_max || !pair_is(log, slot, function, site) ||
                 fisql_word_units(word) > limit_of(log, sample) || stack > call[-1].stack ||
                 stack == log->shadow.landing_stack || depth >= log->shadow.depth_logged)) {
        log_leave(log, 0);
        return false;
    }
    uint32_t event = (FISQL_CODE_ENTER + slot) << 1 | 1u | (uint32_t)delta << 16;
    memcpy(log_units(log, word), &event, sizeof event);
    call->function = function;
    call->site = site;
    call->stack = stack;
    call->tick = tick;
    log->live.last_tick[toggle ^ 1] = tick;
    uint64_t after = word_after(word + WORD_CALL + WORD_DEPTH, 2);
    BARRIER();
    log->live.word = after;
    if (sample)
        hook_sample_add(log, clock_read(process.clock) - tick, true);
    return LIKELY(log_leave(log, after));
}

static __attribute__((noinline)) void enter_other(uint64_t function, uint64_t site, uint64_t stack,
                                                  uint64_t tick)
{
    struct thread_log *log = log_ready();
    if (log == NULL || !hook_sample_due(log) || !enter_fast(log, function, site, stack, tick, true))
        hook_enter_slow(function, site, stack);
}

EXPORT void __cyg_profile_func_enter(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
    struct thread_log *log = log_ready();
    if (UNLIKELY(log == NULL)) {
        hook_enter_slow(function, site, stack);
        return;
    }
    uint64_t tick = clock_read(process.clock);
    if (UNLIKELY(!enter_fast(log, function, site, stack, tick, false)))
        enter_other(function, site, stack, tick);
}

/* Likewise for a call that is left. */
FAST bool exit_fast(struct thread_log *log, uint64_t function, uint64_t stack, bool tail,
                    uint64_t tick, bool sample)
{
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t toggle = fisql_word_toggle(word);
    uint64_t delta = tick - log->live.last_tick[toggle];
    const struct shadow_call *call = &log->shadow.calls[(int64_t)fisql_word_depth(word) - 1];
    uint64_t highest = tail ? call[-1].stack : call->stack;
    if (UNLIKELY(delta > log->thread.exit_max || call->function != function || stack > highest ||
                 fisql_word_units(word) > limit_of(log, sample))) {
        log_leave(log, 0);
        return false;
    }
    if (UNLIKELY(tick - call->tick < log->thread.min_ticks) && hook_short_leaf(log, word, tick))
        return hook_exit_short(log, tick);
    *log_units(log, word) = (uint16_t)(delta << 1);
    log->live.last_tick[toggle ^ 1] = tick;
    uint64_t after = word_after(word - WORD_DEPTH, 1);
    BARRIER();
    log->live.word = after;
    if (sample)
        hook_sample_add(log, clock_read(process.clock) - tick, false);
    return LIKELY(log_leave(log, after));
}

static __attribute__((noinline)) void exit_other(uint64_t function, uint64_t site, uint64_t stack,
                                                 bool tail, uint64_t tick)
{
    struct thread_log *log = log_ready();
    if (log == NULL || !hook_sample_due(log) || !exit_fast(log, function, stack, tail, tick, true))
        hook_exit_slow(function, site, stack, tail);
}

EXPORT void __cyg_profile_func_exit(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
    bool tail = __builtin_return_address(0) == site_address;
    struct thread_log *log = log_ready();
    if (UNLIKELY(log == NULL)) {
        hook_exit_slow(function, site, stack, tail);
        return;
    }
    uint64_t tick = clock_read(process.clock);
    if (UNLIKELY(!exit_fast(log, function, stack, tail, tick, false)))
        exit_other(function, site, stack, tail, tick);
}
