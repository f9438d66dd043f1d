/*
 * What decoding looks up: pairs of function and site, frames, functions of a thread. Names are only
 * looked up when a pair is first seen in a process; afterwards its index is enough.
 */
#include "loader/decode_parts.h"

#include <string.h>

#include "loader/array.h"

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
    if (program_function(program, decoder->process, function, decoder->tick, &pair->function,
                         error) != 0 ||
        program_site(program, decoder->process, site, decoder->tick, &pair->site, error) != 0)
        return -1;
    size_t known = decoder->states_capacity;
    if (array_reserve(&decoder->states, &decoder->states_capacity, (size_t)pair->function + 1,
                      error) != 0)
        return -1;
    memset(decoder->states + known, 0,
           (decoder->states_capacity - known) * sizeof *decoder->states);
    return 0;
}

int decode_find_frame(struct decoder *decoder, uint32_t parent, const struct pair *pair,
                      uint32_t *frame, struct error *error)
{
    uint32_t number, index, before;
    if (intern_add(&decoder->frame_cache[0], parent, pair->function, &number, error) != 0)
        return -1;
    before = decoder->frame_cache[1].count;
    if (intern_add(&decoder->frame_cache[1], number, pair->site, &index, error) != 0)
        return -1;
    if (index == before) {
        if (array_reserve(&decoder->frame_ids, &decoder->frame_ids_capacity, (size_t)index + 1,
                          error) != 0 ||
            frames_child(decoder->shared->frames, parent, pair->function, pair->site,
                         &decoder->frame_ids[index], error) != 0)
            return -1;
    }
    *frame = decoder->frame_ids[index];
    return 0;
}

int decode_thread_function(struct decoder *decoder, uint32_t function, struct thread_function **out,
                           struct error *error)
{
    struct decode_thread *thread = decoder->out;
    struct function_state *state = &decoder->states[function];
    if (state->thread_index == 0) {
        if (array_reserve(&thread->functions, &thread->functions_capacity,
                          thread->functions_count + 1, error) != 0)
            return -1;
        thread->functions[thread->functions_count] = (struct thread_function){.function = function};
        state->thread_index = (uint32_t)++thread->functions_count;
    }
    *out = &thread->functions[state->thread_index - 1];
    return 0;
}
