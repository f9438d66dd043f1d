/* The stack of open calls: see call_stack.h. */
#include "loader/calls/call_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define OPEN_MAX (1u << 24) /* a deeper stack is damage */

int call_stack_init(struct call_stack *stack, struct error *error)
{
    memset(stack, 0, sizeof *stack);
    return array_reserve(&stack->items, &stack->capacity, 1, error);
}

void call_stack_release(struct call_stack *stack)
{
    free(stack->items);
    free(stack->hidden);
    memset(stack, 0, sizeof *stack);
}

void call_stack_clear(struct call_stack *stack)
{
    stack->depth = stack->inherited = 0;
    stack->hidden_count = 0;
}

int call_stack_grow(struct call_stack *stack, struct error *error)
{
    if (stack->depth >= OPEN_MAX)
        return error_set_kind(error, ERROR_DAMAGE, "calls nest too deeply");
    if (array_reserve(&stack->items, &stack->capacity, (size_t)stack->depth + 1, error) != 0)
        return -1;
    if (stack->capacity > OPEN_MAX)
        stack->capacity = OPEN_MAX; /* a deeper call asks to grow again */
    return 0;
}

uint32_t call_stack_hidden_at(const struct call_stack *stack)
{
    return stack->hidden_count > 0 ? stack->hidden[stack->hidden_count - 1].at : 0;
}

uint32_t call_stack_floor(const struct call_stack *stack)
{
    uint32_t at = call_stack_hidden_at(stack);
    return at > stack->inherited ? at : stack->inherited;
}

int call_stack_hide(struct call_stack *stack, uint32_t calls, struct error *error)
{
    if (stack->hidden_count > 0 && call_stack_hidden_at(stack) == stack->depth) {
        stack->hidden[stack->hidden_count - 1].calls += calls;
        return 0;
    }
    if (array_reserve(&stack->hidden, &stack->hidden_capacity, stack->hidden_count + 1, error) != 0)
        return -1;
    stack->hidden[stack->hidden_count++] = (struct hidden_calls){stack->depth, calls};
    return 0;
}

uint32_t call_stack_end_hidden(struct call_stack *stack, uint32_t calls)
{
    if (stack->hidden_count == 0 || call_stack_hidden_at(stack) != stack->depth)
        return 0;
    struct hidden_calls *hidden = &stack->hidden[stack->hidden_count - 1];
    uint32_t ended = calls < hidden->calls ? calls : hidden->calls;
    hidden->calls -= ended;
    if (hidden->calls == 0)
        stack->hidden_count--;
    return ended;
}

uint64_t call_stack_drop_hidden(struct call_stack *stack)
{
    uint64_t left = 0;
    while (stack->hidden_count > 0 && call_stack_hidden_at(stack) > stack->depth)
        stack->hidden_count--;
    for (size_t i = 0; i < stack->hidden_count; i++)
        left += stack->hidden[i].calls;
    return left;
}
