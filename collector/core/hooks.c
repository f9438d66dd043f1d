/*
 * The hooks that -finstrument-functions calls: enter and exit.
 *
 * This is the fast path. It writes one event and one shadow-stack entry; a pair that is new in the
 * chunk is defined before. It takes the slow path (hooks_slow.c) if anything is unusual: no log yet,
 * a hook already at work in this thread (a signal handler), a long delta, a full chunk, or a call
 * stack that does not fit (shadow_stack.h). Now and then a hook measures its own cost: see
 * hook_sample.h.
 *
 * If recording is off for a thread, or a function is left out, a hook should cost what an empty one
 * costs: see unready(). So the first tests need no clock and save no registers; from them we jump
 * to the fast path proper.
 */
#include "collector/core/hooks.h"

#include "collector/core/hooks_sampled.h"
#include "collector/core/watch.h"

#define APART static __attribute__((noinline))
#define HOT static __attribute__((noinline, aligned(64)))

/* For the process's clock (hooks_choose()): what is done if nothing rules out the fast path so far.
 * Asking for the clock's kind in each hook took a nanosecond a call. */
static struct {
    void (*enter)(uint64_t function, uint64_t site, uint64_t stack, struct thread_log *log);
    void (*leave)(uint64_t function, uint64_t site, uint64_t stack, bool tail,
                  struct thread_log *log);
} by_clock;

/* Records the entry of a call whose pair is to be defined first. */
static bool enter_new(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                      uint64_t tick)
{
    if (!learn_pair(log, function, site, stack))
        return false;
    return process.clock == CLOCK_SAMPLED ? enter_sampled(log, function, site, stack, stack)
                                          : enter_fast(log, function, site, stack, tick, false, 0);
}

/* When the fast path gave up. */
APART void enter_other(uint64_t function, uint64_t site, uint64_t stack, uint64_t tick)
{
    struct thread_log *log = log_free();
    if (log != NULL && enter_new(log, function, site, stack, tick))
        return;
    log = log_free(); /* may be another one now */
    if (log == NULL || !hook_sample_due(log) ||
        !enter_fast(log, function, site, stack, tick, true, 0))
        hook_enter_slow(function, site, stack);
}

APART void enter_ready(uint64_t function, uint64_t site, uint64_t stack)
{
    uint64_t tick = clock_read(process.clock);
    if (!enter_fast(current_log, function, site, stack, tick, false, 0))
        enter_other(function, site, stack, tick);
}

HOT void enter_hot(uint64_t function, uint64_t site, uint64_t stack, struct thread_log *log)
{
    uint64_t tick = clock_counter();
    if (UNLIKELY(!enter_fast(log, function, site, stack, tick, false, 0)))
        enter_other(function, site, stack, tick);
}

static void enter_system(uint64_t function, uint64_t site, uint64_t stack, struct thread_log *log)
{
    (void)log;
    enter_ready(function, site, stack);
}

/* With --time none. */
HOT void enter_clockless(uint64_t function, uint64_t site, uint64_t stack, struct thread_log *log)
{
    if (UNLIKELY(!enter_usual(log, function, site, stack, false)))
        enter_ready(function, site, stack);
}

APART void enter_some_timed(uint64_t function, uint64_t site, uint64_t stack)
{
    if (UNLIKELY(!enter_sampled(current_log, function, site, stack, stack)))
        enter_other(function, site, stack, clock_read(CLOCK_SAMPLED));
}

HOT void enter_some(uint64_t function, uint64_t site, uint64_t stack, struct thread_log *log)
{
    if (UNLIKELY(!enter_usual(log, function, site, stack, true)))
        enter_some_timed(function, site, stack);
}

