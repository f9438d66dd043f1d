/* Pairs of function and site: see pairs.h. */
#include "loader/calls/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void pairs_init(struct pairs *pairs)
{
    memset(pairs, 0, sizeof *pairs);
}

void pairs_release(struct pairs *pairs)
{
    intern_release(&pairs->callees);
    slots_release(&pairs->slots);
    free(pairs->items);
    free(pairs->unloads);
    pairs_init(pairs);
}

static int by_tick(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

int pairs_begin_process(struct pairs *pairs, const struct log_index *index, uint32_t process,
                        struct error *error)
{
    slots_clear(&pairs->slots);
    pairs->process = process;
    pairs->unloads_count = 0;
    for (size_t i = 0; i < index->modules_count; i++) {
        const struct log_module *module = &index->modules[i];
        if (module->process != process || module->unload_tick == TICK_UNKNOWN)
            continue;
        if (array_reserve(&pairs->unloads, &pairs->unloads_capacity, pairs->unloads_count + 1,
                          error) != 0)
            return -1;
        pairs->unloads[pairs->unloads_count++] = module->unload_tick;
    }
    if (pairs->unloads_count > 0)
        qsort(pairs->unloads, pairs->unloads_count, sizeof *pairs->unloads, by_tick);
    return 0;
}

void pairs_begin_thread(struct pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->slots.count; i++)
        pairs->items[i].open = pairs->items[i].inherited = 0;
}

/* The number of unloads up to the tick. */
static uint32_t epoch_at(const struct pairs *pairs, uint64_t tick)
{
    size_t low = 0, high = pairs->unloads_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs->unloads[middle] <= tick)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

int pairs_find(struct pairs *pairs, struct program *program, uint64_t function, uint64_t site,
               uint64_t tick, uint32_t *index, struct error *error)
{
    uint32_t epoch = epoch_at(pairs, tick), hash = slots_hash(function, site + epoch);
    for (uint32_t at = hash; (*index = slots_next(&pairs->slots, hash, &at)) != SLOTS_NONE;) {
        const struct pair *known = &pairs->items[*index];
        if (known->function_address == function && known->site_address == site &&
            known->epoch == epoch)
            return 0;
    }
    *index = pairs->slots.count;
    if (array_reserve(&pairs->items, &pairs->capacity, (size_t)*index + 1, error) != 0)
        return -1;
    struct pair *pair = &pairs->items[*index];
    *pair = (struct pair){.function_address = function, .site_address = site, .epoch = epoch};
    if (program_function(program, pairs->process, function, tick, &pair->function, error) != 0 ||
        (site != 0 && /* another tool's recording has none */
         program_site(program, pairs->process, site, tick, &pair->site, error) != 0) ||
        intern_add(&pairs->callees, pair->function, pair->site, &pair->callee, error) != 0)
        return -1;
    return slots_add(&pairs->slots, hash, *index, error);
}
