/* The hooks of patched functions when anything is unusual: see patch_hook.h. All registers are
 * saved. */
#include "collector/patch/patch_hook.h"

#ifdef FISQL_PATCHES
#include "collector/core/quiet.h"
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

static void enter_slot_slow(uint64_t function, uint64_t site, uint64_t slot)
{
    struct thread_log *log = log_free();
    if (log != NULL && process.clock != CLOCK_SYSTEM) {
        bool due = hook_sample_due(log);
        if (enter_slot(log, function, site, slot, clock_read(process.clock), due))
            return;
    }
    hook_enter_slow(function, site, slot);
}

/* ---- what the collector itself calls ---- */

/* A program may have functions of its own in place of the C library's (mmap, a sanitizer's), which
 * are patched, and which the slow path calls. Such a call, and what it calls, is left alone. */
static THREAD_LOCAL uint64_t slow_hook;    /* the slot of the hook at work; 0 = none */
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
    if (slow_hook == 0)
        return false;
    if (outside_slot != 0 && slot < outside_slot)
        return true;
    if (patch_is_site(site) || !is_own_code(site))
        return false;
    outside_slot = slot;
    return true;
}

/* Returns whether the call goes through a call site: its exit is to be recorded. */
static bool enter_slowly(uint64_t function, uint64_t site, uint64_t slot)
{
    bool jumped = patch_is_site(site);
    if (jumped) {
        struct shadow_call call;
        site = *patch_mirror(slot);
        if (call_of_slot(slot, true, &call)) {
            if (call.function == function)
                return false;
            hook_exit_slow(call.function, call.site, slot, false);
        }
    } else if (slot - patch_stack.low >= patch_stack.bytes && !patch_mirror_make(slot)) {
        return false;
    }
    enum unready what = unready(function);
    if (what == UNREADY_OFF)
        return false;
    if (!jumped)
        calls_of_slot_gone(slot);
    if (what == UNREADY_FAST)
        enter_slot_slow(function, site, slot);
    else
        hook_enter_slow(function, site, slot);
    if (!jumped)
        *patch_mirror(slot) = site;
    return !jumped;
}

static bool enter(uint64_t function, uint64_t site, uint64_t slot)
{
    if (is_collectors(site, slot))
        return false;
    uint64_t hook = slow_hook, outside = outside_slot;
    /* A thread's first hook goes deepest: handlers' hooks on top of it might find too little stack. */
    bool first = current_log == NULL && !silent();
    struct quiet quiet;
    if (first)
        quiet_begin(&quiet);
    slow_hook = slot;
    outside_slot = 0;
    bool taken = enter_slowly(function, site, slot);
    outside_slot = outside;
    slow_hook = hook;
    if (first)
        quiet_end(&quiet);
    return taken;
}

static void exit_slowly(uint64_t slot)
{
    struct shadow_call call;
    struct thread_log *log = log_free();
    if (log != NULL && fork_mark.mine != 0 && call_top(log)->stack == slot) {
        bool due = hook_sample_due(log);
        call = *call_top(log);
        if (!exit_fast(log, call.function, call.site, slot, false, clock_read(process.clock), due,
                       true, 0))
            hook_exit_slow(call.function, call.site, slot, false);
    } else if (call_of_slot(slot, false, &call)) {
        hook_exit_slow(call.function, call.site, slot, false);
    }
}

/* Returns the true return address. */
static uint64_t leave(uint64_t slot)
{
    uint64_t hook = slow_hook, outside = outside_slot;
    slow_hook = slot;
    outside_slot = 0;
    exit_slowly(slot);
    outside_slot = outside;
    slow_hook = hook;
    return *patch_mirror(slot);
}

#ifdef __aarch64__
uint64_t patch_enter_slow(uint64_t function, uint64_t site, uint64_t slot)
{
    return enter(function, site, slot) ? PATCH_TAKEN : PATCH_NOT_TAKEN;
}

uint64_t patch_exit_slow(uint64_t slot)
{
    return leave(slot);
}
#else
void patch_enter_slow(uint64_t back, uint64_t slot)
{
    word_put(slot - 24, back + PATCH_BACK_MOVED);
    word_put(slot - 16, back + PATCH_BACK_MOVED);
    if (enter(word_at(back - PATCH_BACK_FUNCTION), word_at(slot), slot))
        word_put(slot - 16, word_at(back - PATCH_BACK_SITE));
}

void patch_exit_slow(uint64_t slot)
{
    word_put(slot, leave(slot));
}
#endif
#endif
