/*
 * The hooks that -finstrument-functions calls: enter and exit.
 *
 * The fast path writes one event and one shadow-stack entry, and takes the slow path when anything
 * is out of the ordinary: no log yet, a hook already at work in this thread (a signal handler), the
 * pair not in the dictionary, a long delta, a full chunk, or a call stack that does not fit.
 *
 * How the shadow stack is checked. Each entry holds the address of the hook's frame when the
 * function was entered. Stacks grow down, so a function that enters above the innermost open call
 * proves that this call is gone (longjmp, an exception that ran no exit hook), and an exit must
 * come from the frame it entered in: at or below its address, or, where the compiler made the exit
 * hook a tail call (the hook then returns to the function's own return address), below its
 * caller's. Inlined functions share their caller's frame, so equal addresses prove nothing; but
 * where a longjmp or a catch has landed in that frame, a function that is entered there again while
 * it seems open there was left by the jump.
 */
#include "collector/event.h"

#include <string.h>

__thread struct thread_log *current_log __attribute__((tls_model("initial-exec")));
__thread int collector_inside __attribute__((tls_model("initial-exec")));

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* ---- calls that leave a count ---- */

/* A call that is not logged: one deeper than --depth, or deeper than the shadow stack has room. */
static bool enter_hidden(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    if (log->blind != 0 || calls_open(log) >= log->depth_max)
        return count_call(log, &(struct pair){function, site}, 0, COUNT_BLIND);
    return count_enter(log, &(struct shadow_call){function, site, stack, 0});
}

/* The common case of entering below --depth. Returns false if anything is out of the ordinary. */
static bool enter_deep(uint64_t function, uint64_t site, uint64_t stack)
{
    struct thread_log *log = current_log;
    if (process.options.depth == 0 || log == NULL || log->busy != 0 || collector_inside != 0)
        return false;
    log->busy = stack;
    BARRIER();
    uint32_t open = calls_open(log);
    if (fisql_word_depth(log->live.word) < log->depth_logged || open >= log->depth_max ||
        log->blind != 0 || log->poke != 0 || process.ending != 0 ||
        stack > log->shadow[open - 1].stack || stack == log->landing_stack) {
        log_leave(log, 0);
        return false;
    }
    return enter_hidden(log, function, site, stack);
}

/* The common case of leaving a call below --depth. */
static bool exit_deep(uint64_t function, uint64_t stack, bool tail)
{
    struct thread_log *log = current_log;
    if (process.options.depth == 0 || log == NULL || log->busy != 0 || collector_inside != 0)
        return false;
    log->busy = stack;
    BARRIER();
    const struct shadow_call *call = &log->shadow[(int64_t)calls_open(log) - 1];
    if (log->hidden == 0 || log->blind != 0 || log->poke != 0 || process.ending != 0 ||
        log->throw_depth >= calls_open(log) || call->function != function ||
        stack > (tail ? call[-1].stack : call->stack) ||
        fisql_word_units(log->live.word) > units_max_of(log)) {
        log_leave(log, 0);
        return false;
    }
    return count_leave(log);
}

/* Is the innermost call, whose exit is at `tick`, a leaf shorter than --min-duration? Its enter is
 * then the last event. */
static inline bool is_short_leaf(struct thread_log *log, uint64_t word, uint64_t tick)
{
    const struct shadow_call *call = &log->shadow[(int64_t)fisql_word_depth(word) - 1];
    uint32_t units = fisql_word_units(word);
    if (tick - call->tick >= log->min_ticks || units < log->min_units + 2 ||
        units == log->other_units || log->live.last_tick[fisql_word_toggle(word)] != call->tick)
        return false;
    uint32_t code = log_units(log, units - 2)[0];
    uint32_t slot = (code >> 1) - FISQL_CODE_ENTER;
    return (code & 1) != 0 && slot < DICTIONARY_ENTRIES &&
           pair_is(log, slot, call->function, call->site);
}

static __attribute__((noinline)) bool exit_short(struct thread_log *log, uint64_t tick)
{
    const struct shadow_call *call = &log->shadow[fisql_word_depth(log->live.word) - 1];
    return count_call(log, &(struct pair){call->function, call->site}, tick - call->tick,
                      COUNT_LEAF);
}

/* ---- unwinding ---- */

/* Ends the innermost `calls` calls at once, or some of them: the caller looks again. The log is
 * busy before and not after. */
static bool unwind(struct thread_log *log, uint32_t calls)
{
    if (log->hidden > 0)
        return count_leave(log);
    struct event event = {.count = 0};
    uint64_t tick = clock_read(process.clock);
    uint64_t delta = event_put_time(&event, log_delta(log, log->live.word, &tick), 0xffff);
    event_put_code(&event, FISQL_CODE_UNWIND);
    event_put(&event, delta, 1);
    event_put(&event, calls, 2);
    return log_commit(log, &event, 0 - (uint64_t)calls * WORD_DEPTH, tick);
}

