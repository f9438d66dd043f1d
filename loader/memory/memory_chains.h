/*
 * Blocks that realloc made again and again, and the rows of alloc_chains: one for each chain of two
 * reallocs or more, written when the chain ends.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_CHAINS_H
#define FISQL_LOADER_MEMORY_MEMORY_CHAINS_H

#include "loader/memory/memory_blocks.h"

struct memory_chains {
    struct memory_chain {
        uint64_t first_alloc, first_size, length, moves, copied_bytes;
    } * items;
    size_t count, capacity;
    uint32_t *unused; /* indexes, a stack */
    size_t unused_count, unused_capacity;
    struct btree_part *rows;
    uint64_t rows_count;
};

int memory_chains_begin(struct memory_chains *chains, struct btree_file *file, struct error *error);

/* A realloc made the block of what `from` says. */
int memory_chains_continue(struct memory_chains *chains, struct memory_block *block,
                           const struct memory_link *from, struct error *error);

/* Nothing follows `last`. */
int memory_chains_end(struct memory_chains *chains, const struct memory_link *last,
                      struct error *error);

/* Ends the rows: they are ready for btree_finish. */
int memory_chains_end_rows(struct memory_chains *chains, struct error *error);
void memory_chains_release(struct memory_chains *chains);

#endif
