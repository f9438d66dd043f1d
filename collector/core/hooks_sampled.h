/* The hooks' fast path with --time sampled (sampled.h): like that of hooks_fast.h. Without a time, an
 * event leaves the last tick as it is, so the log's word keeps its toggle. */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_SAMPLED_H
#define FISQL_COLLECTOR_CORE_HOOKS_SAMPLED_H

#include "collector/core/hooks_fast.h"
#include "collector/core/sampled.h"

/* Writes the event of a call without a time, and the call at its place on the shadow stack. The log
 * is busy. Returns as log_leave(). */
FAST bool put_untimed(struct thread_log *log, uint64_t word, uint32_t slot,
                      struct shadow_call *place, const struct shadow_call *call)
{
    uint32_t event = (FISQL_CODE_ENTER + slot) << 1 | 1u;
    memcpy(log_units(log, word), &event, sizeof event);
    *place = *call;
    values_entered(log, 2);
    uint64_t after = word + WORD_CALL + WORD_DEPTH + 2;
    BARRIER();
    log->live.word = after;
    return LIKELY(log_leave(log, after));
}

FAST bool enter_untimed(struct thread_log *log, uint32_t slot, uint64_t function, uint64_t site,
                        uint64_t stack, uint64_t stack_max)
{
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t depth = fisql_word_depth(word);
    struct shadow_call *place = &log->shadow.calls[depth];
    if (UNLIKELY(!pair_is(log, slot, function, site) ||
                 fisql_word_units(word) > log->live.units_max || stack_max > place[-1].stack ||
                 stack == log->shadow.landing_stack || depth >= log->shadow.depth_logged)) {
        log_leave(log, 0);
        return false;
    }
    const struct shadow_call call = {function, site, stack,
                                     sampled_no_tick(log->live.last_tick[fisql_word_toggle(word)])};
    return put_untimed(log, word, slot, place, &call);
}

/* The usual case of a call without a time, with so few registers that the hook saves one. some: other
 * calls have a time. Returns false, and has done nothing, where it is not the usual case. */
FAST bool enter_usual(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                      bool some)
{
    log->busy = stack;
    BARRIER();
    uint32_t slot = pair_slot(function, site);
    bool known = pair_is_at_once(log, slot, function, site);
    if (UNLIKELY(!known)) {
        slot ^= 1;
        known = pair_is(log, slot, function, site);
    }
    uint64_t word = log->live.word;
    uint32_t depth = fisql_word_depth(word);
    struct shadow_call *place = &log->shadow.calls[depth];
    struct call_time *time = NULL;
    uint64_t epoch = clock_epoch;
    if (UNLIKELY(
            !known || fisql_word_units(word) > log->live.units_max || stack > place[-1].stack ||
            stack == log->shadow.landing_stack || depth >= log->shadow.depth_logged ||
            (some ? (time = &log->times[slot])->left <= 1 : log->live.last_tick[0] != epoch))) {
        log_leave(log, 0);
        return false;
    }
    if (some)
        time->left--;
    const struct shadow_call call = {
        function, site, stack,
        some ? sampled_no_tick(log->live.last_tick[fisql_word_toggle(word)]) : epoch};
    return put_untimed(log, word, slot, place, &call);
}

/* Returns as enter_below(). */
FAST bool enter_sampled(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                        uint64_t stack_max)
{
    uint32_t slot = pair_slot(function, site);
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        slot ^= 1;
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        return false;
    if (LIKELY(!sampled_due(log, slot, function, site)))
        return enter_untimed(log, slot, function, site, stack, stack_max);
    return enter_below(log, function, site, stack, stack_max, clock_read(CLOCK_SAMPLED), false, 0);
}

FAST bool exit_untimed(struct thread_log *log, uint64_t function, uint64_t stack, bool tail,
                       bool some)
{
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    const struct shadow_call *call = &log->shadow.calls[(int64_t)fisql_word_depth(word) - 1];
    if (UNLIKELY((some ? sampled_is_timed(call) : log->live.last_tick[0] != clock_epoch) ||
                 call->function != function || stack > (tail ? call[-1].stack : call->stack) ||
                 fisql_word_units(word) > log->live.units_max)) {
        log_leave(log, 0);
        return false;
    }
    *log_units(log, word) = 0;
    uint64_t after = word - WORD_DEPTH + 1;
    BARRIER();
    log->live.word = after;
    return LIKELY(log_leave(log, after));
}

/* Returns as exit_fast(). */
FAST bool exit_sampled(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                       bool tail, uint64_t recipe)
{
    const struct shadow_call *call =
        &log->shadow.calls[(int64_t)fisql_word_depth(log->live.word) - 1];
    uint64_t entered = call->tick, of_site = call->site;
    if (LIKELY(!sampled_is_timed(call) && recipe == 0))
        return exit_untimed(log, function, stack, tail, true);
    uint64_t tick = clock_read(CLOCK_SAMPLED);
    if (!exit_fast(log, function, site, stack, tail, tick, false, false, recipe))
        return false;
    if ((entered & 1) != 0)
        sampled_took(log, function, of_site, tick - entered);
    return true;
}

#endif