/* Calls of the frame in which a jump landed, down to the one that is entered there anew. */
static uint32_t calls_jumped(const struct thread_log *log, uint64_t function, uint64_t stack)
{
    uint32_t open = calls_open(log);
    for (uint32_t i = open; i-- > 1 && log->shadow[i].stack <= stack;)
        if (log->shadow[i].stack == stack && log->shadow[i].function == function &&
            log->shadow[i - 1].stack == stack)
            return open - i;
    return 0;
}

/* How many of the innermost calls are proven gone by a function that enters at `stack`? */
static uint32_t calls_gone(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    uint32_t open = calls_open(log);
    uint32_t gone = 0;
    if (stack == log->landing_stack)
        return calls_jumped(log, function, stack);
    if (stack > log->landing_stack)
        log->landing_stack = 0;
    while (gone < open) {
        const struct shadow_call *call = &log->shadow[open - 1 - gone];
        bool sibling = log->throw_depth != 0 && stack == call->stack && site != call->site;
        if (stack <= call->stack && !sibling)
            break;
        if (!stack_is_one(log, stack, call->stack))
            break;
        gone++;
    }
    return gone;
}

void record_unwind_to(uint64_t stack, uint64_t own_stack)
{
    if (current_log == NULL)
        return;
    for (;;) {
        struct thread_log *log = log_open(own_stack);
        if (log == NULL)
            return;
        log->throw_depth = 0;
        log->landing_stack = stack;
        uint32_t open = calls_open(log);
        uint32_t gone = 0;
        bool left_stack = own_stack > stack; /* we stand on another stack than the target's */
        while (gone < open) {
            uint64_t entered = log->shadow[open - 1 - gone].stack;
            if (entered >= stack &&
                !(left_stack && entered > stack && entered <= own_stack + 65536 &&
                  !stack_is_one(log, entered, stack)))
                break;
            gone++;
        }
        log->blind = 0;
        if (gone == 0) {
            /* Else what was just set was set in a log that is not the thread's any more. */
            bool ours = log->abandoned == 0;
            log_leave(log, 0);
            if (ours)
                return;
            continue;
        }
        unwind(log, gone);
    }
}

void record_unwind_above(uint32_t calls)
{
    for (;;) {
        struct thread_log *log = log_open(FRAME_ADDRESS());
        if (log == NULL)
            return;
        uint32_t open = calls_open(log);
        if (open <= calls) {
            log_leave(log, log->live.word);
            return;
        }
        unwind(log, open - calls);
    }
}

void record_throw(void)
{
    struct thread_log *log = current_log;
    if (log == NULL)
        return;
    log->throw_depth = calls_open(log);
    log->units_max = 0;
}

/* ---- entering ---- */

static void commit_enter(struct thread_log *log, struct event *event, uint64_t function,
                         uint64_t site, uint64_t stack, uint64_t tick, bool *done)
{
    uint64_t word = log->live.word;
    log->shadow[fisql_word_depth(word)] = (struct shadow_call){function, site, stack, tick};
    *done = log_commit(log, event, WORD_CALL + WORD_DEPTH, tick);
}

static __attribute__((noinline)) void enter_slow(uint64_t function, uint64_t site, uint64_t stack)
{
    if (UNLIKELY(fork_mark.mine == 0))
        fork_notice();
    if (process.filtered != 0 && !filter_passes(function))
        return;
    if (enter_deep(function, site, stack) || collector_inside != 0 || !process_active_for_hook() ||
        (process.filtered != 0 && !filter_passes(function)))
        return;
    for (bool done = false; !done;) {
        struct thread_log *log = log_open(stack);
        if (log == NULL)
            return;
        uint32_t gone = calls_gone(log, function, site, stack);
        if (gone != 0) {
            unwind(log, gone);
            continue;
        }
        if (log->throw_depth > calls_open(log))
            log->throw_depth = calls_open(log); /* this one runs while the exception passes */
        if (UNLIKELY(calls_open(log) >= log->depth_max) && log->blind == 0 &&
            thread_log_deepen(log)) {
            log_leave(log, 0);
            continue;
        }
        if (fisql_word_depth(log->live.word) >= log->depth_logged || log->hidden != 0 ||
            log->blind != 0) {
            done = enter_hidden(log, function, site, stack);
            continue;
        }
        if (!modules_known(function)) {
            struct quiet quiet;
            quiet_begin(&quiet);
            modules_refresh();
            quiet_end(&quiet);
        }
        struct event event = {.count = 0};
        uint64_t tick = clock_read(process.clock);
        uint64_t delta = event_put_time(&event, log_delta(log, log->live.word, &tick), 0xffff);
        uint32_t slot = event_put_pair(&event, log, function, site);
        event_put_code(&event, FISQL_CODE_ENTER + slot);
        event_put(&event, delta, 1);
        commit_enter(log, &event, function, site, stack, tick, &done);
    }
}

