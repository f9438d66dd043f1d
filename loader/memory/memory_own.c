/* A thread's own blocks: see memory_own.h. */
#include "loader/memory/memory_own.h"

#include <stdlib.h>

#include "base/array.h"

int memory_own_alloc(struct memory_own *own, uint64_t address, uint64_t size, uint64_t call,
                     struct error *error)
{
    uint64_t index = memory_map_find(&own->at, address);
    if (index == MEMORY_MAP_NONE) {
        index = own->unused_count > 0 ? own->unused[--own->unused_count] : own->blocks_count++;
        if (array_reach(&own->blocks, &own->blocks_capacity, index, error) < 0 ||
            memory_map_put(&own->at, address, index, error) < 0)
            return -1;
    }
    own->blocks[index] = (struct memory_own_block){size, call, own->allocs++};
    return 0;
}

int memory_own_free(struct memory_own *own, uint64_t address, struct memory_own_block *block,
                    struct error *error)
{
    uint64_t index = memory_map_find(&own->at, address);
    if (index == MEMORY_MAP_NONE)
        return 0;
    if (array_reserve(&own->unused, &own->unused_capacity, own->unused_count + 1, error) < 0)
        return -1;
    own->unused[own->unused_count++] = (uint32_t)index;
    memory_map_remove(&own->at, address);
    *block = own->blocks[index];
    return 1;
}

void memory_own_release(struct memory_own *own)
{
    memory_map_release(&own->at);
    free(own->blocks);
    free(own->unused);
    *own = (struct memory_own){0};
}
