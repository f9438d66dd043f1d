/* Sums of the run's allocations: see memory_sums.h. */
#include "loader/memory/memory_sums.h"

#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/sqlite_record.h"

/* ---- by frame and function ---- */

int memory_sums_add_paths(struct memory_sums *sums, const struct memory_places *places,
                          struct memory_totals *by_path, struct error *error)
{
    for (uint32_t i = memory_paths_count(places); i-- > 0;) {
        struct memory_path path = memory_path_at(places, i);
        if (memory_sums_reach_function(sums, path.function, error) != 0)
            return -1;
        memory_totals_add(&sums->functions[path.function].total, &by_path[i]);
        if (path.parent > 0)
            memory_totals_add(&by_path[path.parent - 1], &by_path[i]);
    }
    return 0;
}

/* ---- by place ---- */

int memory_stacks_find(struct memory_stacks *stacks, const struct memory_place *place,
                       uint32_t *index, struct error *error)
{
    uint32_t before = stacks->keys.count;
    if (intern_add(&stacks->keys, intern_pack(place->frame, place->site), place->kind, index,
                   error) < 0 ||
        array_reach(&stacks->items, &stacks->capacity, *index, error) < 0)
        return -1;
    if (*index == before)
        stacks->items[*index] = (struct alloc_stack){.frame = place->frame,
                                                     .site = place->site,
                                                     .kind = place->kind,
                                                     .function = place->function,
                                                     .min_size = UINT64_MAX};
    return 0;
}

void memory_stack_count_alloc(struct alloc_stack *stack, const struct memory_block *block)
{
    if (stack->blocks++ == 0) {
        stack->first_ns = block->alloc_ns;
        stack->first_alloc = block->id;
    }
    stack->bytes += block->size;
    stack->last_ns = block->alloc_ns;
    stack->last_alloc = block->id;
    if (block->size < stack->min_size)
        stack->min_size = block->size;
    if (block->size > stack->max_size)
        stack->max_size = block->size;
}

void memory_stack_count_free(struct alloc_stack *stack, const struct memory_block *block,
                             const struct memory_block_free *freed)
{
    uint64_t lifetime_ns = freed->ns - block->alloc_ns;
    stack->freed_blocks++;
    stack->freed_bytes += block->size;
    stack->lifetime_ns += lifetime_ns;
    if (lifetime_ns > stack->lifetime_max_ns)
        stack->lifetime_max_ns = lifetime_ns;
    stack->cross_thread_frees += !freed->same_thread;
}

void memory_stack_note_live(struct alloc_stack *stack, const struct memory_block *block)
{
    if (stack->first_live == 0 || block->id < stack->first_live)
        stack->first_live = block->id;
    if (block->id > stack->last_live)
        stack->last_live = block->id;
}

void memory_stacks_release(struct memory_stacks *stacks)
{
    intern_release(&stacks->keys);
    free(stacks->items);
    *stacks = (struct memory_stacks){0};
}

/* ---- by what blocks have in common ---- */

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
    for (int i = 0; i < MEMORY_DOERS; i++)
        memory_together_count(&flow->together[i], freed->doers.by_level[i]);
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

/* ---- chains of reallocs ---- */

int memory_chains_begin(struct memory_chains *chains, struct btree_file *file, struct error *error)
{
    return btree_part_begin(file, &chains->rows, error);
}

static int begin_chain(struct memory_chains *chains, const struct memory_link *first,
                       uint32_t *index, struct error *error)
{
    if (memory_indexes_take(&chains->indexes, index, error) < 0 ||
        array_reserve(&chains->items, &chains->capacity, (size_t)*index + 1, error) < 0)
        return -1;
    chains->items[*index] =
        (struct memory_chain){.first_alloc = first->id, .first_size = first->size};
    return 0;
}

int memory_chains_continue(struct memory_chains *chains, struct memory_block *block,
                           const struct memory_link *from, struct error *error)
{
    block->realloc_of = from->id;
    block->chain = from->chain;
    if (block->chain == MEMORY_NO_INDEX && begin_chain(chains, from, &block->chain, error) < 0)
        return -1;
    struct memory_chain *chain = &chains->items[block->chain];
    chain->length++;
    if (block->address != from->address) {
        chain->moves++;
        chain->copied_bytes += block->size < from->size ? block->size : from->size;
    }
    return 0;
}

int memory_chains_end(struct memory_chains *chains, const struct memory_link *last,
                      struct error *error)
{
    if (last->chain == MEMORY_NO_INDEX)
        return 0;
    const struct memory_chain *chain = &chains->items[last->chain];
    if (memory_indexes_give_back(&chains->indexes, last->chain, error) < 0)
        return -1;
    if (chain->length < 2)
        return 0;
    struct record record;
    record_begin(&record, 9);
    record_null(&record);
    record_int(&record, (int64_t)chain->first_alloc);
    record_int(&record, (int64_t)last->id);
    record_int(&record, (int64_t)last->stack + 1);
    record_int(&record, (int64_t)chain->length);
    record_int(&record, (int64_t)chain->moves);
    record_int(&record, (int64_t)chain->copied_bytes);
    record_int(&record, (int64_t)chain->first_size);
    record_int(&record, (int64_t)last->size);
    return btree_append(chains->rows, (int64_t)++chains->rows_count, record_data(&record),
                        record_bytes(&record), 0, NULL, error);
}

int memory_chains_end_rows(struct memory_chains *chains, struct error *error)
{
    return btree_part_end(chains->rows, error);
}

void memory_chains_release(struct memory_chains *chains)
{
    free(chains->items);
    memory_indexes_release(&chains->indexes);
    *chains = (struct memory_chains){0};
}
