/*
 * The rows of allocs, in the order of allocation, and of alloc_chains.
 *
 * Rows wait in a window, so that most of them are written once, final. When the window is full, its
 * first row is written; if its block still lives, with spare bytes behind it in which the free fits
 * (btree_replace). Such late frees are gathered and brought to their rows in the order of the
 * pages, so that a page is read and written once for many. A block is kept in memory until its row
 * is written and final: so memory grows with what lives at once in the program, not with the run.
 */
#include "loader/memory/memory_pairing.h"

#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/sqlite_record.h"

enum {
    WINDOW_ROWS = 1 << 18,
    LATE_MAX = 1 << 17,
    /* Columns that a free fills, at their longest: three numbers of 8 bytes, three of 6, a name of
     * up to 16; the longer length of the record; what btree_replace needs over. */
    SPARE_BYTES = 4 * 8 + 3 * 6 + 16 + 1 + 4,
};

static int out_of_memory(const struct pairing *pairing)
{
    return error_set(pairing->error, "out of memory");
}

int rows_begin(struct pairing *pairing, struct btree_file *file)
{
    pairing->first_row = pairing->next_row = 1;
    pairing->window = malloc(WINDOW_ROWS * sizeof *pairing->window);
    pairing->late = malloc(LATE_MAX * sizeof *pairing->late);
    if (pairing->window == NULL || pairing->late == NULL)
        return out_of_memory(pairing);
    if (btree_part_begin(file, &pairing->allocs, pairing->error) < 0)
        return -1;
    return btree_part_begin(file, &pairing->chain_rows, pairing->error);
}

static void put_kind(struct record *record, uint32_t kind)
{
    const char *name = memory_kind_name(kind);
    record_text(record, name, (uint32_t)strlen(name));
}

static void encode(const struct pairing *pairing, const struct memory_block *block,
                   const struct memory_block_free *freed, struct record *record)
{
    const struct alloc_stack *stack = &pairing->memory->stacks[block->stack];
    record_begin(record, 18);
    record_null(record);
    record_id_or_null(record, block->call);
    record_id_or_null(record, stack->frame);
    record_int(record, pairing->threads[block->thread].spool->id);
    record_id_or_null(record, stack->site);
    put_kind(record, stack->kind);
    record_int(record, (int64_t)block->address);
    record_int(record, (int64_t)block->size);
    record_int(record, (int64_t)block->alloc_ns);
    if (freed->freed) {
        record_int(record, (int64_t)freed->ns);
        record_id_or_null(record, freed->call);
        record_id_or_null(record, freed->frame);
        record_int(record, pairing->threads[freed->thread].spool->id);
        record_id_or_null(record, freed->site);
        put_kind(record, freed->kind);
    } else {
        for (int column = 0; column < 6; column++)
            record_null(record);
    }
    record_id_or_null(record, block->realloc_of);
    if (freed->same_thread)
        record_int(record, (int64_t)freed->allocs_between);
    else
        record_null(record);
    record_id_or_null(record, freed->owner_call);
}

static int release_block(struct pairing *pairing, uint32_t index)
{
    if (array_reserve(&pairing->unused_blocks, &pairing->unused_blocks_capacity,
                      pairing->unused_blocks_count + 1, pairing->error) < 0)
        return -1;
    pairing->unused_blocks[pairing->unused_blocks_count++] = index;
    return 0;
}

/* Writes the window's first row. */
static int write_first(struct pairing *pairing)
{
    uint64_t id = pairing->first_row++;
    const struct window_row *row = &pairing->window[id % WINDOW_ROWS];
    struct memory_block *block = &pairing->blocks[row->block];
    struct record record;
    encode(pairing, block, &row->free, &record);
    if (btree_append(pairing->allocs, (int64_t)id, record_data(&record), record_bytes(&record),
                     block->final ? 0 : SPARE_BYTES, &block->place, pairing->error) < 0)
        return -1;
    block->written = true;
    return block->final ? release_block(pairing, row->block) : 0;
}

int rows_add(struct pairing *pairing, uint32_t *index)
{
    if (pairing->next_row - pairing->first_row == WINDOW_ROWS && write_first(pairing) < 0)
        return -1;
    if (pairing->unused_blocks_count > 0) {
        *index = pairing->unused_blocks[--pairing->unused_blocks_count];
    } else {
        if (pairing->blocks_count >= NO_INDEX)
            return error_set(pairing->error, "more than %u blocks live at once", NO_INDEX);
        if (array_reserve(&pairing->blocks, &pairing->blocks_capacity, pairing->blocks_count + 1,
                          pairing->error) < 0)
            return -1;
        *index = (uint32_t)pairing->blocks_count++;
    }
    uint64_t id = pairing->next_row++;
    pairing->window[id % WINDOW_ROWS] = (struct window_row){.block = *index};
    pairing->blocks[*index] = (struct memory_block){.id = id, .chain = NO_INDEX};
    pairing->memory->rows = id;
    return 0;
}

