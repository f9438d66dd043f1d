/* Which open calls are gone, and how they end: see shadow_stack.h. */
#include "collector/core/shadow_stack.h"

#include "collector/core/event.h"
#include "collector/core/stack.h"

/* ---- which calls are gone ---- */

/* Number of calls in the frame where a jump landed, down to the one that is entered there again. */
static uint32_t calls_jumped(const struct thread_log *log, uint64_t function, uint64_t stack)
{
    uint32_t open = calls_open(log);
    for (uint32_t i = open; i-- > 1 && log->shadow.calls[i].stack <= stack;)
        if (log->shadow.calls[i].stack == stack && log->shadow.calls[i].function == function &&
            log->shadow.calls[i - 1].stack == stack)
            return open - i;
    return 0;
}

uint32_t shadow_calls_gone(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack)
{
    uint32_t open = calls_open(log);
    uint32_t gone = 0;
    if (stack == log->shadow.landing_stack)
        return calls_jumped(log, function, stack);
    if (stack > log->shadow.landing_stack)
        log->shadow.landing_stack = 0;
    while (gone < open) {
        const struct shadow_call *call = &log->shadow.calls[open - 1 - gone];
        bool sibling = log->shadow.throw_depth != 0 && stack == call->stack && site != call->site;
        if (stack <= call->stack && !sibling)
            break;
        if (!stack_is_one(&log->shadow.bounds, stack, call->stack))
            break;
        gone++;
    }
    return gone;
}

int64_t shadow_exit_target(const struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack, bool tail)
{
    int64_t open = calls_open(log);
    for (int64_t i = open - 1; i >= 0; i--) {
        const struct shadow_call *call = &log->shadow.calls[i];
        if (call->function == function && stack <= (tail ? call[-1].stack : call->stack))
            return i;
    }
    const struct shadow_call *top = &log->shadow.calls[open - 1];
    return open > 0 && top->function == function && top->site == site ? open - 1 : -1;
}

/* ---- unwinding ---- */

bool shadow_unwind(struct thread_log *log, uint32_t calls)
{
    if (log->shadow.hidden > 0)
        return count_leave(log);
    struct event event = {.count = 0};
    uint64_t tick = clock_read(process.clock);
    uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
    event_put_code(&event, FISQL_CODE_UNWIND);
    event_put(&event, delta, 1);
    event_put(&event, calls, 2);
    return log_commit(log, &event, 0 - (uint64_t)calls * WORD_DEPTH, tick);
}

void shadow_unwind_to(uint64_t stack, uint64_t own_stack)
{
    if (current_log == NULL)
        return;
    for (;;) {
        struct thread_log *log = log_open(own_stack);
        if (log == NULL)
            return;
        log->shadow.throw_depth = 0;
        log->shadow.landing_stack = stack;
        uint32_t open = calls_open(log);
        uint32_t gone = 0;
        bool left_stack = own_stack > stack; /* we run on another stack than the target's */
        while (gone < open) {
            uint64_t entered = log->shadow.calls[open - 1 - gone].stack;
            if (entered >= stack &&
                !(left_stack && entered > stack && entered <= own_stack + 65536 &&
                  !stack_is_one(&log->shadow.bounds, entered, stack)))
                break;
            gone++;
        }
        log->shadow.blind = 0;
        if (gone == 0) {
            /* If abandoned, we set the above in a log that is no longer the thread's. */
            bool ours = log->abandoned == 0;
            log_leave(log, 0);
            if (ours)
                return;
            continue;
        }
        shadow_unwind(log, gone);
    }
}

void shadow_unwind_above(uint32_t calls)
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
        shadow_unwind(log, open - calls);
    }
}

void shadow_throw(void)
{
    struct thread_log *log = current_log;
    if (log == NULL)
        return;
    log->shadow.throw_depth = calls_open(log);
    log->live.units_max = 0;
}
