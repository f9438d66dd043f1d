/* Takes the recording's own time out of the calls (hook_costs.h). */
#include "loader/calls/decode_parts.h"

#include <stdlib.h>

#include "base/array.h"

#define WRITE_NS_MAX 10000000000u /* more is not believed */

/* A new cost begins: the open calls keep what their hooks took so far. Costs change once in many
 * chunks, so a call that ends needs one product and no sum over its callees. */
static void settle_open(struct decoder *decoder, struct hook_cost next)
{
    for (uint32_t i = decoder->stack.inherited; i < decoder->stack.depth; i++) {
        struct open_call *call = &decoder->stack.items[i];
        uint64_t descendants = decoder->window.next_id - call->head.call_id - 1;
        struct hook_share was = hook_share_of(decoder->hooks.cost, call->child_calls, descendants);
        struct hook_share is = hook_share_of(next, call->child_calls, descendants);
        if (call->head.call_id >= decoder->hooks.from_id)
            call->settled = (struct hook_share){0, 0};
        call->settled.self_ps += was.self_ps - is.self_ps;
        call->settled.total_ps += was.total_ps - is.total_ps;
    }
}

int decode_cost_begin(struct decoder *decoder, size_t chunk, struct error *error)
{
    struct decoded_thread *out = decoder->out;
    struct hook_cost cost = hook_costs_at(decoder->shared->costs, chunk);
    const struct decode_cost *last =
        out->hooks.costs_count > 0 ? &out->hooks.costs[out->hooks.costs_count - 1] : NULL;
    if (last != NULL && last->cost.inside_ps == cost.inside_ps &&
        last->cost.outside_ps == cost.outside_ps)
        return 0;
    settle_open(decoder, cost);
    decoder->hooks.cost = cost;
    decoder->hooks.from_id = decoder->window.next_id;
    if (array_reserve(&out->hooks.costs, &out->hooks.costs_capacity, out->hooks.costs_count + 1,
                      error) != 0)
        return -1;
    out->hooks.costs[out->hooks.costs_count++] =
        (struct decode_cost){decoder->window.next_id, cost};
    return 0;
}

void decode_write_begin(struct decoder *decoder, uint64_t ticks, uint64_t since_ns)
{
    const struct thread_clock *clock = &decoder->clock;
    uint64_t ns = clock_ns(clock->line, clock->tick + ticks) - clock_ns(clock->line, clock->tick);
    decoder->hooks.write_ns = ns < WRITE_NS_MAX ? ns : 0;
    decoder->hooks.held_ns = 0;
    decoder->hooks.since_ns = since_ns;
}

void decode_write_held(struct decoder *decoder, uint64_t held)
{
    const struct thread_clock *clock = &decoder->clock;
    uint64_t ticks = held & ~FISQL_HELD_RAN;
    uint64_t ns = clock_ns(clock->line, clock->tick + ticks) - clock_ns(clock->line, clock->tick);
    if (ns >= WRITE_NS_MAX)
        return;
    if (decoder->hooks.write_ns == 0)
        decoder->hooks.since_ns = decoder->clock.now_ns;
    decoder->hooks.write_ns += ns;
    if ((held & FISQL_HELD_RAN) != 0)
        return;
    decoder->hooks.held_ns += ns;
    gaps_held(&decoder->gaps, ns);
}

int decode_write_ends(struct decoder *decoder, struct error *error)
{
    struct decoded_thread *out = decoder->out;
    const struct open_call *innermost = call_stack_own_top(&decoder->stack);
    uint64_t since_ns = decoder->clock.now_ns - decoder->hooks.since_ns;
    uint64_t ns = decoder->hooks.write_ns < since_ns ? decoder->hooks.write_ns : since_ns;
    uint64_t held_ns = decoder->hooks.held_ns < ns ? decoder->hooks.held_ns : ns;
    decoder->hooks.write_ns = decoder->hooks.held_ns = 0;
    if (innermost == NULL || ns == 0)
        return 0;
    out->hooks.held_ns += held_ns;
    settle_open(decoder, decoder->hooks.cost);
    decoder->hooks.from_id = decoder->window.next_id;
    for (uint32_t i = decoder->stack.inherited; i < decoder->stack.depth; i++)
        decoder->stack.items[i].settled.total_ps += 1000 * ns;
    decoder->stack.items[decoder->stack.depth - 1].settled.self_ps += 1000 * ns;
    if (array_reserve(&out->hooks.writes, &out->hooks.writes_capacity, out->hooks.writes_count + 1,
                      error) != 0)
        return -1;
    /* A hook writes the full chunk right before it reads the clock for the next one's first event.
     * Callbacks may have run earlier, right behind the event before. */
    out->hooks.writes[out->hooks.writes_count++] =
        (struct decode_write){innermost->head.call_id, decoder->clock.now_ns - ns, ns, held_ns};
    return 0;
}

static int by_call(const void *left, const void *right)
{
    const struct decode_write *a = left, *b = right;
    int order = (a->call_id > b->call_id) - (a->call_id < b->call_id);
    return order != 0 ? order : (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

void decode_writes_sort(struct decoded_thread *thread)
{
    if (thread->hooks.writes_count > 0)
        qsort(thread->hooks.writes, thread->hooks.writes_count, sizeof *thread->hooks.writes,
              by_call);
}
