/* Stacks from chunks: see live_stack.h. */
#include "live/live_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "loader/log/events.h"

struct live_definition {
    uint64_t function, site;
    uint32_t reading; /* it holds in that one alone: most are never touched, and none is cleared */
};

void live_stack_init(struct live_stack *stack, size_t last_max)
{
    *stack = (struct live_stack){.last_max = last_max};
}

void live_stack_release(struct live_stack *stack)
{
    free(stack->open.items);
    free(stack->last.items);
    free(stack->definitions);
    *stack = (struct live_stack){.last_max = stack->last_max};
}

void live_stack_lend(struct live_stack *from, struct live_stack *to)
{
    free(to->definitions);
    to->definitions = from->definitions;
    to->reading = from->reading;
    from->definitions = NULL;
}

static int damaged(struct error *error)
{
    return error_set_kind(error, ERROR_DAMAGE, "a chunk's events contradict each other");
}

/* ---- the last calls: a ring, in which a call has its place by its order ---- */

static int last_add(struct live_stack *stack, const struct live_call *call, struct error *error)
{
    struct live_calls *last = &stack->last;
    if (stack->last_max == 0)
        return 0;
    if (last->count < stack->last_max) {
        if (array_reserve(&last->items, &last->capacity, last->count + 1, error) != 0)
            return -1;
        last->items[last->count++] = *call;
        return 0;
    }
    last->items[stack->last_next] = *call;
    stack->last_next = (stack->last_next + 1) % stack->last_max;
    return 0;
}

/* A call has ended. Most are the newest ones. */
static void last_end(struct live_stack *stack, const struct live_call *call, bool unwound)
{
    struct live_calls *last = &stack->last;
    if (call->call == LIVE_UNKNOWN || stack->calls - call->call > last->count)
        return;
    size_t newest = last->count < stack->last_max ? last->count : stack->last_next + last->count;
    struct live_call *found =
        &last->items[(newest - (size_t)(stack->calls - call->call)) % last->count];
    if (found->call != call->call)
        return;
    found->exit_tick = stack->tick;
    found->unwound = unwound;
}

static void reverse(struct live_call *from, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct live_call other = from[i];
        from[i] = from[count - 1 - i];
        from[count - 1 - i] = other;
    }
}

void live_stack_settle(struct live_stack *stack)
{
    struct live_calls *last = &stack->last;
    if (stack->last_next != 0) { /* rotated in place by reversing both parts and the whole */
        reverse(last->items, stack->last_next);
        reverse(last->items + stack->last_next, last->count - stack->last_next);
        reverse(last->items, last->count);
        stack->last_next = 0;
    }
}

/* ---- events ---- */

static int stack_enter(struct live_stack *stack, uint64_t function, uint64_t site,
                       struct error *error)
{
    struct live_calls *open = &stack->open;
    if (function == 0)
        return damaged(error);
    if (array_reserve(&open->items, &open->capacity, open->count + 1, error) != 0)
        return -1;
    struct live_call call = {.function = function,
                             .site = site,
                             .enter_tick = stack->tick,
                             .exit_tick = LIVE_UNKNOWN,
                             .call = stack->calls++,
                             .depth = stack->outer + (uint32_t)open->count};
    open->items[open->count++] = call;
    return last_add(stack, &call, error);
}

static int stack_leave(struct live_stack *stack, uint64_t calls, bool unwound, struct error *error)
{
    for (; calls > 0; calls--) {
        if (stack->open.count > 0)
            last_end(stack, &stack->open.items[--stack->open.count], unwound);
        else if (stack->outer > 0)
            stack->outer--;
        else
            return damaged(error);
    }
    return 0;
}

static int stack_event(struct live_stack *stack, const struct event *event, struct error *error)
{
    static const struct live_definition none;
    must(event->slot < FISQL_SLOTS_MAX);
    const struct live_definition *definition = &stack->definitions[event->slot];
    if (definition->reading != stack->reading)
        definition = &none;
    if (event_clock(event->type) != FISQL_CLOCK_STILL)
        stack->tick += event->ticks;
    if (event->type == EVENT_ENTER)
        return stack_enter(stack, definition->function, definition->site, error);
    if (event->type == EVENT_ENTER_FULL)
        return stack_enter(stack, event->function, event->site, error);
    if (event->type == EVENT_EXIT)
        return stack_leave(stack, 1, false, error);
    if (event->type == EVENT_UNWIND)
        return stack_leave(stack, event->calls, true, error);
    /* No other event opens or ends a call. */
    if (event->type == EVENT_DEFINE)
        stack->definitions[event->slot] =
            (struct live_definition){event->function, event->site, stack->reading};
    stack->paused |= event->type == EVENT_PAUSE;
    return 0;
}

/* The snapshot, with what is known of these calls from the chunk before. */
static int snapshot(struct live_stack *stack, const struct fisql_chunk *chunk, struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint32_t left_out = chunk->open_depth - chunk->open_calls;
    struct live_calls *open = &stack->open;
    bool follows = open->count > 0 && stack->sequence + 1 == chunk->sequence &&
                   (chunk->flags & FISQL_FLAG_RESUMED) == 0 &&
                   stack->outer + open->count == chunk->open_depth;
    if (follows)
        return 0;
    if (array_reserve(&open->items, &open->capacity, chunk->open_calls + 1u, error) != 0)
        return -1;
    open->count = chunk->open_calls;
    stack->outer = left_out;
    for (uint32_t i = 0; i < chunk->open_calls; i++)
        open->items[i] = (struct live_call){.function = entries[i].function,
                                            .site = entries[i].site,
                                            .enter_tick = entries[i].enter_tick,
                                            .exit_tick = LIVE_UNKNOWN,
                                            .call = LIVE_UNKNOWN,
                                            .depth = left_out + i};
    return 0;
}

int live_stack_read(struct live_stack *stack, const struct fisql_chunk *chunk, struct error *error)
{
    if (stack->definitions == NULL)
        stack->definitions = calloc(FISQL_SLOTS_MAX, sizeof *stack->definitions);
    if (stack->definitions == NULL)
        return error_set(error, "out of memory");
    stack->reading++;
    if (chunk->open_calls > FISQL_SNAPSHOT_MAX || chunk->open_calls > chunk->open_depth)
        return damaged(error);
    if (snapshot(stack, chunk, error) != 0)
        return -1;
    if (chunk->first_call != stack->calls) { /* calls in between were not read */
        stack->last.count = stack->last_next = 0;
        stack->calls = chunk->first_call;
    }
    stack->sequence = chunk->sequence;
    stack->tick = chunk->tick_start;
    stack->paused = false;
    struct event_cursor cursor = events_begin(chunk);
    struct event event = {.slot = 0};
    int result;
    while ((result = event_next(&cursor, &event)) > 0)
        if (event.slot >= FISQL_SLOTS_MAX || stack_event(stack, &event, error) != 0)
            return event.slot >= FISQL_SLOTS_MAX ? damaged(error) : -1;
    return result < 0 ? damaged(error) : 0;
}
