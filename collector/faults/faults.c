/*
 * Makes calls fail: see faults.h; formats/fault.h describes the area.
 *
 * A call is a case for a rule if it meets the rule's conditions: arguments (`when`), open calls
 * (`in`, `at`). We count such calls in the process's part of the area, so fisql record knows the
 * counts however the process ends; nth, every and probability pick among them. The first rule that
 * fires decides. An event behind the call's says what was done.
 */
#include "collector/faults/faults.h"

#include "collector/core/event.h"
#include "collector/faults/faults_after.h"
#include "collector/faults/faults_decide.h"
#include "collector/faults/faults_throw.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/true_return.h"
#include "collector/values/values_hook.h"
#include "formats/fault_calls.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint32_t faults_allocs;
THREAD_LOCAL bool faults_striking; /* what the collector does for a fault does not fail */

/* ---- the event ---- */

static void record_fault(uint32_t rule, uint64_t site)
{
    struct event event;
    struct thread_log *log;
    uint64_t tick, frame = FRAME_ADDRESS();
    do {
        log = log_open(frame);
        if (log == NULL)
            return;
        event.count = 0;
        tick = clock_read(process.clock);
        uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
        event_put_code(&event, FISQL_CODE_FAULT);
        event_put(&event, delta, 1);
        event_put(&event, rule, 1);
        event_put(&event, site, 4);
    } while (!log_commit(log, &event, 0, tick));
}

/* effects */

static void wait_for(uint64_t ns)
{
    struct timespec until = {0, 0};
    int error = errno;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &until); /* the clock of the wait below */
    uint64_t end = (uint64_t)until.tv_nsec + ns;
    until.tv_sec += (time_t)(end / 1000000000u);
    until.tv_nsec = (long)(end % 1000000000u);
    while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0 &&
           errno == EINTR)
        ; /* a handler ran meanwhile */
    errno = error;
}

EXPORT void fisql_fault_strikes(uint32_t rule);

/* A debugger can stop here (`fisql faults --again --gdb`): the call is about to fail. */
EXPORT __attribute__((noinline)) void fisql_fault_strikes(uint32_t rule)
{
    __asm__ volatile("" : : "r"(rule) : "memory");
}

static void strike(const struct fisql_fault_rule *rule, uint64_t site)
{
    fisql_fault_strikes(fault_rule_number(rule));
    record_fault(fault_rule_number(rule), site);
    switch (rule->action) {
    case FISQL_FAULT_DELAY:
        wait_for(rule->amount);
        break;
    case FISQL_FAULT_SIGNAL:
        syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), (long)rule->amount);
        break;
    case FISQL_FAULT_EXIT:
        exit((int)rule->amount);
    default:
        break;
    }
}

/* ---- functions with hooks ---- */

/* The assembler finds here what to return with: the vector registers are not needed any more. */
static struct fault_return *return_place(struct values_frame *frame)
{
    return (struct fault_return *)(void *)frame->vector;
}
_Static_assert(sizeof(struct fault_return) <= sizeof(((struct values_frame *)0)->vector),
               "it has room");

static uint64_t word_at(uint64_t address)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    return word;
}

static void throw_rule(const struct fisql_fault_rule *rule)
{
    struct fault_thrown thrown;
    if (fault_thrown_of(rule, &thrown))
        faults_throw(&thrown);
}

/* Runs as if the function's caller had called it in the function's place: compilers assume that
 * hooks throw nothing, so an exception through the function's own frame would end the program. */
static __attribute__((noinline)) void raise_in_place(const struct fisql_fault_rule *rule)
{
    throw_rule(rule);
    abort(); /* the type existed when the rule was chosen */
}

/* What the function returns with, or the throw is called with. */
static void result_make(struct fault_return *back, const struct fisql_fault_rule *rule)
{
    if (rule->action == FISQL_FAULT_THROW) {
        back->general[0] = (uint64_t)(uintptr_t)rule;
        back->address = (uint64_t)(uintptr_t)raise_in_place;
        return;
    }
    if (!rule->in_vector && (int64_t)rule->value < 0)
        back->general[1] = UINT64_MAX; /* of a result of two words */
    if (rule->in_vector)
        back->vector = rule->value;
}

