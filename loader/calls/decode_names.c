/*
 * What decoding looks up: pairs of function and site, and what a thread's functions did. Names are
 * only looked up when a pair is first seen in a process; afterwards its index is enough.
 */
#include "loader/calls/decode_parts.h"

#include <string.h>

#include "base/array.h"

/* ---- looking up ---- */

/* Modules unloaded so far: the same address may mean another function afterwards. The collector
 * begins new chunks then, so it is enough to ask when a pair is defined. */
static uint64_t epoch(const struct decoder *decoder)
{
    uint64_t count = 0;
    for (size_t i = 0; i < decoder->unloads_count; i++)
        count += decoder->unloads[i] <= decoder->tick;
    return count;
}

int decode_find_unloads(struct decoder *decoder, struct error *error)
{
    const struct log_index *index = decoder->shared->index;
    decoder->unloads_count = 0;
    for (size_t i = 0; i < index->modules_count; i++) {
        if (index->modules[i].process != decoder->process ||
            index->modules[i].unload_tick == TICK_UNKNOWN)
            continue;
        if (array_reserve(&decoder->unloads, &decoder->unloads_capacity, decoder->unloads_count + 1,
                          error) != 0)
            return -1;
        decoder->unloads[decoder->unloads_count++] = index->modules[i].unload_tick;
    }
    return 0;
}

int decode_find_pair(struct decoder *decoder, uint64_t function, uint64_t site, uint32_t *index,
                     struct error *error)
{
    uint32_t before = decoder->pair_keys.count;
    if (intern_add(&decoder->pair_keys, function, site ^ epoch(decoder) << 57, index, error) != 0)
        return -1;
    if (*index < before)
        return 0;
    if (array_reserve(&decoder->pairs, &decoder->pairs_capacity, (size_t)*index + 1, error) != 0)
        return -1;
    struct pair *pair = &decoder->pairs[*index];
    *pair = (struct pair){.function_address = function, .site_address = site};
    struct program *program = decoder->shared->program;
    return program_function(program, decoder->process, function, decoder->tick, &pair->function,
                            error) != 0
               ? -1
               : program_site(program, decoder->process, site, decoder->tick, &pair->site, error);
}

/* ---- what the thread did ---- */

static struct thread_function *thread_function(struct decoder *decoder, const struct link *link,
                                               struct error *error)
{
    struct decode_thread *thread = decoder->out;
    uint32_t *index = &link->function->thread_index;
    if (*index == 0) {
        if (array_reserve(&thread->functions, &thread->functions_capacity,
                          thread->functions_count + 1, error) != 0)
            return NULL;
        thread->functions[thread->functions_count] =
            (struct thread_function){.function = link->function_id};
        *index = (uint32_t)++thread->functions_count;
    }
    return &thread->functions[*index - 1];
}

static int fold_link(void *context, const struct link *link, struct error *error)
{
    struct decoder *decoder = context;
    const struct tally *tally = &link->tally;
    struct thread_function *function = thread_function(decoder, link, error);
    if (function == NULL)
        return -1;
    function->calls += tally->calls;
    function->total_ns += tally->function_total_ns;
    function->raw_total_ns += tally->function_raw_total_ns;
    function->raw_self_ns += tally->raw_self_ns;
    function->child_calls += tally->child_calls;
    if (tally->first_call != 0 &&
        (function->first_call == 0 || tally->first_call < function->first_call))
        function->first_call = tally->first_call;
    if (tally->last_call > function->last_call)
        function->last_call = tally->last_call;
    decoder->out->calls += tally->calls - tally->counted;
    decoder->out->counted += tally->counted;
    decoder->out->raw_self_ns += tally->raw_self_ns;
    decoder->out->child_calls += tally->child_calls;
    return 0;
}

int decode_thread_fold(struct decoder *decoder, struct error *error)
{
    int result = links_fold(&decoder->links, &decoder->rollup, fold_link, decoder, error);
    for (size_t i = 0; i < decoder->out->functions_count; i++)
        decoder->rollup.functions[decoder->out->functions[i].function]->thread_index = 0;
    return result;
}
