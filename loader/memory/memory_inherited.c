/* Blocks of the parent: see memory_inherited.h. */
#include "loader/memory/memory_inherited.h"

#include <stdlib.h>

#include "base/array.h"

int memory_inherited_add(struct memory_inherited *inherited, uint64_t address,
                         struct memory_inherited_block block, struct error *error)
{
    if (array_reserve(&inherited->blocks, &inherited->capacity, inherited->count + 1, error) < 0)
        return -1;
    inherited->blocks[inherited->count] = block;
    return memory_map_put(&inherited->at, address, inherited->count++, error);
}

int memory_inherited_copy(struct memory_inherited *child, const struct memory_inherited *parent,
                          struct error *error)
{
    for (size_t i = 0; parent->at.count > 0 && i <= parent->at.mask; i++) {
        const struct memory_map_slot *slot = &parent->at.slots[i];
        if (slot->value != 0 && memory_map_find(&child->at, slot->address) == MEMORY_MAP_NONE &&
            memory_inherited_add(child, slot->address, parent->blocks[slot->value - 1], error) < 0)
            return -1;
    }
    return 0;
}

struct memory_inherited_block *memory_inherited_find(const struct memory_inherited *inherited,
                                                     uint64_t address)
{
    uint64_t index = memory_map_find(&inherited->at, address);
    return index != MEMORY_MAP_NONE ? &inherited->blocks[index] : NULL;
}

void memory_inherited_release(struct memory_inherited *inherited)
{
    memory_map_release(&inherited->at);
    free(inherited->blocks);
    *inherited = (struct memory_inherited){0};
}
