/* The hooks' fast path, inlined into the hooks (hooks.c) and into those of patched functions
 * (collector/patch/patch_fast.c). */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_FAST_H
#define FISQL_COLLECTOR_CORE_HOOKS_FAST_H

#include "collector/core/thread_choice.h"
#include "collector/core/control.h"
#include "collector/core/counted.h"
#include "collector/core/event.h"
#include "collector/core/filter.h"
#include "collector/core/fork_mark.h"
#include "collector/core/hook_sample.h"
#include "collector/core/hooks_slow.h"
#include "collector/core/modules.h"
#include "collector/values/values_hook.h"

#include <string.h>

/* Inlined into the hooks and into their samples, which have their own limit. */
#define FAST static inline __attribute__((always_inline))

/* Does nothing rule out the fast path so far? Filtered functions do. */
FAST bool log_ready(const struct thread_log *log)
{
    return LIKELY((log->busy | log->shadow.hidden) + 1 == fork_mark.mine);
}

/* The calling thread's log if nothing does except a filter; else NULL. */
FAST struct thread_log *log_free(void)
{
    struct thread_log *log = current_log;
    return log == NULL || (log->busy | log->shadow.hidden) != 0 || fork_mark.mine == 0 ? NULL : log;
}

/* What to do without log_ready(), decided with few instructions: much may be unrecorded. */
enum unready {
    UNREADY_OFF,     /* recording is off for this thread, or the function is left out */
    UNREADY_FAST,    /* nothing rules out the fast path */
    UNREADY_COUNTED, /* the function's calls are only counted, unless one is open (counted.h) */
    UNREADY_SLOW
};

/* Do one or two loads show that there is nothing to do? */
FAST bool nothing_to_do(const struct thread_log *log, uint64_t function)
{
    if (UNLIKELY(fork_mark.off != 0) && log == NULL)
        return true;
    if (log == NULL && thread_choice.function != 0 && thread_choice_skips())
        return true;
    return LIKELY(*filter_noted_set(function) == function);
}

/* The same for an entry, which also sees what `fisql control` asks; one hook of two suffices. */
FAST bool nothing_to_enter(const struct thread_log *log, uint64_t function)
{
    return nothing_to_do(log, function) && LIKELY(!control_asked());
}

/* Does the filter of the function's module leave it out? Then its hooks need not ask again. */
FAST bool leaves_out(const struct filter *filter, uint64_t function)
{
    if (filter_noted_set(function)[1] == function)
        return true;
    if (filter_answer(filter, function))
        return false;
    filter_note(filter, function);
    return true;
}

FAST bool is_counted(const struct thread_log *log, uint64_t function)
{
    return log != NULL && log->thread.counted != NULL && counted_has(log->thread.counted, function);
}

/* Is the function's call only counted, with nothing else to look at? */
FAST bool counts_alone(const struct thread_log *log, uint64_t function)
{
    return log != NULL && log->thread.counted != NULL && log->thread.counted_above == 0 &&
           fork_mark.mine == FORK_MARK_FILTERED && counted_has(log->thread.counted, function) &&
           !control_asked();
}

FAST enum unready unready(uint64_t function)
{
    if (fork_mark.mine == FORK_MARK_FILTERED) {
        const struct filter *filter = filter_last;
        if (UNLIKELY(function - filter->start >= filter->size))
            return UNREADY_SLOW;
        if (leaves_out(filter, function))
            return control_asked() ? UNREADY_SLOW : UNREADY_OFF;
        if (is_counted(current_log, function))
            return control_asked() ? UNREADY_SLOW : UNREADY_COUNTED;
    }
    if (LIKELY(current_log == NULL))
        return fork_mark.mine != 0 && __atomic_load_n(&process.paused, __ATOMIC_RELAXED) != 0 &&
                       !control_asked()
                   ? UNREADY_OFF
                   : UNREADY_SLOW;
    return log_free() != NULL ? UNREADY_FAST : UNREADY_SLOW;
}

/* The chunk's units beyond which the slow path is taken. */
FAST uint32_t limit_of(const struct thread_log *log, bool sample)
{
    return sample ? units_max_of(log) : log->live.units_max;
}

/* Defines the pair of a call that the fast path gave up, if that may be all it lacked: then it is
 * worth another try. Of a large program's calls, many are the first of their pair in a chunk. */
FAST bool learn_pair(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    if (UNLIKELY(log != current_log || module_of(function) == NULL))
        return false; /* abandoned, or a new module */
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t slot = pair_find(log, function, site);
    if (pair_is(log, slot, function, site) || fisql_word_units(word) > log->live.units_max) {
        log_leave(log, 0);
        return false;
    }
    uint64_t after = word + pair_define(log, log_units(log, word), slot, function, site);
    log->other_units = fisql_word_units(after);
    BARRIER();
    log->live.word = after;
    return log_leave(log, after);
}

/* Writes the event of a call entered at `tick`, with its arguments if there is a recipe (0 = none).
 * Any call above `stack_max` is gone. Returns false if the slow path has to. */
FAST bool enter_below(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                      uint64_t stack_max, uint64_t tick, bool sample, uint64_t recipe)
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
                 fisql_word_units(word) > limit_of(log, sample) || stack_max > call[-1].stack ||
                 stack == log->shadow.landing_stack || depth >= log->shadow.depth_logged)) {
        log_leave(log, 0);
        return false;
    }
    uint32_t event = (FISQL_CODE_ENTER + slot) << 1 | 1u | (uint32_t)delta << 16;
    memcpy(log_units(log, word), &event, sizeof event);
    uint32_t units = 2;
    call->function = function;
    call->site = site;
    call->stack = stack;
    call->tick = tick;
    if (recipe != 0)
        units += values_arguments(log, log_units(log, word) + 2, recipe, function, stack);
    log->live.last_tick[toggle ^ 1] = tick;
    values_entered(log, units);
    uint64_t after = word_after(word + WORD_CALL + WORD_DEPTH, units);
    BARRIER();
    log->live.word = after;
    if (sample)
        hook_sample_add(log, clock_read(process.clock) - tick, true);
    return LIKELY(log_leave(log, after));
}

FAST bool enter_fast(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                     uint64_t tick, bool sample, uint64_t recipe)
{
    return enter_below(log, function, site, stack, stack, tick, sample, recipe);
}

/* Writes the event of a call that ends, as enter_fast(). */
FAST bool exit_fast(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                    bool tail, uint64_t tick, bool sample, bool short_too, uint64_t recipe)
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
    if (UNLIKELY(tick - call->tick < log->thread.min_ticks) && hook_short_leaf(log, word, tick)) {
        if (short_too)
            return hook_exit_short(log, tick);
        log_leave(log, 0);
        return false;
    }
    *log_units(log, word) = (uint16_t)(delta << 1);
    uint32_t units = 1;
    bool awaits = false;
    if (recipe != 0)
        units += values_result(log, log_units(log, word) + 1, recipe, function, stack, &awaits);
    log->live.last_tick[toggle ^ 1] = tick;
    uint64_t after = word_after(word - WORD_DEPTH, units);
    BARRIER();
    log->live.word = after;
    if (awaits)
        values_await(log, recipe, function, site, stack, after);
    if (sample)
        hook_sample_add(log, clock_read(process.clock) - tick, false);
    return LIKELY(log_leave(log, after));
}

#endif
