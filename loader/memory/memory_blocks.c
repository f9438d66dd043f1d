/* Blocks that may still change: see memory_blocks.h. */
#include "loader/memory/memory_blocks.h"

#include <stdlib.h>

#include "base/array.h"

int memory_blocks_take(struct memory_blocks *blocks, uint32_t *index, struct error *error)
{
    if (blocks->unused_count > 0) {
        *index = blocks->unused[--blocks->unused_count];
        return 0;
    }
    if (blocks->count >= MEMORY_NO_INDEX)
        return error_set(error, "more than %u blocks live at once", MEMORY_NO_INDEX);
    if (array_reserve(&blocks->items, &blocks->capacity, blocks->count + 1, error) < 0)
        return -1;
    *index = (uint32_t)blocks->count++;
    return 0;
}

int memory_blocks_give_back(struct memory_blocks *blocks, uint32_t index, struct error *error)
{
    if (array_reserve(&blocks->unused, &blocks->unused_capacity, blocks->unused_count + 1, error) <
        0)
        return -1;
    blocks->unused[blocks->unused_count++] = index;
    return 0;
}

void memory_blocks_release(struct memory_blocks *blocks)
{
    free(blocks->items);
    free(blocks->unused);
    *blocks = (struct memory_blocks){0};
}
