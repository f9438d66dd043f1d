/*
 * The rows of allocs, in the order of allocation.
 *
 * Rows wait in a window, so we write most of them once, final. When the window is full, we write
 * its first row; if its block still lives, we leave spare bytes behind it for the free
 * (btree_replace). We gather such late frees and bring them to their rows in the order of pages:
 * each page is read and written once for many. A block stays in memory until its row is written and
 * final, so memory grows with what lives at once in the program, not with the run.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_ROWS_H
#define FISQL_LOADER_MEMORY_MEMORY_ROWS_H

#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_thread.h"

struct memory_rows {
    struct memory_blocks *blocks; /* borrowed like the next two */
    const struct memory_stacks *stacks;
    struct memory_thread *const *threads; /* of all blocks */
    /* Rows to be written, from `first` on, by id modulo the window's size. */
    struct memory_window_row {
        uint32_t block;
        struct memory_block_free free;
    } * window;
    uint64_t first, next; /* ids */
    /* Frees of blocks with a written row. */
    struct memory_late_free {
        uint32_t block;
        struct memory_block_free free;
    } * late;
    size_t late_count;
    struct btree_part *part;
};

int memory_rows_begin(struct memory_rows *rows, struct memory_blocks *blocks,
                      const struct memory_stacks *stacks, struct memory_thread *const *threads,
                      struct btree_file *file, struct error *error);

/* A new block with the next id; its index. */
int memory_rows_add(struct memory_rows *rows, uint32_t *index, struct error *error);

/* The block is final. freed: NULL = it was not freed. */
int memory_rows_final(struct memory_rows *rows, uint32_t index,
                      const struct memory_block_free *freed, struct error *error);

/* Writes what waits. Then the rows are ready for btree_finish. */
int memory_rows_end(struct memory_rows *rows, struct error *error);
void memory_rows_release(struct memory_rows *rows);

#endif
