/* The hooks of patched functions when anything is unusual: see patch_hook.h. All registers are
 * saved. */
#include "collector/patch/patch_hook.h"

#ifdef FISQL_PATCHES
#include "collector/core/quiet.h"
#include "collector/core/watch.h"
#include "collector/patch/patch_kept.h"
#include "collector/patch/patch_parts.h"

/* The innermost call that has the slot, open or not in the log; false if there is none. */
static bool call_of_slot(uint64_t slot, bool top_only, struct shadow_call *call)
{
    struct thread_log *log = current_log != NULL ? log_open(FRAME_ADDRESS()) : NULL;
    bool found = false;
    if (log == NULL)
        return false;
    for (uint32_t open = calls_open(log); open > 0 && !found; open--) {
        *call = log->shadow.calls[open - 1];
        found = call->stack == slot;
        if (top_only)
            break;
    }
    if (!found && log->shadow.blind != 0 && !top_only) {
        *call = (struct shadow_call){.stack = slot};
        found = true;
    }
    log_leave(log, log->live.word);
    return found;
}

/* Ends the innermost calls that had the slot: something jumped out of them. */
static void calls_of_slot_gone(uint64_t slot)
{
    for (;;) {
        struct thread_log *log = current_log != NULL ? log_open(FRAME_ADDRESS()) : NULL;
        if (log == NULL)
            return;
        uint32_t open = calls_open(log);
        if (open == 0 || log->shadow.blind != 0 || log->shadow.calls[open - 1].stack != slot) {
            log_leave(log, log->live.word);
            return;
        }
        shadow_unwind(log, 1);
    }
}

static void enter_slot_slow(uint64_t function, uint64_t site, uint64_t slot, uint64_t recipe)
{
    struct thread_log *log = log_free();
    if (log != NULL && process.clock != CLOCK_SYSTEM) {
        bool due = hook_sample_due(log);
        if (enter_below(log, function, site, slot, slot + 1, clock_read(process.clock), due,
                        recipe))
            return;
    }
    hook_enter_slow(function, site, slot);
}

/* ---- what the collector itself calls ---- */

/* A program may have functions of its own in place of the C library's (mmap, a sanitizer's), which
 * are patched, and which the slow path calls. Such a call, and what it calls, is left alone. */
THREAD_LOCAL uint64_t patch_slow_hook;     /* the slot of the hook at work; 0 = none */
static THREAD_LOCAL uint64_t outside_slot; /* of a function that it has called; 0 = none */

#ifdef FISQL_WRAP
/* In a program that holds the collector, only functions with sleds are patched. What the collector
 * calls there has none, unless the program has a function of its own in the C library's place. */
static bool is_own_code(uint64_t address)
{
    (void)address;
    return false;
}
#else
extern HIDDEN const char __ehdr_start[];
extern HIDDEN const char _etext[];

static bool is_own_code(uint64_t address)
{
    uint64_t start = (uint64_t)(uintptr_t)__ehdr_start;
    return address - start < (uint64_t)(uintptr_t)_etext - start;
}
#endif

static bool is_collectors(uint64_t site, uint64_t slot)
{
    if (collector_inside != 0)
        return true;
    if (patch_slow_hook == 0)
        return false;
    if (outside_slot != 0 && slot < outside_slot)
        return true;
    if (patch_is_site(site) || !is_own_code(site))
        return false;
    outside_slot = slot;
    return true;
}

/* A call that begins. */
struct beginning {
    uint64_t function, slot;
    uint64_t own_site; /* the function's */
    const struct patch_registers *registers;
};

/* Records the entry, with the arguments if they are wanted. */
static void enter_call(const struct beginning *call, uint64_t site, bool may_be_fast)
{
    struct patch_values values;
    uint64_t recipe =
        patch_values_begin(&values, call->function, call->slot, false, call->registers);
    if (may_be_fast)
        enter_slot_slow(call->function, site, call->slot, recipe);
    else
        hook_enter_slow(call->function, site, call->slot);
    if (watch_on())
        watch_entered(call->function, site, call->slot, recipe);
    patch_values_end(&values);
}

#ifdef __aarch64__
static void go_by_site(const struct beginning *call)
{
    (void)call; /* patch_aarch64.S does */
}

static void strike(const struct beginning *call, uint64_t site)
{
    (void)call, (void)site;
}

static void returns_kept(const struct beginning *call)
{
    (void)call;
}
#else
/* The stub goes on to the call site. */
static void go_by_site(const struct beginning *call)
{
    word_put(call->slot - 16, call->own_site);
}

/* Goes on as fault rules say, if they name the call. */
static void strike(const struct beginning *call, uint64_t site)
{
    /* What another function has jumped to returns through that one's site. */
    uint64_t held = word_at(call->slot);
    const struct fault_patched patched = {call->function, site, call->slot,
                                          patch_is_site(held) ? held
                                                              : call->own_site + PATCH_SITE_BACK};
    uint64_t next = patch_values_strike(&patched, call->registers);
    if (next != 0)
        word_put(call->slot - 16, next);
}

/* The function was jumped to, and returns to the other's site: if its result is wanted, to one that
 * sees to it. */
static void returns_kept(const struct beginning *call)
{
    if (patch_is_kept(call->own_site) && !patch_is_kept(word_at(call->slot)))
        word_put(call->slot, call->own_site + PATCH_SITE_BACK);
}
#endif

