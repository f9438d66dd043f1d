/* Gaps of the thread that is being decoded (gaps.h), and its end. */
#include "loader/calls/decode_parts.h"

/* The innermost call that was open all along. */
static struct gap_place innermost(const struct decoder *decoder)
{
    uint32_t depth = decoder->stack.depth;
    if (decoder->hooks.sampled && decoder->hooks.depth_least < depth)
        depth = decoder->hooks.depth_least;
    if (depth <= decoder->stack.inherited)
        return (struct gap_place){.call_id = 0};
    const struct memory_open_call *call = &decoder->stack.items[depth - 1].head;
    return (struct gap_place){.call_id = call->call_id, .frame = call->frame_id, .depth = depth};
}

int decode_gap_ends(struct decoder *decoder, struct error *error)
{
    return decoder->gaps.pending
               ? gaps_end(&decoder->gaps, &decoder->clock, innermost(decoder), error)
               : 0;
}

int decode_thread_ends(struct decoder *decoder, bool damaged, struct error *error)
{
    const struct log_thread *thread = decoder->thread;
    const struct log_process *process = &decoder->shared->index->processes[decoder->process];
    struct thread_clock *clock = &decoder->clock;
    uint64_t tick = thread->end_tick != TICK_UNKNOWN ? thread->end_tick : process->end_tick;
    if (tick == TICK_UNKNOWN || damaged || process->ends_lost)
        return 0;
    if (process->killed.ns != TICK_UNKNOWN && thread->at_end.tick == TICK_UNKNOWN)
        return 0; /* it may have waited or computed: not known */
    uint64_t start_ns = clock->now_ns, end_ns = clock_ns(clock->line, tick);
    if (end_ns < start_ns)
        end_ns = start_ns;
    clock->now_ns = end_ns;
    if (decoder->paused)
        return 0;
    bool waits = !thread->ended && tick > clock->tick && tick - clock->tick > process->gap_ticks;
    return gaps_end_thread(&decoder->gaps, start_ns, end_ns, &thread->at_end, waits,
                           innermost(decoder), error);
}
