/*
 * A block of large memory (base/large.h) that a helper allocates and clears ahead. On a virtual
 * machine, clearing took 14 % of the time of the thread that decodes a million contexts.
 */
#ifndef FISQL_LOADER_CALLS_SPARE_BLOCK_H
#define FISQL_LOADER_CALLS_SPARE_BLOCK_H

#include <stddef.h>

#include "loader/calls/helpers.h"

/* Zeros are a block without helpers. */
struct spare_block {
    struct errand errand;
    void *memory; /* NULL = there is none */
    size_t bytes; /* asked for last */
};

/* helpers: NULL = none. */
void spare_block_init(struct spare_block *spare, struct helpers *helpers);
/* Announces that `bytes` will be needed. */
void spare_block_ask(struct spare_block *spare, size_t bytes);
/* `bytes` bytes of zeros; the caller frees them with large_free. NULL without memory. */
void *spare_block_take(struct spare_block *spare, size_t bytes);
/* No helper uses it when this returns. It can be asked again. */
void spare_block_release(struct spare_block *spare);

#endif