EXPORT void __cyg_profile_func_enter(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || (log->busy | log->hidden) + 1 != fork_mark.mine)) {
        enter_slow(function, site, stack);
        return;
    }
    uint64_t tick = clock_read(process.clock);
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t toggle = fisql_word_toggle(word);
    uint32_t depth = fisql_word_depth(word);
    uint64_t delta = tick - log->live.last_tick[toggle];
    uint32_t slot = pair_slot(function, site);
    struct shadow_call *call = &log->shadow[depth];
    if (UNLIKELY(!pair_is(log, slot, function, site)))
        slot ^= 1;
    if (UNLIKELY(delta > 0xffff || !pair_is(log, slot, function, site) ||
                 fisql_word_units(word) > log->units_max || stack > call[-1].stack ||
                 stack == log->landing_stack || depth >= log->depth_logged)) {
        log_leave(log, 0);
        enter_slow(function, site, stack);
        return;
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
    if (UNLIKELY(!log_leave(log, after)))
        enter_slow(function, site, stack);
}

/* ---- exiting ---- */

/* Which open call does this exit end? Its index, or -1. */
static int64_t exit_target(const struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack, bool tail)
{
    int64_t open = calls_open(log);
    for (int64_t i = open - 1; i >= 0; i--) {
        const struct shadow_call *call = &log->shadow[i];
        if (call->function == function && stack <= (tail ? call[-1].stack : call->stack))
            return i;
    }
    const struct shadow_call *top = &log->shadow[open - 1];
    return open > 0 && top->function == function && top->site == site ? open - 1 : -1;
}

static bool exit_innermost(struct thread_log *log)
{
    struct event event = {.count = 0};
    if (log->hidden != 0)
        return count_leave(log);
    uint64_t tick = clock_read(process.clock);
    if (process.ending == 0 && is_short_leaf(log, log->live.word, tick))
        return exit_short(log, tick);
    uint64_t delta = log_delta(log, log->live.word, &tick);
    delta = event_put_time(&event, delta, 0x7fff);
    event_put(&event, delta << 1, 1);
    return log_commit(log, &event, 0 - WORD_DEPTH, tick);
}

static bool exit_mismatched(struct thread_log *log, uint64_t function, uint64_t site)
{
    if (log->late != 0 && calls_open(log) == 0)
        return log_leave(log, log->live.word);
    struct event event = {.count = 0};
    uint64_t tick = clock_read(process.clock);
    uint64_t delta = event_put_time(&event, log_delta(log, log->live.word, &tick), 0xffff);
    event_put_code(&event, FISQL_CODE_MISMATCH);
    event_put(&event, delta, 1);
    event_put(&event, function, 4);
    event_put(&event, site, 4);
    return log_commit(log, &event, 0, tick);
}

static __attribute__((noinline)) void exit_slow(uint64_t function, uint64_t site, uint64_t stack,
                                                bool tail)
{
    if (UNLIKELY(fork_mark.mine == 0))
        fork_notice();
    if (process.filtered != 0 && !filter_passes(function))
        return;
    if (exit_deep(function, stack, tail) || collector_inside != 0 || current_log == NULL ||
        !process_active())
        return;
    for (bool done = false; !done;) {
        struct thread_log *log = log_open(stack);
        if (log == NULL)
            return;
        if (log->blind != 0) {
            done = count_leave_blind(log);
            continue;
        }
        int64_t target = exit_target(log, function, site, stack, tail);
        uint32_t open = calls_open(log);
        if (target < 0) {
            done = exit_mismatched(log, function, site);
        } else if ((uint32_t)target + 1 < open) {
            unwind(log, open - 1 - (uint32_t)target);
        } else if (log->throw_depth >= open) {
            done = unwind(log, 1);
        } else {
            done = exit_innermost(log);
        }
    }
}

EXPORT void __cyg_profile_func_exit(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
    bool tail = __builtin_return_address(0) == site_address;
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || (log->busy | log->hidden) + 1 != fork_mark.mine)) {
        exit_slow(function, site, stack, tail);
        return;
    }
    uint64_t tick = clock_read(process.clock);
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t toggle = fisql_word_toggle(word);
    uint64_t delta = tick - log->live.last_tick[toggle];
    const struct shadow_call *call = &log->shadow[(int64_t)fisql_word_depth(word) - 1];
    uint64_t highest = tail ? call[-1].stack : call->stack;
    if (UNLIKELY(delta > 0x7fff || call->function != function || stack > highest ||
                 fisql_word_units(word) > log->units_max)) {
        log_leave(log, 0);
        exit_slow(function, site, stack, tail);
        return;
    }
    if (UNLIKELY(tick - call->tick < log->min_ticks) && is_short_leaf(log, word, tick)) {
        if (!exit_short(log, tick))
            exit_slow(function, site, stack, tail);
        return;
    }
    *log_units(log, word) = (uint16_t)(delta << 1);
    log->live.last_tick[toggle ^ 1] = tick;
    uint64_t after = word_after(word - WORD_DEPTH, 1);
    BARRIER();
    log->live.word = after;
    if (UNLIKELY(!log_leave(log, after)))
        exit_slow(function, site, stack, tail);
}