/* The canonical frame address of the function at a hook's call. */
static uint64_t frame_at(const struct values_frame *frame, const struct fisql_fault_hook *hook)
{
    return frame->general[hook->cfa_register] + (uint64_t)(int64_t)hook->cfa_offset;
}

/* Sets the registers to their values after the function's return, or at the throw. */
static void prepare_return(struct values_frame *frame, const struct fisql_fault_hook *hook,
                           const struct fisql_fault_rule *rule)
{
    static const uint8_t saved[] = FISQL_FAULT_SAVED;
    struct fault_return *back = return_place(frame);
    uint64_t cfa = frame_at(frame, hook);
    uint64_t address = word_at(cfa + (uint64_t)(int64_t)hook->return_offset);
    for (uint32_t i = 0; i < sizeof saved; i++)
        if (hook->saved[i] != FISQL_FAULT_SAME)
            frame->general[saved[i]] = word_at(cfa + (uint64_t)(int64_t)hook->saved[i]);
    *back = (struct fault_return){.general = {rule->value, 0}, .stack = cfa, .address = address};
    if (rule->action == FISQL_FAULT_THROW)
        back->stack = cfa + (uint64_t)(int64_t)hook->return_offset;
    result_make(back, rule);
}

static uint64_t strike_function(const struct fisql_fault_hook *hook,
                                const struct fisql_fault_rule *rule, uint64_t function,
                                uint64_t site, uint64_t stack)
{
    struct values_frame *frame = values_frame(stack);
    if (rule->after) {
        fault_after_put(frame_at(frame, hook), function, function, rule);
        return 0;
    }
    strike(rule, site);
    bool returns = rule->action == FISQL_FAULT_RETURN;
    if ((!returns && rule->action != FISQL_FAULT_THROW) || !hook->can_return)
        return 0;
    if (returns)
        values_exit_plain(function, site, stack, frame->hook_return);
    prepare_return(frame, hook, rule);
    if (returns && rule->error != 0)
        errno = rule->error;
    return 1;
}

/* The rule that strikes the call, known by this address; NULL = none. */
static const struct fisql_fault_rule *rule_of(uint64_t address, uint64_t function, uint64_t site,
                                              uint64_t stack, const struct fault_hook **hook)
{
    *hook = fault_hook_at(address);
    if (*hook == NULL || (*hook)->what->function + (*hook)->bias != function || !faults_on())
        return NULL;
    const struct fault_case asked = {.rules = (*hook)->what->rules,
                                     .site = site,
                                     .stack = stack,
                                     .function = function,
                                     .hook = *hook};
    return fault_decide(&asked);
}

/* Apart, so that the usual way saves no registers for it. */
static __attribute__((noinline)) uint64_t enter_named(uint64_t function, uint64_t site,
                                                      uint64_t stack)
{
    const struct fault_hook *hook;
    const struct fisql_fault_rule *rule =
        rule_of(values_frame(stack)->hook_return, function, site, stack, &hook);
    if (hook != NULL && hook->what->can_return)
        fault_after_forget(frame_at(values_frame(stack), hook->what), function);
    return rule != NULL ? strike_function(hook->what, rule, function, site, stack) : 0;
}

/* The function ends, and returns from here: not if an exception passes through it. */
static __attribute__((noinline)) uint64_t leave_named(uint64_t function, uint64_t site,
                                                      uint64_t stack, uint64_t recipe)
{
    struct values_frame *frame = values_frame(stack);
    struct thread_log *log = current_log;
    const struct fault_hook *hook = fault_hook_at(frame->hook_return);
    const struct fisql_fault_rule *rule = NULL;
    bool passes =
        log != NULL && log->shadow.throw_depth >= calls_open(log) && log->shadow.throw_depth != 0;
    if (hook != NULL && hook->what->exit && hook->what->can_return && faults_on() && !passes)
        rule = fault_after_take(frame_at(frame, hook->what), function);
    if (rule == NULL) {
        values_exit(function, site, stack, recipe);
        return 0;
    }
    fault_struck(rule);
    strike(rule, site);
    bool throws = rule->action == FISQL_FAULT_THROW;
    bool leaves = throws || (rule->action == FISQL_FAULT_RETURN && !rule->is_void);
    if (leaves)
        values_exit_plain(function, site, stack, frame->hook_return);
    else
        values_exit(function, site, stack, recipe);
    if (leaves)
        prepare_return(frame, hook->what, rule);
    if (rule->action == FISQL_FAULT_RETURN && rule->error != 0)
        errno = rule->error;
    return leaves;
}

