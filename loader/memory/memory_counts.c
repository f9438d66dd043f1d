/* Blocks counted by what they have in common: see memory_counts.h. */
#include "loader/memory/memory_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/memory/memory_kinds.h"

static int count_amount(struct memory_counter *counter, uint64_t number,
                        const struct memory_block *block, struct error *error)
{
    uint32_t index;
    if (intern_add(&counter->keys, block->stack, number, &index, error) < 0 ||
        array_reach(&counter->amounts, &counter->capacity, index, error) < 0)
        return -1;
    struct memory_amount *amount = &counter->amounts[index];
    if (amount->blocks++ == 0)
        amount->example = block->id;
    amount->bytes += block->size;
    return 0;
}

int memory_counts_alloc(struct memory_counts *counts, struct alloc_stack *stack,
                        const struct memory_block *block, struct error *error)
{
    uint64_t size = block->size;
    if (intern_find(&counts->sizes.keys, block->stack, size) == INTERN_NONE) {
        if (stack->sizes >= MEMORY_SIZES_MAX)
            size = MEMORY_SIZE_OTHER;
        else
            stack->sizes++;
    }
    return count_amount(&counts->sizes, size, block, error);
}

static int find_flow(struct memory_flows *flows, const struct memory_flow_key *key,
                     struct memory_flow **flow, struct error *error)
{
    uint32_t place, threads, index, before = flows->keys.count;
    if (intern_add(&flows->places, intern_pack(key->stack, key->frame), key->site, &place, error) <
            0 ||
        intern_add(&flows->threads, key->alloc_thread, key->free_thread, &threads, error) < 0 ||
        intern_add(&flows->keys, place, threads, &index, error) < 0 ||
        array_reach(&flows->items, &flows->capacity, index, error) < 0)
        return -1;
    *flow = &flows->items[index];
    if (index == before)
        (*flow)->key = *key;
    return 0;
}

static int count_flow(struct memory_flows *flows, const struct alloc_stack *stack,
                      const struct memory_block *block, const struct memory_block_free *freed,
                      struct error *error)
{
    struct memory_flow_key key = {block->stack, freed->frame, freed->site, block->thread,
                                  freed->thread};
    struct memory_flow *flow;
    if (find_flow(flows, &key, &flow, error) < 0)
        return -1;
    uint64_t residence_ns = freed->ns - block->alloc_ns;
    if (flow->blocks++ == 0)
        flow->example = block->id;
    flow->bytes += block->size;
    flow->residence_ns += residence_ns;
    if (residence_ns > flow->residence_max_ns)
        flow->residence_max_ns = residence_ns;
    const char *family = memory_kind_family(stack->kind);
    if (strcmp(family, memory_kind_family(freed->kind)) != 0 && flow->mismatched++ == 0)
        flow->mismatch = block->id;
    return 0;
}

int memory_counts_free(struct memory_counts *counts, const struct alloc_stack *stack,
                       const struct memory_block *block, const struct memory_block_free *freed,
                       struct error *error)
{
    if (count_flow(&counts->flows, stack, block, freed, error) < 0)
        return -1;
    if (freed->same_thread && freed->allocs_between <= MEMORY_DISTANCE_MAX &&
        count_amount(&counts->distances, freed->allocs_between, block, error) < 0)
        return -1;
    if (freed->owner_frame == 0)
        return 0;
    return count_amount(&counts->owners, freed->owner_frame, block, error);
}

static void release_counter(struct memory_counter *counter)
{
    intern_release(&counter->keys);
    free(counter->amounts);
}

void memory_counts_release(struct memory_counts *counts)
{
    release_counter(&counts->sizes);
    release_counter(&counts->distances);
    release_counter(&counts->owners);
    intern_release(&counts->flows.places);
    intern_release(&counts->flows.threads);
    intern_release(&counts->flows.keys);
    free(counts->flows.items);
    *counts = (struct memory_counts){0};
}
