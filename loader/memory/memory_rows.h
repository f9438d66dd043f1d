/*
 * The rows of allocs, in the order of allocation.
 *
 * Rows wait in a window, so that most of them are written once, final. When the window is full, its
 * first row is written; if its block still lives, with spare bytes behind it in which the free fits
 * (btree_replace). Such late frees are gathered and brought to their rows in the order of the
 * pages, so that a page is read and written once for many. A block is kept in memory until its row
 * is written and final: so memory grows with what lives at once in the program, not with the run.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_ROWS_H
#define FISQL_LOADER_MEMORY_MEMORY_ROWS_H

#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_thread.h"

struct memory_rows {
    struct memory_blocks *blocks; /* borrowed, as the next two */
    const struct memory_stacks *stacks;
    struct memory_thread *const *threads; /* of all blocks */
    /* Rows that are not written yet, by id modulo its size, from `first` on. */
    struct memory_window_row {
        uint32_t block;
        struct memory_block_free free;
    } * window;
    uint64_t first, next; /* ids */
    /* Frees that came when their block's row was written, and are not yet brought there. */
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

/* The block has become final. free: how it was freed, NULL = it was not. */
int memory_rows_final(struct memory_rows *rows, uint32_t index,
                      const struct memory_block_free *freed, struct error *error);

/* Nothing follows: writes what waits. The rows are ready for btree_finish. */
int memory_rows_end(struct memory_rows *rows, struct error *error);
void memory_rows_release(struct memory_rows *rows);

#endif