/* Of a function whose calls are only counted. */
APART void enter_counted(uint64_t function, uint64_t site, uint64_t stack)
{
    struct thread_log *log = log_free();
    if (log == NULL || collector_inside != 0 || log->thread.counted_above != 0) {
        hook_enter_slow(function, site, stack);
        return;
    }
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    if (UNLIKELY(fisql_word_units(word) > log->live.units_max ||
                 stack > log->shadow.calls[(int64_t)fisql_word_depth(word) - 1].stack ||
                 stack == log->shadow.landing_stack)) {
        log_leave(log, 0);
        hook_enter_slow(function, site, stack);
    } else if (!count_call(log, &(struct pair){function, site}, 0, COUNT_ASKED)) {
        hook_enter_slow(function, site, stack); /* a nested hook undid it */
    }
}

/* It ends an open call only if that was recorded at entry. */
APART void exit_counted(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    if (UNLIKELY(current_log->thread.counted_above != 0))
        hook_exit_slow(function, site, stack, tail);
}

/* With callbacks (watch.h). Hooks of what they call do nothing. */
APART void enter_watched(uint64_t function, uint64_t site, uint64_t stack)
{
    enum unready what = collector_inside != 0 ? UNREADY_OFF : unready(function);
    if (what == UNREADY_OFF)
        return;
    if (what == UNREADY_FAST)
        enter_ready(function, site, stack);
    else
        hook_enter_slow(function, site, stack);
    watch_entered(function, site, stack, 0);
}

APART void enter_unready(uint64_t function, uint64_t site, uint64_t stack)
{
    if (watch_on()) {
        enter_watched(function, site, stack);
        return;
    }
    enum unready what = unready(function);
    if (what == UNREADY_FAST)
        enter_ready(function, site, stack);
    else if (what == UNREADY_COUNTED)
        enter_counted(function, site, stack);
    else if (what == UNREADY_SLOW)
        hook_enter_slow(function, site, stack);
}

#ifdef FISQL_VALUES
void values_enter_plain(uint64_t function, uint64_t site, uint64_t stack)
{
#else
EXPORT void __cyg_profile_func_enter(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
#endif
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || !log_ready(log))) {
        if (nothing_to_enter(log, function))
            return;
        if (counts_alone(log, function) && !watch_on())
            enter_counted(function, site, stack);
        else
            enter_unready(function, site, stack);
        return;
    }
    by_clock.enter(function, site, stack, log);
}

APART void exit_other(uint64_t function, uint64_t site, uint64_t stack, bool tail, uint64_t tick)
{
    struct thread_log *log = log_free();
    if (log != NULL &&
        (hook_sample_due(log)
             ? exit_fast(log, function, site, stack, tail, tick, true, true, values_plain())
             : log->thread.min_ticks != 0 &&
                   exit_fast(log, function, site, stack, tail, tick, false, true, values_plain())))
        return;
    hook_exit_slow(function, site, stack, tail);
}

APART void exit_ready(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    uint64_t tick = clock_read(process.clock);
    if (!exit_fast(current_log, function, site, stack, tail, tick, false, true, values_plain()))
        exit_other(function, site, stack, tail, tick);
}

HOT void exit_hot(uint64_t function, uint64_t site, uint64_t stack, bool tail,
                  struct thread_log *log)
{
    uint64_t tick = clock_counter();
    if (UNLIKELY(!exit_fast(log, function, site, stack, tail, tick, false, false, values_plain())))
        exit_other(function, site, stack, tail, tick);
}

static void exit_system(uint64_t function, uint64_t site, uint64_t stack, bool tail,
                        struct thread_log *log)
{
    (void)log;
    exit_ready(function, site, stack, tail);
}

HOT void exit_clockless(uint64_t function, uint64_t site, uint64_t stack, bool tail,
                        struct thread_log *log)
{
    if (UNLIKELY(tail || values_plain() != 0 || !exit_untimed(log, function, stack, false, false)))
        exit_ready(function, site, stack, tail);
}