/* Another function jumped to the one that begins: its call ends. */
static void exit_jumped(const struct shadow_call *call, uint64_t slot)
{
    struct watch_leaving leaving = {.callbacks = 0};
    if (watch_on())
        watch_leaves(&leaving, call->function, call->site, slot, false);
    hook_exit_slow(call->function, call->site, slot, false);
    watch_left(&leaving, slot, 0);
}

/* Returns whether the call goes through a call site: its exit is to be recorded. */
static bool enter_slowly(const struct beginning *begun, uint64_t site)
{
    uint64_t function = begun->function, slot = begun->slot;
    bool jumped = patch_is_site(site);
    if (jumped) {
        struct shadow_call call;
        site = *patch_mirror(slot);
        if (call_of_slot(slot, true, &call)) {
            if (call.function == function)
                return false;
            exit_jumped(&call, slot);
        }
    } else if (slot - patch_stack.low >= patch_stack.bytes && !patch_mirror_make(slot)) {
        return false;
    }
    enum unready what = unready(function);
    if (what != UNREADY_OFF) {
        if (!jumped)
            calls_of_slot_gone(slot);
        enter_call(begun, site, what == UNREADY_FAST);
        if (jumped) {
            returns_kept(begun);
        } else {
            *patch_mirror(slot) = site;
            go_by_site(begun);
        }
    }
    strike(begun, site);
    return what != UNREADY_OFF && !jumped;
}

static bool enter(const struct beginning *call, uint64_t site)
{
    if (is_collectors(site, call->slot))
        return false;
    uint64_t hook = patch_slow_hook, outside = outside_slot;
    /* A thread's first hook goes deepest: handlers' hooks on top of it might find too little stack. */
    bool first = current_log == NULL && !silent() && !process_never_again();
    struct quiet quiet;
    patch_slow_hook = call->slot; /* before what calls the C library */
    outside_slot = 0;
    if (first)
        quiet_begin(&quiet);
    bool taken = enter_slowly(call, site);
    if (first)
        quiet_end(&quiet);
    outside_slot = outside;
    patch_slow_hook = hook;
    return taken;
}

/* Records the exit. Returns as patch_values_leave(). */
static uint64_t exit_call(const struct shadow_call *call, uint64_t slot,
                          const struct patch_registers *registers, bool may_be_fast)
{
    struct patch_values values;
    const struct fault_patched patched = {call->function, call->site, slot, word_at(slot)};
    uint64_t next = patch_values_leave(&patched, *patch_mirror(slot), registers);
    uint64_t recipe = patch_values_begin(&values, call->function, slot, true, registers);
    struct watch_leaving leaving = {.callbacks = 0};
    if (watch_on())
        watch_leaves(&leaving, call->function, call->site, slot, false);
    struct thread_log *log = may_be_fast ? log_free() : NULL;
    bool due = log != NULL && hook_sample_due(log);
    if (log == NULL || !exit_fast(log, call->function, call->site, slot, false,
                                  clock_read(process.clock), due, true, recipe))
        hook_exit_slow(call->function, call->site, slot, false);
    watch_left(&leaving, slot, recipe);
    patch_values_end(&values);
    return next;
}

static uint64_t exit_slowly(uint64_t slot, const struct patch_registers *registers)
{
    struct shadow_call call;
    struct thread_log *log = log_free();
    if (log != NULL && fork_mark.mine != 0 && call_top(log)->stack == slot) {
        call = *call_top(log);
        return exit_call(&call, slot, registers, true);
    }
    return call_of_slot(slot, false, &call) ? exit_call(&call, slot, registers, false) : 0;
}

/* Returns the true return address, or where a fault rule leads to. */
static uint64_t leave(uint64_t slot, const struct patch_registers *registers)
{
    uint64_t hook = patch_slow_hook, outside = outside_slot;
    patch_slow_hook = slot;
    outside_slot = 0;
    uint64_t next = exit_slowly(slot, registers);
    outside_slot = outside;
    patch_slow_hook = hook;
    return next != 0 ? next : *patch_mirror(slot);
}

#ifdef __aarch64__
uint64_t patch_enter_slow(uint64_t function, uint64_t site, uint64_t slot)
{
    const struct beginning call = {.function = function, .slot = slot};
    return enter(&call, site) ? PATCH_TAKEN : PATCH_NOT_TAKEN;
}

uint64_t patch_exit_slow(uint64_t slot)
{
    return leave(slot, NULL);
}
#else
void patch_enter_slow(uint64_t back, uint64_t slot, unsigned char *state, struct patch_kept *kept)
{
    const struct patch_registers registers = {state, kept};
    const struct beginning call = {word_at(back - PATCH_BACK_FUNCTION), slot,
                                   word_at(back - PATCH_BACK_SITE), &registers};
    word_put(slot - 24, back + PATCH_BACK_MOVED);
    word_put(slot - 16, back + PATCH_BACK_MOVED);
    enter(&call, word_at(slot));
}

void patch_exit_slow(uint64_t slot, uint64_t unused, unsigned char *state, struct patch_kept *kept)
{
    const struct patch_registers registers = {state, kept};
    (void)unused;
    word_put(slot, leave(slot, &registers));
}
#endif
#endif
