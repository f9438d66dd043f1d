/* The hooks' slow path: see hooks.c. Calls below --depth come here, too, and leave a count. */
#include "collector/core/hooks_slow.h"

#include "collector/core/control.h"
#include "collector/core/counted.h"
#include "collector/core/event.h"
#include "collector/core/feature.h"
#include "collector/core/filter_passes.h"
#include "collector/process/fork.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/sampled.h"
#include "collector/core/shadow_stack.h"
#include "collector/core/thread_choice.h"
#include "collector/core/thread_memory.h"
#include "collector/values/values.h"

/* ---- calls that leave a count ---- */

/* Enters a call deeper than --depth, or than the shadow stack has room: it is not logged. */
static bool enter_hidden(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    if (log->shadow.blind != 0 || calls_open(log) >= log->shadow.depth_max)
        return count_call(log, &(struct pair){function, site}, 0, COUNT_BLIND);
    return count_enter(log, &(struct shadow_call){function, site, stack, 0});
}

/* The common case of entering below --depth. Returns false if anything is unusual. */
static bool enter_deep(uint64_t function, uint64_t site, uint64_t stack)
{
    struct thread_log *log = current_log;
    if (process.options.depth == 0 || log == NULL || log->busy != 0 || collector_inside != 0 ||
        log->thread.counted != NULL)
        return false;
    log->busy = stack;
    BARRIER();
    uint32_t open = calls_open(log);
    if (fisql_word_depth(log->live.word) < log->shadow.depth_logged ||
        open >= log->shadow.depth_max || log->shadow.blind != 0 || log->thread.poke != 0 ||
        process.ending != 0 || stack > log->shadow.calls[open - 1].stack ||
        stack == log->shadow.landing_stack || control_asked()) {
        log_leave(log, 0);
        return false;
    }
    return enter_hidden(log, function, site, stack);
}

/* The common case of leaving a call below --depth. */
static bool exit_deep(uint64_t function, uint64_t stack, bool tail)
{
    struct thread_log *log = current_log;
    if (process.options.depth == 0 || log == NULL || log->busy != 0 || collector_inside != 0 ||
        log->thread.counted != NULL)
        return false;
    log->busy = stack;
    BARRIER();
    const struct shadow_call *call = &log->shadow.calls[(int64_t)calls_open(log) - 1];
    if (log->shadow.hidden == 0 || log->shadow.blind != 0 || log->thread.poke != 0 ||
        process.ending != 0 || log->shadow.throw_depth >= calls_open(log) ||
        call->function != function || stack > (tail ? call[-1].stack : call->stack) ||
        fisql_word_units(log->live.word) > units_max_of(log)) {
        log_leave(log, 0);
        return false;
    }
    return count_leave(log);
}

bool hook_exit_short(struct thread_log *log, uint64_t tick)
{
    const struct shadow_call *call = &log->shadow.calls[fisql_word_depth(log->live.word) - 1];
    return count_call(log, &(struct pair){call->function, call->site}, tick - call->tick,
                      COUNT_LEAF);
}

/* ---- entering ---- */

/* Does --only or --exclude leave the function out? For scopes made by hand, levels decide. */
static bool left_out(uint64_t function)
{
    return process.filtered != 0 && !fisql_is_point(function) && !filter_passes(function);
}

/* tick: of the last event, if the call has no time. */
static void commit_enter(struct thread_log *log, struct event *event,
                         const struct shadow_call *call, uint64_t tick, bool *done)
{
    log->shadow.calls[fisql_word_depth(log->live.word)] = *call;
    uint32_t more = values_arguments_kept(log, event_copy(log, event), call->function, call->stack);
    values_entered(log, 2 + more);
    *done = log_commit_copied(log, event->count + more, WORD_CALL + WORD_DEPTH, tick);
}

/* Calls whose values are wanted, and those that began earlier, have times; and the first one when no
 * event had a time for long. */
static bool enters_timed(struct thread_log *log, uint64_t function, uint64_t site,
                         uint64_t since_tick)
{
    return LIKELY(!sampled()) || since_tick != 0 || values_wanted() ||
           sampled_due(log, pair_find(log, function, site), function, site) ||
           clock_read(CLOCK_SAMPLED) - log_last_tick(log) > log->thread.enter_max;
}

void hook_enter_slow(uint64_t function, uint64_t site, uint64_t stack)
{
    hook_enter_since(function, site, stack, 0);
}

