/* The result of decoding a thread: at its end, the links' tallies add up to its functions'. */
#include "loader/calls/decode_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "loader/calls/sampled.h"

void decoded_thread_release(struct decoded_thread *thread)
{
    decode_records_release(&thread->records);
    free(thread->locks.items);
    free(thread->locks.extras);
    free(thread->hooks.costs);
    free(thread->hooks.writes);
    free(thread->functions);
    free(thread->gaps.items);
    free(thread->cut_calls.items);
    decode_losses_release(&thread->losses);
    thread_picture_release(&thread->picture);
}

static struct thread_function *thread_function(struct decoder *decoder, const struct link *link,
                                               struct error *error)
{
    struct decoded_thread *thread = decoder->out;
    uint32_t *index = &link->function->thread_index;
    if (*index == 0) {
        if (array_reserve(&thread->functions, &thread->functions_capacity,
                          thread->functions_count + 1, error) != 0)
            return NULL;
        thread->functions[thread->functions_count] =
            (struct thread_function){.function = link->function->id};
        *index = (uint32_t)++thread->functions_count;
    }
    return &thread->functions[*index - 1];
}

static int fold_link(void *context, const struct link *link, const struct tally *tally,
                     struct error *error)
{
    struct decoder *decoder = context;
    struct thread_function *function = thread_function(decoder, link, error);
    if (function == NULL)
        return -1;
    function->calls += tally->calls;
    function->raw_total_ns += tally->total.function_raw_ns;
    function->total_hooks_ps += tally->total.function_hooks_ps;
    tally_self_add(&function->self, &tally->self);
    off_sums_add(&function->off, &tally->off);
    if (tally->first_call != 0 &&
        (function->first_call == 0 || tally->first_call < function->first_call))
        function->first_call = tally->first_call;
    /* A snapshot may show calls that were entered before the first event. */
    if (tally->first_call != 0 && tally->first_enter_ns < decoder->out->start_ns)
        decoder->out->start_ns = tally->first_enter_ns;
    decoder->out->calls += tally->calls - tally->counted;
    decoder->out->counted += tally->counted;
    tally_self_add(&decoder->out->self, &tally->self);
    off_sums_add(&decoder->out->off, &tally->off);
    return 0;
}

/* With calls without times, the costs that the database has are means of both kinds. */
static void mix_costs(const struct decoder *decoder, struct decoded_thread *out)
{
    uint64_t calls = decoder->window.next_id - decoder->thread->first_call_id;
    for (size_t i = 0; i < out->hooks.costs_count; i++) {
        struct hook_cost *cost = &out->hooks.costs[i].cost;
        uint64_t spared_ps = hook_costs_spared(decoder->shared->costs, *cost);
        uint64_t less_ps = (uint64_t)((wide_uint)spared_ps * out->untimed / calls / HOOK_SPARES);
        cost->outside_ps = cost->outside_ps > less_ps ? cost->outside_ps - less_ps : 0;
    }
}

int decode_fold_thread(struct decoder *decoder, struct error *error)
{
    decoder->out->untimed = decoder->hooks.untimed;
    if (decoder->hooks.untimed != 0) {
        mix_costs(decoder, decoder->out);
        if (sampled_complete(&decoder->links, &decoder->rollup, error) != 0)
            return -1;
    }
    int result = links_fold(&decoder->links, &decoder->rollup, fold_link, decoder, error);
    for (size_t i = 0; i < decoder->out->functions_count; i++) {
        struct thread_function *of_thread = &decoder->out->functions[i];
        struct function_rollup *function = decoder->rollup.functions[of_thread->function];
        function->thread_index = 0;
        if (function->thread != decoder->threads_begun)
            continue; /* its calls were counted and have no rows */
        of_thread->last_call = function->last_call;
        rollup_latest_call(function, function->last_enter_ns, function->last_call);
    }
    return result;
}

uint64_t decoded_threads_end_ns(const struct log_index *index, const struct decoded_thread *threads)
{
    uint64_t end = 0;
    for (size_t i = 0; i < index->threads_count; i++)
        if (index->threads[i].id != 0 && threads[i].end_ns > end)
            end = threads[i].end_ns;
    return end;
}

uint64_t decoded_threads_calls(const struct log_index *index, const struct decoded_thread *threads)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < index->threads_count; i++)
        calls += threads[i].calls + threads[i].counted;
    return calls;
}
