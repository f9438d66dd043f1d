/*
 * Passes arguments and results, with their calls, to value_calls.h. An ARGUMENTS belongs to the
 * call that the event right before entered, the innermost one; EXIT_VALUES and RESULT to the call
 * that it ended, whose place on the stack is still unused.
 */
#include "loader/calls/decode_parts.h"

/* The first own call of the stack with at least this id. */
static uint64_t open_call(void *context, uint64_t id, bool *results)
{
    const struct decoder *decoder = context;
    const struct call_stack *stack = &decoder->stack;
    uint32_t low = stack->inherited, high = stack->depth;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stack->items[middle].head.call_id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == stack->depth)
        return 0;
    const struct memory_open_call *call = &stack->items[low].head;
    const struct value_calls *values = &decoder->values;
    const struct value_function *function = call->function_id < values->functions_capacity
                                                ? values->functions[call->function_id]
                                                : NULL;
    *results = function != NULL && function->has_results;
    return call->call_id;
}

int decode_values_begin(struct decoder *decoder, struct error *error)
{
    struct decode_shared *shared = decoder->shared;
    if (shared->file != NULL && btree_part_begin(shared->file, &decoder->out->values, error) != 0)
        return -1;
    value_calls_begin(&decoder->values, decoder->out->values, decoder->thread->first_call_id,
                      open_call, decoder);
    return 0;
}

static struct value_moment moment(const struct decoder *decoder)
{
    return (struct value_moment){decoder->process, decoder->clock.tick};
}

static int arguments(struct decoder *decoder, const struct event *event, struct error *error)
{
    const struct open_call *call = call_stack_own_top(&decoder->stack);
    return call == NULL
               ? 0
               : value_calls_enter(&decoder->values, call->head.call_id, call->head.function_id,
                                   event->values, event->values_bytes, moment(decoder), error);
}

/* Of the call that ended last. */
static uint64_t ended_cpu_ns(const struct decoder *decoder)
{
    const struct row *row = decoder->ended.row;
    uint64_t adjusted_ns = tally_adjusted(row->duration_ns, row->hooks.total_ps);
    uint64_t off_ns = row->off != NULL ? row->off->total.wait_ns + row->off->total.preempted_ns : 0;
    return adjusted_ns > off_ns ? adjusted_ns - off_ns : 0;
}

/* The result of the call that ended, or its values at its exit. */
static int at_exit(struct decoder *decoder, const struct event *event, struct error *error)
{
    const struct memory_open_call *call = &decoder->stack.items[decoder->stack.depth].head;
    const struct open_call *caller = call_stack_own_top(&decoder->stack);
    uint64_t id = decoder->ended.call_id;
    if (id == 0 || call->call_id != id)
        return 0; /* the call that ended has no row */
    struct value_caller of = {0, 0};
    if (caller != NULL)
        of = (struct value_caller){caller->head.function_id, caller->head.call_id};
    struct valued_call ended = {.call_id = id,
                                .cpu_ns = ended_cpu_ns(decoder),
                                .descendants = decoder->window.next_id - id - 1,
                                .finished = true};
    if (event->type == EVENT_EXIT_VALUES)
        return value_calls_exit(&decoder->values, &ended, event->values, event->values_bytes,
                                moment(decoder), error);
    return value_calls_result(&decoder->values, &ended, call->function_id, of, event->values,
                              event->values_bytes, moment(decoder), error);
}

int decode_values(struct decoder *decoder, const struct event *event, enum behind behind,
                  struct error *error)
{
    if (event->type == EVENT_ARGUMENTS)
        return behind == BEHIND_ENTER ? arguments(decoder, event, error)
                                      : error_set_kind(error, ERROR_DAMAGE, "arguments of no call");
    bool fits =
        behind == BEHIND_EXIT || (behind == BEHIND_EXIT_VALUES && event->type == EVENT_RESULT);
    return fits ? at_exit(decoder, event, error)
                : error_set_kind(error, ERROR_DAMAGE, "a result of no call");
}

int decode_values_leave(struct decoder *decoder, uint64_t descendants, enum ended ended,
                        struct error *error)
{
    struct valued_call call = {.call_id = decoder->ended.call_id,
                               .cpu_ns = ended_cpu_ns(decoder),
                               .descendants = descendants,
                               .finished = ended <= ENDED_UNWOUND};
    return value_calls_leave(&decoder->values, &call, error);
}

int decode_values_end(struct decoder *decoder, struct error *error)
{
    if (value_calls_end(&decoder->values, error) != 0)
        return -1;
    return decoder->out->values == NULL ? 0 : btree_part_end(decoder->out->values, error);
}