/* The rule of a function without a result that jumps to the exit hook in place of its return. We
 * throw from the hook, then: it returns to the function's caller. */
static const struct fisql_fault_rule *strike_jumped(uint64_t function, uint64_t site,
                                                    uint64_t stack)
{
    const struct fisql_fault_rule *rule = faults_on() ? fault_after_take(stack, function) : NULL;
    if (rule != NULL) {
        fault_struck(rule);
        strike(rule, site);
    }
    return rule;
}

static void end_jumped(const struct fisql_fault_rule *rule)
{
    if (rule->action == FISQL_FAULT_THROW)
        throw_rule(rule);
    else if (rule->action == FISQL_FAULT_RETURN && rule->error != 0)
        errno = rule->error;
}

void faults_exit_plain(uint64_t function, uint64_t site, uint64_t stack, uint64_t hook_return)
{
    const struct fisql_fault_rule *rule =
        hook_return == site ? strike_jumped(function, site, stack) : NULL;
    values_exit_plain(function, site, stack, hook_return);
    if (rule != NULL)
        end_jumped(rule);
}

uint64_t faults_exit(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe)
{
    uint64_t hook_return = values_frame(stack)->hook_return;
    if (hook_return == site) {
        const struct fisql_fault_rule *rule = strike_jumped(function, site, stack);
        values_exit(function, site, stack, recipe);
        if (rule != NULL)
            end_jumped(rule);
        return 0;
    }
    if (recipe == 0)
        recipe = recipe_word(hook_return);
    if ((recipe & RECIPE_FAULT) != 0)
        return leave_named(function, site, stack, recipe);
    values_exit(function, site, stack, recipe);
    return 0;
}

static enum faults_patched patched_result(const struct fisql_fault_rule *rule,
                                          struct fault_return *back, int32_t *error)
{
    if (rule->action != FISQL_FAULT_RETURN && rule->action != FISQL_FAULT_THROW)
        return FAULTS_GO_ON;
    back->general[0] = rule->value;
    result_make(back, rule);
    *error = rule->error;
    return rule->action == FISQL_FAULT_THROW ? FAULTS_THROW
           : rule->is_void                   ? FAULTS_RETURN
           : rule->in_vector                 ? FAULTS_RETURN_VECTOR
                                             : FAULTS_RETURN_WORD;
}

enum faults_patched faults_enter_patched(const struct fault_patched *call,
                                         struct fault_return *back, int32_t *error)
{
    const struct fault_hook *hook;
    const struct fisql_fault_rule *rule =
        rule_of(call->function, call->function, call->site, call->slot, &hook);
    *back = (struct fault_return){.vector = 0};
    *error = 0;
    fault_after_forget(call->slot, call->function);
    if (rule != NULL && rule->after)
        fault_after_put(call->slot, call->key, call->function, rule);
    if (rule == NULL || rule->after)
        return FAULTS_GO_ON;
    strike(rule, call->site);
    return patched_result(rule, back, error);
}

enum faults_patched faults_leave_patched(const struct fault_patched *call,
                                         struct fault_return *back, int32_t *error)
{
    const struct fisql_fault_rule *rule;
    *back = (struct fault_return){.vector = 0};
    *error = 0;
    while (faults_on() && (rule = fault_after_take(call->slot, call->key)) != NULL) {
        fault_struck(rule);
        strike(rule, call->site);
        enum faults_patched what = patched_result(rule, back, error);
        if (what != FAULTS_GO_ON)
            return what;
    }
    return FAULTS_GO_ON;
}

