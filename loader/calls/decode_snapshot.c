/*
 * What a chunk's snapshot does to the stack of open calls where chunks before it are missing or
 * recording was off; and the calls that no snapshot names.
 *
 * A snapshot has the innermost FISQL_SNAPSHOT_MAX calls. Where more are open and no chunk before
 * tells which, the others are *hidden*: they have no rows, but their exits come. So the decoder
 * knows how many are hidden between which calls of its stack, and an exit that finds hidden calls
 * innermost ends one of them. The *place* of a call is the number of calls open around it, hidden
 * ones too: the snapshot's entries are the calls of the places from left_out on.
 */
#include <string.h>

#include "base/array.h"
#include "loader/calls/decode_parts.h"

/* ---- hidden calls ---- */

/* The depth of the stack at which calls are hidden, nearest to its top; 0 = there are none. */
static uint32_t hidden_at(const struct decoder *decoder)
{
    return decoder->hidden_count > 0 ? decoder->hidden[decoder->hidden_count - 1].at : 0;
}

uint32_t decode_floor(const struct decoder *decoder)
{
    uint32_t at = hidden_at(decoder);
    return at > decoder->inherited ? at : decoder->inherited;
}

static int hide(struct decoder *decoder, uint32_t calls, struct error *error)
{
    if (decoder->hidden_count > 0 && hidden_at(decoder) == decoder->depth) {
        decoder->hidden[decoder->hidden_count - 1].calls += calls;
        return 0;
    }
    if (array_reserve(&decoder->hidden, &decoder->hidden_capacity, decoder->hidden_count + 1,
                      error) != 0)
        return -1;
    decoder->hidden[decoder->hidden_count++] = (struct hidden_calls){decoder->depth, calls};
    return 0;
}

/* Ends up to `calls` hidden calls, if such are innermost. Returns how many. */
static uint32_t end_hidden(struct decoder *decoder, uint32_t calls)
{
    if (decoder->hidden_count == 0 || hidden_at(decoder) != decoder->depth)
        return 0;
    struct hidden_calls *hidden = &decoder->hidden[decoder->hidden_count - 1];
    uint32_t ended = calls < hidden->calls ? calls : hidden->calls;
    hidden->calls -= ended;
    if (hidden->calls == 0)
        decoder->hidden_count--;
    return ended;
}

int decode_exit(struct decoder *decoder, struct error *error)
{
    if (end_hidden(decoder, 1) > 0)
        return 0;
    if (decoder->depth == 0)
        return error_set_kind(error, ERROR_DAMAGE, "an exit without an open call");
    return call_leave_down_to(decoder, decoder->depth - 1, ENDED_RETURNED, error);
}

int decode_unwind(struct decoder *decoder, uint32_t calls, uint32_t *ended, uint32_t *outermost,
                  struct error *error)
{
    *ended = *outermost = 0;
    while (*ended < calls) {
        uint32_t left = calls - *ended;
        uint32_t hidden = end_hidden(decoder, left);
        uint32_t known = hidden == 0 ? decoder->depth - hidden_at(decoder) : 0;
        if (known > left)
            known = left;
        if (known + hidden == 0)
            return 0;
        *outermost = known > 0 ? decoder->stack[decoder->depth - known].head.function_id : 0;
        *ended += known + hidden;
        if (call_leave_down_to(decoder, decoder->depth - known, ENDED_UNWOUND, error) != 0)
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

/* How many calls of the stack are open still: those that are left out of the snapshot may be, and
 * those that it confirms are. *place is that of the first other one. */
static uint32_t confirmed(const struct decoder *decoder, const struct fisql_chunk *chunk,
                          uint64_t *place)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint32_t left_out = chunk->open_depth - chunk->open_calls;
    uint64_t hidden_below = 0;
    uint32_t keep = 0;
    for (size_t hidden = 0; keep < decoder->depth; keep++) {
        for (; hidden < decoder->hidden_count && decoder->hidden[hidden].at <= keep; hidden++)
            hidden_below += decoder->hidden[hidden].calls;
        *place = keep + hidden_below;
        if (*place >= left_out &&
            (*place >= chunk->open_depth ||
             !same_call(decoder, &decoder->stack[keep], &entries[*place - left_out])))
            break;
    }
    return keep;
}

/* The stack's calls from `keep` on have ended unseen: at the latest when another call was entered
 * in the place of the outermost of them, else when the chunk begins. */
static int end_lost(struct decoder *decoder, const struct fisql_chunk *chunk, uint32_t keep,
                    uint64_t place, uint64_t before_ns, struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    uint64_t now_ns = decoder->now_ns;
    if (keep < decoder->depth && place < chunk->open_depth) {
        uint64_t tick = entries[place - (chunk->open_depth - chunk->open_calls)].enter_tick;
        uint64_t ns = clock_ns(decoder->line, tick);
        decoder->now_ns = ns < before_ns ? before_ns : ns < now_ns ? ns : now_ns;
    }
    int result = call_leave_down_to(decoder, keep, ENDED_LOST, error);
    decoder->now_ns = now_ns;
    return result;
}

/* Brings the hidden calls into line with the snapshot: it names those from left_out on, and below
 * that there are as many as it takes. *place is that of the first call that is not on the stack. */
static int settle_hidden(struct decoder *decoder, uint32_t left_out, uint64_t *place,
                         struct error *error)
{
    *place = decoder->depth;
    while (decoder->hidden_count > 0 && hidden_at(decoder) > decoder->depth)
        decoder->hidden_count--;
    for (size_t i = 0; i < decoder->hidden_count; i++)
        *place += decoder->hidden[i].calls;
    if (*place > left_out)
        *place -= end_hidden(decoder, (uint32_t)(*place - left_out));
    if (*place >= left_out)
        return 0;
    uint32_t missing = left_out - (uint32_t)*place;
    *place = left_out;
    return hide(decoder, missing, error);
}

/* Is the call the parent's of a forked child? The child's first chunk says so; where that is
 * missing the call's entry does, for it came before the fork. */
static bool is_inherited(const struct decoder *decoder, const struct fisql_chunk *chunk,
                         const struct fisql_open_call *entry)
{
    const struct log_process *process = &decoder->shared->index->processes[decoder->process];
    if (chunk->flags & FISQL_FLAG_FORKED)
        return true;
    return decoder->depth == decoder->inherited && process->origin != NULL &&
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
        bool inherited = is_inherited(decoder, chunk, &entries[i]);
        int result = inherited ? call_inherit(decoder, pair, entries[i].enter_tick, error)
                               : call_enter(decoder, pair, entries[i].enter_tick, error);
        if (result != 0)
            return -1;
        *unseen += !inherited;
    }
    return 0;
}
