/* The hooks of patched functions: see patch_hook.h. On x86-64 patch_x86_64.S comes first, and leaves to
 * these what is not usual. */
#include "collector/patch/patch_hook.h"

#ifdef FISQL_PATCHES
#include "collector/core/dictionary.h"
#include "collector/patch/patch_offsets.h"
#include "collector/patch/patch_parts.h"

#ifdef __x86_64__
#define IS(constant, place) _Static_assert((constant) == (place), "patch_x86_64.S knows " #place)
#define LOG(constant, member) IS(PATCH_LOG_##constant, offsetof(struct thread_log, member))
#define CALL(constant, member) IS(PATCH_CALL_##constant, offsetof(struct shadow_call, member))
#define TIME(constant, member) IS(PATCH_TIME_##constant, offsetof(struct call_time, member))
#define PAIR(constant, member) IS(PATCH_PAIR_##constant, offsetof(struct pair, member))
LOG(WORD, live.word);
LOG(LAST_TICK, live.last_tick);
LOG(BUSY, busy);
LOG(ABANDONED, abandoned);
LOG(ABANDONED_WORD, abandoned_word);
LOG(ABANDONED_HOOK, abandoned_hook);
LOG(CHUNK, chunk);
LOG(DICTIONARY, dictionary);
LOG(TIMES, times);
LOG(RANDOM, thread.sample_random);
LOG(CALLS, shadow.calls);
LOG(LANDING, shadow.landing_stack);
LOG(DEPTH_MAX, shadow.depth_logged);
LOG(HIDDEN, shadow.hidden);
LOG(UNITS_MAX, live.units_max);
LOG(ENTER_MAX, thread.enter_max);
LOG(EXIT_MAX, thread.exit_max);
#ifdef PATCH_LOG_ENTER_UNITS
LOG(ENTER_UNITS, values.enter_units);
#endif
CALL(FUNCTION, function);
CALL(SITE, site);
CALL(STACK, stack);
CALL(TICK, tick);
PAIR(FUNCTION, function);
PAIR(SITE, site);
IS(1u << PATCH_CALL_BYTES_LOG, sizeof(struct shadow_call));
IS(1u << PATCH_PAIR_BYTES_LOG, sizeof(struct pair));
IS(1u << PATCH_PAIR_BITS, DICTIONARY_ENTRIES);
TIME(LEFT, left);
TIME(GAP, gap);
TIME(CALLS, calls);
TIME(TIMED, timed);
TIME(CAP, cap);
TIME(SUM, sum);
TIME(SQUARES, squares);
IS(PATCH_TIME_PAIRS << PATCH_PAIR_BYTES_LOG, sizeof(struct call_time));
IS(0, offsetof(union fork_mark, mine));
IS(0, offsetof(struct patch_stack, low));
IS(8, offsetof(struct patch_stack, bytes));
IS(PATCH_CODE_ENTER, FISQL_CODE_ENTER);
IS(PATCH_CODE_LEAF, FISQL_CODE_LEAF);
IS(0, FISQL_WORD_UNITS_SHIFT);
IS(PATCH_CALLS_SHIFT, FISQL_WORD_CALLS_SHIFT);
IS(PATCH_TOGGLE_SHIFT, FISQL_WORD_TOGGLE_SHIFT);
IS(PATCH_DEPTH_SHIFT, FISQL_WORD_DEPTH_SHIFT);
IS(PATCH_DEPTH_MASK, (1u << (FISQL_WORD_FLUSH_SHIFT - FISQL_WORD_DEPTH_SHIFT)) - 1);
#endif

/* These keep every register, so they call no function that does not; all is inlined. On aarch64
 * their caller does. */
#ifdef __aarch64__
#define KEEPING
#else
#define KEEPING __attribute__((no_caller_saved_registers))

KEEPING void patch_enter(void); /* called by patch_x86_64.S alone */
KEEPING void patch_exit(void);
#endif

/* A function that was jumped to instead of called: the call that has the slot ends. */
static KEEPING __attribute__((noinline)) bool patch_jumped(struct thread_log *log,
                                                           uint64_t function, uint64_t slot)
{
    const struct shadow_call *top = call_top(log);
    if (top->stack != slot)
        return false;
    if (top->function == function)
        return true; /* a loop, whose head is the function's entry */
    uint64_t site = top->site;
    return exit_slot_now(log, top, slot) &&
           (enter_slot_now(log, function, site, slot) ||
            (learn_pair(log, function, site, slot) && enter_slot_now(log, function, site, slot)));
}

