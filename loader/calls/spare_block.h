/*
 * A block of large memory (base/large.h) that a helper allocates and clears before it is needed: where the machine
 * has to get its memory from a host, clearing was 14 % of the time of the thread that decodes a million contexts.
 */
#ifndef FISQL_LOADER_CALLS_SPARE_BLOCK_H
#define FISQL_LOADER_CALLS_SPARE_BLOCK_H

#include <stddef.h>

#include "loader/calls/helpers.h"

/* Zeros, with `helpers` NULL, are one that nobody makes ahead. */
struct spare_block {
    struct errand errand;
    void *memory; /* NULL = there is none */
    size_t bytes; /* that were asked for last */
};

/* helpers: NULL = there are none. */
void spare_block_init(struct spare_block *spare, struct helpers *helpers);
/* So many bytes will be needed. Nothing happens where there are no helpers. */
void spare_block_ask(struct spare_block *spare, size_t bytes);
/* So many bytes of zeros, the caller's now: for large_free. NULL without memory. */
void *spare_block_take(struct spare_block *spare, size_t bytes);
/* No helper is at it when this returns. It may be asked for another one. */
void spare_block_release(struct spare_block *spare);

#endif