uint64_t faults_enter(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe)
{
    values_enter(function, site, stack, recipe);
    if (recipe == 0)
        recipe = recipe_word(values_frame(stack)->hook_return);
    return (recipe & RECIPE_FAULT) != 0 ? enter_named(function, site, stack) : 0;
}

/* ---- allocations and calls of the C library ---- */

/* The rule that strikes the call, or NULL. */
static const struct fisql_fault_rule *decide_library(const struct fault_case *asked)
{
    return faults_on() && !fault_is_own(asked->site) ? fault_decide(asked) : NULL;
}

/* Does what the rule says except giving the result. Returns whether the call is to fail. `type`:
 * what the function throws when it fails; NULL = it returns. */
static bool strike_decided(const struct fisql_fault_rule *rule, uint64_t site, const char *type)
{
    const struct fault_thrown usual = {.type = type};
    strike(rule, site);
    if (rule->action == FISQL_FAULT_THROW)
        throw_rule(rule);
    else if (rule->action == FISQL_FAULT_RETURN && type != NULL)
        faults_throw(&usual);
    if (rule->action != FISQL_FAULT_RETURN)
        return false;
    if (rule->error != 0)
        errno = rule->error;
    return true;
}

bool faults_allocate(unsigned kind, uint64_t size_bytes, uint64_t alignment, uint64_t site,
                     uint64_t stack, bool throws)
{
    const uint64_t arguments[] = {size_bytes, alignment};
    const struct fault_case asked = {.rules = fault_rules_of_alloc(kind),
                                     .site = site,
                                     .stack = stack,
                                     .arguments = arguments,
                                     .arguments_count = 2};
    const struct fisql_fault_rule *rule = decide_library(&asked);
    return rule != NULL && strike_decided(rule, site, throws ? "std::bad_alloc\0" : NULL);
}

EXPORT int fisql_fault_call(uint32_t call, const uint64_t *arguments, uint32_t count,
                            const void *site, const void *stack, int64_t *result);
EXPORT bool fisql_fault_after(int64_t rule, const void *site, const void *stack, int64_t *result);

/* For libfisql-calls.so: does this call of the C library fail, and with which result? Then sets
 * errno. An enum fisql_fault_answer; of a call that fails after its body, *result is what to call
 * fisql_fault_after() with. */
EXPORT int fisql_fault_call(uint32_t call, const uint64_t *arguments, uint32_t count,
                            const void *site, const void *stack, int64_t *result)
{
    const struct fault_case asked = {
        .rules = fault_rules_of_call(call),
        .site = true_return((uint64_t)(uintptr_t)site, (uint64_t)(uintptr_t)stack),
        .stack = (uint64_t)(uintptr_t)stack,
        .arguments = arguments,
        .arguments_count = count};
    if (asked.rules == 0 || !process_recording())
        return FISQL_FAULT_NONE;
    const struct fisql_fault_rule *rule = decide_library(&asked);
    if (rule != NULL && rule->after) {
        *result = (int64_t)fault_rule_number(rule);
        return FISQL_FAULT_AFTER;
    }
    if (rule == NULL || !strike_decided(rule, asked.site, NULL))
        return FISQL_FAULT_NONE;
    *result = (int64_t)rule->value;
    return FISQL_FAULT_FAILS;
}

/* The call has been made. Sets errno; returns whether its result is *result now. */
EXPORT bool fisql_fault_after(int64_t number, const void *site, const void *stack, int64_t *result)
{
    const struct fisql_fault_rule *rule = fault_rule_at((uint32_t)number);
    int error = errno;
    fault_struck(rule);
    strike(rule, true_return((uint64_t)(uintptr_t)site, (uint64_t)(uintptr_t)stack));
    bool returns = rule->action == FISQL_FAULT_RETURN;
    errno = returns && rule->error != 0 ? rule->error : error;
    *result = (int64_t)rule->value;
    return returns && !rule->is_void;
}
