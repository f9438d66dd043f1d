/* Chains of reallocs: see memory_chains.h. */
#include "loader/memory/memory_chains.h"

#include <stdlib.h>

#include "base/array.h"
#include "loader/sqlite/sqlite_record.h"

int memory_chains_begin(struct memory_chains *chains, struct btree_file *file, struct error *error)
{
    return btree_part_begin(file, &chains->rows, error);
}

static int begin_chain(struct memory_chains *chains, const struct memory_link *first,
                       uint32_t *index, struct error *error)
{
    if (chains->unused_count > 0) {
        *index = chains->unused[--chains->unused_count];
    } else {
        if (array_reserve(&chains->items, &chains->capacity, chains->count + 1, error) < 0)
            return -1;
        *index = (uint32_t)chains->count++;
    }
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
    if (array_reserve(&chains->unused, &chains->unused_capacity, chains->unused_count + 1, error) <
        0)
        return -1;
    chains->unused[chains->unused_count++] = last->chain;
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
    free(chains->unused);
    *chains = (struct memory_chains){0};
}