static int compare_late(const void *left, const void *right, void *context)
{
    const struct memory_block *blocks = context;
    const struct btree_place *a = &blocks[((const struct late_free *)left)->block].place;
    const struct btree_place *b = &blocks[((const struct late_free *)right)->block].place;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

/* Brings the late frees to their rows. */
static int write_late(struct pairing *pairing)
{
    qsort_r(pairing->late, pairing->late_count, sizeof *pairing->late, compare_late,
            pairing->blocks);
    for (size_t i = 0; i < pairing->late_count; i++) {
        const struct late_free *late = &pairing->late[i];
        struct memory_block *block = &pairing->blocks[late->block];
        struct record record;
        encode(pairing, block, &late->free, &record);
        if (btree_replace(pairing->allocs, &block->place, record_data(&record),
                          record_bytes(&record), pairing->error) < 0 ||
            release_block(pairing, late->block) < 0)
            return -1;
    }
    pairing->late_count = 0;
    return 0;
}

int rows_final(struct pairing *pairing, uint32_t index, const struct memory_block_free *freed)
{
    struct memory_block *block = &pairing->blocks[index];
    block->final = true;
    if (!block->written) {
        if (freed != NULL)
            pairing->window[block->id % WINDOW_ROWS].free = *freed;
        return 0;
    }
    if (freed == NULL)
        return release_block(pairing, index);
    pairing->late[pairing->late_count++] = (struct late_free){index, *freed};
    return pairing->late_count == LATE_MAX ? write_late(pairing) : 0;
}

int rows_end(struct pairing *pairing, struct btree_file *file)
{
    while (pairing->first_row < pairing->next_row) {
        /* Nothing follows: rows need no spare bytes now. */
        pairing->blocks[pairing->window[pairing->first_row % WINDOW_ROWS].block].final = true;
        if (write_first(pairing) < 0)
            return -1;
    }
    if (write_late(pairing) < 0 || btree_part_end(pairing->allocs, pairing->error) < 0 ||
        btree_part_end(pairing->chain_rows, pairing->error) < 0 ||
        btree_finish(file, "allocs", &pairing->allocs, 1, pairing->error) < 0)
        return -1;
    return btree_finish(file, "alloc_chains", &pairing->chain_rows, 1, pairing->error);
}

struct memory_link memory_link_of(const struct memory_block *block)
{
    return (struct memory_link){.valid = true,
                                .id = block->id,
                                .address = block->address,
                                .size = block->size,
                                .stack = block->stack,
                                .chain = block->chain};
}

int chain_continue(struct pairing *pairing, uint32_t index, const struct memory_link *from)
{
    struct memory_block *block = &pairing->blocks[index];
    block->realloc_of = from->id;
    block->chain = from->chain;
    if (block->chain == NO_INDEX) {
        if (pairing->unused_chains_count > 0) {
            block->chain = pairing->unused_chains[--pairing->unused_chains_count];
        } else {
            if (array_reserve(&pairing->chains, &pairing->chains_capacity,
                              pairing->chains_count + 1, pairing->error) < 0)
                return -1;
            block->chain = (uint32_t)pairing->chains_count++;
        }
        pairing->chains[block->chain] =
            (struct memory_chain){.first_alloc = from->id, .first_size = from->size};
    }
    struct memory_chain *chain = &pairing->chains[block->chain];
    chain->length++;
    if (block->address != from->address) {
        chain->moves++;
        chain->copied_bytes += block->size < from->size ? block->size : from->size;
    }
    return 0;
}

int chain_end(struct pairing *pairing, const struct memory_link *last)
{
    if (last->chain == NO_INDEX)
        return 0;
    const struct memory_chain *chain = &pairing->chains[last->chain];
    if (array_reserve(&pairing->unused_chains, &pairing->unused_chains_capacity,
                      pairing->unused_chains_count + 1, pairing->error) < 0)
        return -1;
    pairing->unused_chains[pairing->unused_chains_count++] = last->chain;
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
    return btree_append(pairing->chain_rows, (int64_t)++pairing->chain_rows_count,
                        record_data(&record), record_bytes(&record), 0, NULL, pairing->error);
}