APART void exit_some_timed(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    if (UNLIKELY(!exit_sampled(current_log, function, site, stack, tail, values_plain())))
        exit_other(function, site, stack, tail, clock_read(CLOCK_SAMPLED));
}

HOT void exit_some(uint64_t function, uint64_t site, uint64_t stack, bool tail,
                   struct thread_log *log)
{
    if (UNLIKELY(tail || values_plain() != 0 || !exit_untimed(log, function, stack, false, true)))
        exit_some_timed(function, site, stack, tail);
}

APART void exit_watched(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    struct watch_leaving leaving;
    enum unready what = collector_inside != 0 ? UNREADY_OFF : unready(function);
    if (what == UNREADY_OFF)
        return;
    watch_leaves(&leaving, function, site, stack, tail);
    if (what == UNREADY_FAST)
        exit_ready(function, site, stack, tail);
    else
        hook_exit_slow(function, site, stack, tail);
    watch_left(&leaving, stack, 0);
}

APART void exit_unready(uint64_t function, uint64_t site, uint64_t stack, bool tail)
{
    if (watch_on()) {
        exit_watched(function, site, stack, tail);
        return;
    }
    enum unready what = unready(function);
    if (what == UNREADY_FAST)
        exit_ready(function, site, stack, tail);
    else if (what == UNREADY_COUNTED)
        exit_counted(function, site, stack, tail);
    else if (what == UNREADY_SLOW)
        hook_exit_slow(function, site, stack, tail);
}

#ifdef FISQL_VALUES
void values_exit_plain(uint64_t function, uint64_t site, uint64_t stack, uint64_t hook_return)
{
    bool tail = hook_return == site;
#else
EXPORT void __cyg_profile_func_exit(void *function_address, void *site_address)
{
    uint64_t function = (uint64_t)(uintptr_t)function_address;
    uint64_t site = (uint64_t)(uintptr_t)site_address;
    uint64_t stack = FRAME_ADDRESS();
    bool tail = __builtin_return_address(0) == site_address;
#endif
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || !log_ready(log))) {
        if (!nothing_to_do(log, function) && (!counts_alone(log, function) || watch_on()))
            exit_unready(function, site, stack, tail);
        return;
    }
    by_clock.leave(function, site, stack, tail, log);
}

void hooks_choose(void)
{
    by_clock.enter = enter_hot;
    by_clock.leave = exit_hot;
    if (process.clock == CLOCK_SAMPLED) {
        by_clock.enter = enter_some;
        by_clock.leave = exit_some;
    } else if (process.clock == CLOCK_SWITCHED_OFF) {
        by_clock.enter = enter_clockless;
        by_clock.leave = exit_clockless;
    } else if (process.clock == CLOCK_SYSTEM) {
        by_clock.enter = enter_system;
        by_clock.leave = exit_system;
    }
}

#ifdef FISQL_VALUES
/* ---- with registers saved ---- */

/* Without a log no tick is needed, and reading the clock may be forbidden (seccomp.c). */
static uint64_t tick_of_log(void)
{
    return current_log != NULL ? clock_read(process.clock) : 0;
}

/* When the fast path gave up. `tick`: that of its attempt, 0 = none. */
APART void enter_kept_other(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe,
                            uint64_t tick)
{
    values_keep(stack);
    if (recipe == 0)
        recipe = recipe_word(values_frame(stack)->hook_return);
    if (tick == 0) {
        enum unready what = unready(function);
        if (what == UNREADY_COUNTED)
            enter_counted(function, site, stack);
        if (what == UNREADY_OFF || what == UNREADY_COUNTED)
            return;
        tick = tick_of_log();
        if (what == UNREADY_FAST &&
            enter_fast(current_log, function, site, stack, tick, false, recipe)) {
            if (UNLIKELY(recipe == 0))
                values_missed(stack);
            return;
        }
    }
    struct thread_log *log = log_free();
    if (log != NULL && hook_sample_due(log) &&
        enter_fast(log, function, site, stack, tick, true, recipe)) {
        if (UNLIKELY(recipe == 0))
            values_missed(stack);
        return;
    }
    uint64_t before = values_kept; /* of the hook that this signal handler interrupted */
    values_kept = stack;
    hook_enter_slow(function, site, stack);
    values_kept = before;
}