#ifdef __aarch64__
static __attribute__((noinline)) enum patch_next enter_unusual(uint64_t function, uint64_t site,
                                                               uint64_t slot)
{
    struct thread_log *log = current_log;
    bool jumped = patch_is_site(site);
    bool ready = log != NULL && log_ready(log) && process.clock != CLOCK_SYSTEM;
    return (ready && jumped ? patch_jumped(log, function, slot)
                            : !jumped && nothing_to_enter(log, function))
               ? PATCH_NOT_TAKEN
               : PATCH_SLOW;
}

uint64_t patch_enter(uint64_t function, uint64_t site, uint64_t slot)
{
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || (!log_ready(log) && !log_ready_unwatched(log, function)) ||
                 process.clock == CLOCK_SYSTEM || slot - patch_stack.low >= patch_stack.bytes ||
                 patch_is_site(site)))
        return enter_unusual(function, site, slot);
    if (UNLIKELY(!enter_slot_now(log, function, site, slot)) &&
        !(learn_pair(log, function, site, slot) && enter_slot_now(log, function, site, slot)))
        return PATCH_SLOW;
    *patch_mirror(slot) = site;
    return PATCH_TAKEN;
}

uint64_t patch_exit(uint64_t slot)
{
    struct thread_log *log = current_log;
    const struct shadow_call *top;
    if (UNLIKELY(log == NULL || (top = call_top(log))->stack != slot ||
                 (!log_ready(log) && !log_ready_unwatched(log, top->function)) ||
                 process.clock == CLOCK_SYSTEM || !exit_slot_now(log, top, slot)))
        return 0;
    return *patch_mirror(slot);
}
#else
/* What the stub does next, and where the call site finds the moved instructions. */
FAST void go_on(uint64_t slot, uint64_t next)
{
    word_put(slot - 16, next);
}

FAST void go_on_taken(uint64_t slot, uint64_t back)
{
    word_put(slot - 24, back + PATCH_BACK_MOVED);
    word_put(slot - 16, word_at(back - PATCH_BACK_SITE));
}

FAST uint64_t function_of(uint64_t back)
{
    return word_at(back - PATCH_BACK_FUNCTION);
}

FAST void go_on_slowly(uint64_t slot)
{
    word_put(slot - 16, (uint64_t)(uintptr_t)patch_enter_other);
}

/* When the log is not ready, or the call is a jump. */
static KEEPING __attribute__((noinline)) void enter_unusual(uint64_t back, uint64_t slot)
{
    if (patch_is_kept(word_at(back - PATCH_BACK_SITE))) {
        go_on_slowly(slot);
        return;
    }
    struct thread_log *log = current_log;
    uint64_t function = function_of(back);
    bool jumped = patch_is_site(word_at(slot));
    bool ready = log != NULL && log_ready(log) && process.clock != CLOCK_SYSTEM;
    if (ready && jumped ? patch_jumped(log, function, slot)
                        : !jumped && nothing_to_enter(log, function))
        go_on(slot, back + PATCH_BACK_MOVED);
    else
        go_on_slowly(slot);
}

KEEPING void patch_enter(void)
{
    uint64_t slot = FRAME_ADDRESS() + 24;
    uint64_t back = word_at(slot - 8), site = word_at(slot);
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || (!log_ready(log) && !log_ready_unwatched(log, function_of(back))) ||
                 process.clock == CLOCK_SYSTEM || slot - patch_stack.low >= patch_stack.bytes ||
                 patch_is_site(site) || patch_is_kept(word_at(back - PATCH_BACK_SITE)))) {
        enter_unusual(back, slot);
        return;
    }
    if (UNLIKELY(learn_pair(log, function_of(back), site, slot)) &&
        process.clock == CLOCK_SWITCHED_OFF) {
        go_on(slot, back - PATCH_BACK_CALL); /* it may be a leaf */
        return;
    }
    if (UNLIKELY(log != current_log || !enter_slot_now(log, function_of(back), site, slot))) {
        go_on_slowly(slot);
        return;
    }
    *patch_mirror(slot) = site;
    go_on_taken(slot, back);
}

KEEPING void patch_exit(void)
{
    uint64_t slot = FRAME_ADDRESS();
    struct thread_log *log = current_log;
    const struct shadow_call *top;
    if (UNLIKELY(log == NULL || (top = call_top(log))->stack != slot ||
                 (!log_ready(log) && !log_ready_unwatched(log, top->function)) ||
                 process.clock == CLOCK_SYSTEM || !exit_slot_now(log, top, slot)))
        word_put(slot, 0);
    else
        word_put(slot, *patch_mirror(slot));
}
#endif
#endif
