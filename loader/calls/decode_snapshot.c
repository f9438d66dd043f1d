/*
 * Brings the stack of open calls into line with a chunk's snapshot if earlier chunks are missing or
 * recording was off; and ends calls, also those that no snapshot names (call_stack.h).
 *
 * The *place* of a call is the number of open calls around it, hidden ones included. The snapshot's
 * entries are the calls of the places from left_out on.
 */
#include <string.h>

#include "loader/calls/decode_parts.h"

/* ---- ends ---- */

int decode_exit(struct decoder *decoder, struct error *error)
{
    if (call_stack_end_hidden(&decoder->stack, 1) > 0)
        return 0;
    if (decoder->stack.depth == 0)
        return error_set_kind(error, ERROR_DAMAGE, "an exit without an open call");
    return call_leave_down_to(decoder, decoder->stack.depth - 1, ENDED_RETURNED, error);
}

int decode_unwind(struct decoder *decoder, uint32_t calls, uint32_t *ended, uint32_t *outermost,
                  struct error *error)
{
    *ended = *outermost = 0;
    while (*ended < calls) {
        uint32_t left = calls - *ended;
        uint32_t hidden = call_stack_end_hidden(&decoder->stack, left);
        uint32_t known =
            hidden == 0 ? decoder->stack.depth - call_stack_hidden_at(&decoder->stack) : 0;
        if (known > left)
            known = left;
        if (known + hidden == 0)
            return 0;
        *outermost =
            known > 0 ? decoder->stack.items[decoder->stack.depth - known].head.function_id : 0;
        *ended += known + hidden;
        if (call_leave_down_to(decoder, decoder->stack.depth - known, ENDED_UNWOUND, error) != 0)
            return -1;
    }
    return 0;
}

/* ---- snapshots ---- */

static bool same_call(const struct decoder *decoder, const struct open_call *call,
                      const struct fisql_open_call *entry)
{
    const struct pair *pair = &decoder->pairs.items[call->pair];
    return pair->function_address == entry->function && pair->site_address == entry->site &&
           call->enter_tick == entry->enter_tick;
}

/* Counts the stack's calls that the snapshot confirms, and those around them that it leaves out.
 * *place: the first other call's. */
static uint32_t confirmed(const struct decoder *decoder, const struct fisql_chunk *chunk,
                          uint64_t *place)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint32_t left_out = chunk->open_depth - chunk->open_calls;
    uint64_t hidden_below = 0;
    uint32_t keep = 0;
    for (size_t hidden = 0; keep < decoder->stack.depth; keep++) {
        for (; hidden < decoder->stack.hidden_count && decoder->stack.hidden[hidden].at <= keep;
             hidden++)
            hidden_below += decoder->stack.hidden[hidden].calls;
        *place = keep + hidden_below;
        if (*place >= left_out &&
            (*place >= chunk->open_depth ||
             !same_call(decoder, &decoder->stack.items[keep], &entries[*place - left_out])))
            break;
    }
    return keep;
}

/* Ends the stack's calls from `keep` on as lost: when another call was entered in the place of the
 * outermost one, else when the chunk begins. */
static int end_lost(struct decoder *decoder, const struct fisql_chunk *chunk, uint32_t keep,
                    uint64_t place, uint64_t before_ns, struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint64_t now_ns = decoder->clock.now_ns;
    if (keep < decoder->stack.depth && place < chunk->open_depth) {
        uint64_t tick = entries[place - (chunk->open_depth - chunk->open_calls)].enter_tick;
        uint64_t ns = clock_ns(decoder->clock.line, tick);
        decoder->clock.now_ns = ns < before_ns ? before_ns : ns < now_ns ? ns : now_ns;
    }
    int result = call_leave_down_to(decoder, keep, ENDED_LOST, error);
    decoder->clock.now_ns = now_ns;
    return result;
}

/* Makes the hidden calls agree with the snapshot, which names the calls from left_out on. *place:
 * that of the first call that is not on the stack. */
static int settle_hidden(struct decoder *decoder, uint32_t left_out, uint64_t *place,
                         struct error *error)
{
    *place = decoder->stack.depth + call_stack_drop_hidden(&decoder->stack);
    if (*place > left_out)
        *place -= call_stack_end_hidden(&decoder->stack, (uint32_t)(*place - left_out));
    if (*place >= left_out)
        return 0;
    uint32_t missing = left_out - (uint32_t)*place;
    *place = left_out;
    return call_stack_hide(&decoder->stack, missing, error);
}

/* Is it a call of a forked child's parent? The child's first chunk says so. If that is missing, the
 * call's entry does: it came before the fork. */
static bool is_inherited(const struct decoder *decoder, const struct fisql_chunk *chunk,
                         const struct fisql_open_call *entry)
{
    const struct log_process *process = &decoder->shared->index->processes[decoder->process];
    if (chunk->flags & FISQL_FLAG_FORKED)
        return true;
    return decoder->stack.depth == decoder->stack.inherited && process->origin != NULL &&
           strcmp(process->origin, FISQL_ORIGIN_FORK) == 0 && process->start_tick != TICK_UNKNOWN &&
           entry->enter_tick < process->start_tick;
}

int decode_reconcile(struct decoder *decoder, const struct fisql_chunk *chunk, uint64_t before_ns,
                     uint32_t *unseen, struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint32_t left_out = chunk->open_depth - chunk->open_calls;
    uint64_t place = 0;
    uint32_t keep = confirmed(decoder, chunk, &place);
    if (end_lost(decoder, chunk, keep, place, before_ns, error) != 0 ||
        settle_hidden(decoder, left_out, &place, error) != 0)
        return -1;
    for (uint64_t i = place - left_out; i < chunk->open_calls; i++) {
        uint32_t pair;
        if (decode_find_pair(decoder, entries[i].function, entries[i].site, &pair, error) != 0)
            return -1;
        decoder->hooks.timed = (entries[i].enter_tick & 1) != 0;
        bool inherited = is_inherited(decoder, chunk, &entries[i]);
        int result = inherited ? call_inherit(decoder, pair, entries[i].enter_tick, error)
                               : call_enter(decoder, pair, entries[i].enter_tick, error);
        if (result != 0)
            return -1;
        *unseen += !inherited;
    }
    return 0;
}