APART void enter_kept_watched(uint64_t function, uint64_t site, uint64_t stack)
{
    if (collector_inside != 0)
        return;
    enter_kept_other(function, site, stack, 0, 0);
    watch_entered(function, site, stack, recipe_word(values_frame(stack)->hook_return));
}

void values_enter(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe)
{
    struct thread_log *log = current_log;
    uint64_t tick = 0;
    if (LIKELY(log != NULL && log_ready(log) && process.clock == CLOCK_COUNTER && recipe != 0)) {
        tick = clock_counter();
        if (LIKELY(enter_fast(log, function, site, stack, tick, false, recipe)))
            return;
    }
    if (watch_on() && tick == 0)
        enter_kept_watched(function, site, stack);
    else
        enter_kept_other(function, site, stack, recipe, tick);
}

APART void exit_kept_other(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe,
                           uint64_t tick)
{
    bool tail = values_frame(stack)->hook_return == site;
    if (recipe == 0)
        recipe = recipe_word(values_frame(stack)->hook_return);
    if (recipe == 0)
        recipe = values_plain();
    if (tick == 0) {
        enum unready what = unready(function);
        if (what == UNREADY_COUNTED)
            exit_counted(function, site, stack, tail);
        if (what == UNREADY_OFF || what == UNREADY_COUNTED)
            return;
        tick = tick_of_log();
        if (what == UNREADY_FAST &&
            exit_fast(current_log, function, site, stack, tail, tick, false, true, recipe))
            return;
    }
    struct thread_log *log = log_free();
    if (log != NULL && (hook_sample_due(log) || log->thread.min_ticks != 0) &&
        exit_fast(log, function, site, stack, tail, tick, hook_sample_due(log), true, recipe))
        return;
    uint64_t before = values_kept;
    values_kept = stack;
    hook_exit_slow(function, site, stack, tail);
    values_kept = before;
}

APART void exit_kept_watched(uint64_t function, uint64_t site, uint64_t stack)
{
    struct watch_leaving leaving;
    uint64_t hook_return = values_frame(stack)->hook_return;
    if (collector_inside != 0)
        return;
    values_keep(stack);
    watch_leaves(&leaving, function, site, stack, hook_return == site);
    exit_kept_other(function, site, stack, 0, 0);
    if (!values_watch(&leaving))
        watch_left(&leaving, stack, recipe_word(hook_return));
}

void values_exit(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe)
{
    struct thread_log *log = current_log;
    uint64_t tick = 0;
    if (LIKELY(log != NULL && log_ready(log) && process.clock == CLOCK_COUNTER && recipe != 0)) {
        tick = clock_counter();
        if (LIKELY(exit_fast(log, function, site, stack, false, tick, false, false, recipe)))
            return;
    }
    if (watch_on() && tick == 0)
        exit_kept_watched(function, site, stack);
    else
        exit_kept_other(function, site, stack, recipe, tick);
}
#endif

#ifdef FISQL_VALUES
/* They do not pass the compiled hooks' entries, which keep registers and look for a recipe. */
static void enter_patched(void *function, void *site)
{
    values_enter_plain((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, FRAME_ADDRESS());
}

static void exit_patched(void *function, void *site)
{
    values_exit_plain((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, FRAME_ADDRESS(), 0);
}

hook_function *hooks_patched_enter(void)
{
    return enter_patched;
}

hook_function *hooks_patched_exit(void)
{
    return exit_patched;
}
#else
hook_function *hooks_patched_enter(void)
{
    return NULL;
}

hook_function *hooks_patched_exit(void)
{
    return NULL;
}
#endif