void hook_enter_since(uint64_t function, uint64_t site, uint64_t stack, uint64_t since_tick)
{
    if (UNLIKELY(fork_mark.mine == 0))
        fork_notice();
    if (UNLIKELY(control_asked()))
        control_take();
    thread_choice_entered(function);
    if (current_log == NULL && UNLIKELY(thread_choice_matters()) && collector_inside == 0 &&
        !thread_choice_ask())
        return;
    if (left_out(function))
        return;
    if (enter_deep(function, site, stack) || collector_inside != 0 || !process_active_for_hook() ||
        left_out(function))
        return;
    for (bool done = false; !done;) {
        struct thread_log *log = log_open(stack);
        if (log == NULL)
            return;
        uint32_t gone = shadow_calls_gone(log, function, site, stack);
        if (gone != 0) {
            shadow_unwind(log, gone);
            continue;
        }
        if (log->shadow.throw_depth > calls_open(log))
            log->shadow.throw_depth =
                calls_open(log); /* this call runs while the exception passes */
        if (UNLIKELY(log->thread.counted != NULL) && counted_only(log, function)) {
            done = count_call(log, &(struct pair){function, site}, 0, COUNT_ASKED);
            continue;
        }
        if (UNLIKELY(calls_open(log) >= log->shadow.depth_max) && log->shadow.blind == 0 &&
            memory_deepen(log)) {
            log_leave(log, 0);
            continue;
        }
        if (fisql_word_depth(log->live.word) >= log->shadow.depth_logged ||
            log->shadow.hidden != 0 || log->shadow.blind != 0) {
            done = enter_hidden(log, function, site, stack);
            continue;
        }
        modules_learn(function);
        struct event event = {.count = 0};
        bool timed = enters_timed(log, function, site, since_tick);
        uint64_t tick = since_tick != 0 ? since_tick : clock_read(process.clock), delta = 0;
        if (timed)
            delta = event_put_delta(&event, log, &tick, since_tick == 0, 0xffff);
        else
            tick = log_last_tick(log);
        uint32_t slot = event_put_pair(&event, log, function, site);
        event_put_code(&event, FISQL_CODE_ENTER + slot);
        event_put(&event, delta, 1);
        const struct shadow_call call = {function, site, stack,
                                         timed ? tick : sampled_no_tick(tick)};
        commit_enter(log, &event, &call, tick, &done);
    }
}

/* ---- exiting ---- */

static bool exit_innermost(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    struct event event = {.count = 0};
    if (log->shadow.hidden != 0)
        return count_leave(log);
    bool timed = !sampled() || sampled_is_timed(&log->shadow.calls[calls_open(log) - 1]);
    uint64_t tick = timed ? clock_read(process.clock) : log_last_tick(log), delta = 0;
    if (process.ending == 0 && hook_short_leaf(log, log->live.word, tick))
        return hook_exit_short(log, tick);
    if (timed)
        delta = event_put_delta(&event, log, &tick, true, 0x7fff);
    event_put(&event, delta << 1, 1);
    bool awaits = false;
    uint32_t more = values_result_kept(log, event_copy(log, &event), function, stack, &awaits);
    uint64_t after = word_after(log->live.word - WORD_DEPTH, event.count + more);
    bool done = log_commit_copied(log, event.count + more, 0 - WORD_DEPTH, tick);
    if (done && awaits)
        values_await_kept(log, function, site, stack, after);
    return done;
}

static bool exit_mismatched(struct thread_log *log, uint64_t function, uint64_t site)
{
    if (log->shadow.late != 0 && calls_open(log) == 0)
        return log_leave(log, log->live.word);
    struct event event = {.count = 0};
    uint64_t tick = clock_read(process.clock);
    uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
    event_put_code(&event, FISQL_CODE_MISMATCH);
    event_put(&event, delta, 1);
    event_put(&event, function, 4);
    event_put(&event, site, 4);
    return log_commit(log, &event, 0, tick);
}

/* Is this exit not explained by anything that a sound program does: a jump, an exception, a stack
 * of its own, a late start of recording, calls that are not in the log? True once in a process. */
static bool mismatch_is_strange(struct thread_log *log, uint64_t stack)
{
    static uint32_t told;
    uint32_t open = calls_open(log);
    if (open == 0 || log->shadow.late != 0 || log->shadow.hidden != 0 ||
        log->shadow.throw_depth != 0 || log->shadow.landing_stack != 0)
        return false;
    stack_ask(&log->shadow.bounds);
    const struct stack_bounds *bounds = &log->shadow.bounds;
    bool own = stack >= bounds->low && stack < bounds->high;
    for (uint32_t i = 0; i < open; i++)
        own &=
            log->shadow.calls[i].stack >= bounds->low && log->shadow.calls[i].stack < bounds->high;
    return own && __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) == 0;
}

void hook_exit_slow(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    if (UNLIKELY(fork_mark.mine == 0))
        fork_notice();
    if (left_out(function))
        return;
    if (exit_deep(function, stack, tail) || collector_inside != 0 || current_log == NULL ||
        !process_active())
        return;
    for (bool done = false; !done;) {
        struct thread_log *log = log_open(stack);
        if (log == NULL)
            return;
        if (UNLIKELY(log->thread.counted != NULL) && counted_only(log, function)) {
            log_leave(log, 0);
            return;
        }
        if (log->shadow.blind != 0) {
            done = count_leave_blind(log);
            continue;
        }
        int64_t target = shadow_exit_target(log, function, site, stack, tail);
        uint32_t open = calls_open(log);
        if (target < 0) {
            bool strange = mismatch_is_strange(log, stack);
            done = exit_mismatched(log, function, site);
            if (done && strange)
                FEATURES_CALL(mismatch)(function, site, stack);
        } else if ((uint32_t)target + 1 < open) {
            shadow_unwind(log, open - 1 - (uint32_t)target);
        } else if (log->shadow.throw_depth >= open) {
            done = shadow_unwind(log, 1);
        } else {
            done = exit_innermost(log, function, site, stack);
        }
    }
}
