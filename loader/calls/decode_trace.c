/*
 * Events of the macros of fisql_trace.h: checkpoints and the like, and pauses.
 *
 * A pause belongs to the call that is innermost when it begins. Its callees keep the time that they
 * took; the rest, paused_ns, goes into the call's children_ns, so no self time has it. FISQL_RESUME
 * ends it, in the call or in a callee (then it really ended when that was entered), or the call's
 * end. The entries of gaps.h hold it meanwhile, so calls without a pause cost nothing.
 */
#include "loader/calls/decode_parts.h"

int decode_checkpoint(struct decoder *decoder, const struct event *event, struct error *error)
{
    struct decode_record *record =
        decode_record(decoder, DECODE_CHECKPOINT, event->values, event->values_bytes, error);
    if (record == NULL)
        return -1;
    record->point = program_point(decoder->shared->program, decoder->process, event->point);
    return 0;
}

/* ---- pauses ---- */

/* Ends an entry's pause at end_ns, or earlier, when a callee that is still open was entered.
 * *paused_ns: without the callees' time. */
static int pause_end(struct decoder *decoder, struct gap_entry *entry, uint64_t end_ns,
                     uint64_t *paused_ns, struct error *error)
{
    const struct open_call *call = &decoder->stack.items[entry->depth - 1];
    *paused_ns = 0;
    if (!entry->paused)
        return 0;
    entry->paused = false;
    if (decoder->stack.depth > entry->depth && call[1].enter_ns < end_ns)
        end_ns = call[1].enter_ns;
    uint64_t wall_ns = end_ns > entry->pause_ns ? end_ns - entry->pause_ns : 0;
    uint64_t callees_ns = call->children_ns - entry->pause_children_ns;
    *paused_ns = wall_ns > callees_ns ? wall_ns - callees_ns : 0;
    entry->off.paused_ns += *paused_ns;
    struct decode_record *record = decode_record(decoder, DECODE_PAUSE, NULL, 0, error);
    if (record == NULL)
        return -1;
    record->call_id = call->head.call_id;
    record->frame = call->head.frame_id;
    record->ns = entry->pause_ns;
    record->paused_ns = *paused_ns;
    return 0;
}

int decode_paused(struct decoder *decoder, struct error *error)
{
    const struct open_call *call = call_stack_own_top(&decoder->stack);
    if (call == NULL)
        return 0;
    struct gap_entry *entry = gaps_entry(&decoder->gaps, decoder->stack.depth, error);
    if (entry == NULL)
        return -1;
    if (entry->paused)
        return 0;
    entry->paused = true;
    entry->pause_ns = decoder->clock.now_ns;
    entry->pause_children_ns = call->children_ns;
    return 0;
}

/* Ends an entry's pause; its call goes on. */
static int go_on(struct decoder *decoder, struct gap_entry *entry, uint64_t end_ns,
                 struct error *error)
{
    uint64_t paused_ns;
    if (pause_end(decoder, entry, end_ns, &paused_ns, error) != 0)
        return -1;
    decoder->stack.items[entry->depth - 1].children_ns += paused_ns;
    return 0;
}

int decode_resumed(struct decoder *decoder, struct error *error)
{
    for (size_t i = decoder->gaps.entries_count; i-- > 0;)
        if (decoder->gaps.entries[i].paused)
            return go_on(decoder, &decoder->gaps.entries[i], decoder->clock.now_ns, error);
    return 0;
}

int decode_pauses_end(struct decoder *decoder, uint64_t end_ns, struct error *error)
{
    for (size_t i = decoder->gaps.entries_count; i-- > 0;)
        if (go_on(decoder, &decoder->gaps.entries[i], end_ns, error) != 0)
            return -1;
    return 0;
}

int decode_pause_leave(struct decoder *decoder, uint64_t *paused_ns, struct error *error)
{
    struct gap_entry *entry = &decoder->gaps.entries[decoder->gaps.entries_count - 1];
    return pause_end(decoder, entry, decoder->clock.now_ns, paused_ns, error);
}
