/* The rows of allocs: see memory_rows.h. */
#include "loader/memory/memory_rows.h"

#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/sqlite_record.h"

enum {
    WINDOW_ROWS = 1 << 18,
    LATE_MAX = 1 << 17,
    /* A free's columns at their longest: four numbers of 8 bytes, three of 6, a name of 16; the
     * record's longer length; what btree_replace needs. */
    SPARE_BYTES = 4 * 8 + 3 * 6 + 16 + 1 + 4,
};

int memory_rows_begin(struct memory_rows *rows, struct memory_blocks *blocks,
                      const struct memory_stacks *stacks, struct memory_thread *const *threads,
                      struct btree_file *file, struct error *error)
{
    *rows = (struct memory_rows){
        .blocks = blocks, .stacks = stacks, .threads = threads, .first = 1, .next = 1};
    rows->window = malloc(WINDOW_ROWS * sizeof *rows->window);
    rows->late = malloc(LATE_MAX * sizeof *rows->late);
    if (rows->window == NULL || rows->late == NULL)
        return error_set(error, "out of memory");
    return btree_part_begin(file, &rows->part, error);
}

void memory_rows_release(struct memory_rows *rows)
{
    free(rows->window);
    free(rows->late);
    *rows = (struct memory_rows){0};
}

static void put_kind(struct record *record, uint32_t kind)
{
    const char *name = memory_kind_name(kind);
    record_text(record, name, (uint32_t)strlen(name));
}

static void encode(const struct memory_rows *rows, const struct memory_block *block,
                   const struct memory_block_free *freed, struct record *record)
{
    const struct alloc_stack *stack = &rows->stacks->items[block->stack];
    record_begin(record, 18);
    record_null(record);
    record_id_or_null(record, block->call);
    record_id_or_null(record, stack->frame);
    record_int(record, rows->threads[block->thread]->id);
    record_id_or_null(record, stack->site);
    put_kind(record, stack->kind);
    record_int(record, (int64_t)block->address);
    record_int(record, (int64_t)block->size);
    record_int(record, (int64_t)block->alloc_ns);
    if (freed->freed) {
        record_int(record, (int64_t)freed->ns);
        record_id_or_null(record, freed->call);
        record_id_or_null(record, freed->frame);
        record_int(record, rows->threads[freed->thread]->id);
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

/* Writes the window's first row. */
static int write_first(struct memory_rows *rows, struct error *error)
{
    uint64_t id = rows->first++;
    const struct memory_window_row *row = &rows->window[id % WINDOW_ROWS];
    struct memory_block *block = &rows->blocks->items[row->block];
    struct record record;
    encode(rows, block, &row->free, &record);
    if (btree_append(rows->part, (int64_t)id, record_data(&record), record_bytes(&record),
                     block->final ? 0 : SPARE_BYTES, &block->place, error) < 0)
        return -1;
    block->written = true;
    return block->final ? memory_indexes_give_back(&rows->blocks->indexes, row->block, error) : 0;
}

int memory_rows_add(struct memory_rows *rows, uint32_t *index, struct error *error)
{
    if ((rows->next - rows->first == WINDOW_ROWS && write_first(rows, error) < 0) ||
        memory_blocks_take(rows->blocks, index, error) < 0)
        return -1;
    uint64_t id = rows->next++;
    rows->window[id % WINDOW_ROWS] = (struct memory_window_row){.block = *index};
    rows->blocks->items[*index] = (struct memory_block){.id = id, .chain = MEMORY_NO_INDEX};
    return 0;
}

static int compare_late(const void *left, const void *right, void *context)
{
    const struct memory_block *blocks = context;
    const struct btree_place *a = &blocks[((const struct memory_late_free *)left)->block].place;
    const struct btree_place *b = &blocks[((const struct memory_late_free *)right)->block].place;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static int write_late(struct memory_rows *rows, struct error *error)
{
    qsort_r(rows->late, rows->late_count, sizeof *rows->late, compare_late, rows->blocks->items);
    for (size_t i = 0; i < rows->late_count; i++) {
        const struct memory_late_free *late = &rows->late[i];
        struct memory_block *block = &rows->blocks->items[late->block];
        struct record record;
        encode(rows, block, &late->free, &record);
        if (btree_replace(rows->part, &block->place, record_data(&record), record_bytes(&record),
                          error) < 0 ||
            memory_indexes_give_back(&rows->blocks->indexes, late->block, error) < 0)
            return -1;
    }
    rows->late_count = 0;
    return 0;
}

int memory_rows_final(struct memory_rows *rows, uint32_t index,
                      const struct memory_block_free *freed, struct error *error)
{
    struct memory_block *block = &rows->blocks->items[index];
    block->final = true;
    if (!block->written) {
        if (freed != NULL)
            rows->window[block->id % WINDOW_ROWS].free = *freed;
        return 0;
    }
    if (freed == NULL)
        return memory_indexes_give_back(&rows->blocks->indexes, index, error);
    rows->late[rows->late_count++] = (struct memory_late_free){index, *freed};
    return rows->late_count == LATE_MAX ? write_late(rows, error) : 0;
}

int memory_rows_end(struct memory_rows *rows, struct error *error)
{
    while (rows->first < rows->next) {
        /* No free follows: the row needs no spare bytes. */
        rows->blocks->items[rows->window[rows->first % WINDOW_ROWS].block].final = true;
        if (write_first(rows, error) < 0)
            return -1;
    }
    if (write_late(rows, error) < 0)
        return -1;
    return btree_part_end(rows->part, error);
}
