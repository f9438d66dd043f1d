/* Blocks by their addresses: see memory_blocks.h. */
#include "loader/memory/memory_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/log.h"

/* ---- names of kinds ---- */

static const struct {
    const char *name, *family;
} kinds[FISQL_KINDS_MAX] = {
#define KIND(constant, number, name, family) [number] = {name, family},
    FISQL_ALLOC_KINDS(KIND)
#undef KIND
};

const char *memory_kind_name(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].name != NULL ? kinds[kind].name : "unknown";
}

const char *memory_kind_family(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].family != NULL ? kinds[kind].family : "unknown";
}

/* ---- addresses to numbers ---- */

static size_t home_of(const struct memory_map *map, uint64_t address)
{
    uint64_t hash = address * 0x9e3779b97f4a7c15u;
    return (size_t)((hash ^ hash >> 32) & map->mask);
}

/* The address's slot, or the empty one for it. */
static size_t find_slot(const struct memory_map *map, uint64_t address)
{
    size_t at = home_of(map, address);
    while (map->slots[at].value != 0 && map->slots[at].address != address)
        at = (at + 1) & map->mask;
    return at;
}

uint64_t memory_map_find(const struct memory_map *map, uint64_t address)
{
    return map->count == 0 ? MEMORY_MAP_NONE : map->slots[find_slot(map, address)].value - 1;
}

static int grow(struct memory_map *map, struct error *error)
{
    struct memory_map before = *map;
    size_t slots = before.slots == NULL ? 64 : (before.mask + 1) * 2;
    map->slots = calloc(slots, sizeof *map->slots);
    if (map->slots == NULL) {
        *map = before;
        return error_set(error, "out of memory for a table of %zu addresses", slots);
    }
    map->mask = slots - 1;
    for (size_t i = 0; before.slots != NULL && i <= before.mask; i++)
        if (before.slots[i].value != 0)
            map->slots[find_slot(map, before.slots[i].address)] = before.slots[i];
    free(before.slots);
    return 0;
}

int memory_map_put(struct memory_map *map, uint64_t address, uint64_t value, struct error *error)
{
    if ((map->slots == NULL || map->count >= map->mask / 4 * 3) && grow(map, error) < 0)
        return -1;
    struct memory_map_slot *slot = &map->slots[find_slot(map, address)];
    map->count += slot->value == 0;
    *slot = (struct memory_map_slot){address, value + 1};
    return 0;
}

void memory_map_remove(struct memory_map *map, uint64_t address)
{
    if (map->count == 0)
        return;
    size_t hole = find_slot(map, address);
    if (map->slots[hole].value == 0)
        return;
    map->count--;
    /* Moves later slots of the cluster into the hole, unless it lies before their home. */
    for (size_t at = (hole + 1) & map->mask; map->slots[at].value != 0; at = (at + 1) & map->mask) {
        size_t home = home_of(map, map->slots[at].address);
        if (((at - home) & map->mask) >= ((at - hole) & map->mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].value = 0;
}

void memory_map_release(struct memory_map *map)
{
    free(map->slots);
    *map = (struct memory_map){0};
}

/* ---- indexes ---- */

int memory_indexes_take(struct memory_indexes *indexes, uint32_t *index, struct error *error)
{
    if (indexes->unused_count > 0) {
        *index = indexes->unused[--indexes->unused_count];
        return 0;
    }
    if (indexes->count == MEMORY_NO_INDEX)
        return error_set(error, "more than %u blocks live at once", MEMORY_NO_INDEX);
    *index = indexes->count++;
    return 0;
}

int memory_indexes_give_back(struct memory_indexes *indexes, uint32_t index, struct error *error)
{
    if (array_reserve(&indexes->unused, &indexes->unused_capacity, indexes->unused_count + 1,
                      error) < 0)
        return -1;
    indexes->unused[indexes->unused_count++] = index;
    return 0;
}

void memory_indexes_release(struct memory_indexes *indexes)
{
    free(indexes->unused);
    *indexes = (struct memory_indexes){0};
}

/* ---- blocks whose row may still change ---- */

int memory_blocks_take(struct memory_blocks *blocks, uint32_t *index, struct error *error)
{
    if (memory_indexes_take(&blocks->indexes, index, error) < 0)
        return -1;
    return array_reserve(&blocks->items, &blocks->capacity, (size_t)*index + 1, error);
}

void memory_blocks_release(struct memory_blocks *blocks)
{
    free(blocks->items);
    memory_indexes_release(&blocks->indexes);
    *blocks = (struct memory_blocks){0};
}

/* ---- blocks of the thread that allocated them ---- */

int memory_own_alloc(struct memory_own *own, uint64_t address, uint64_t size, uint64_t call,
                     struct error *error)
{
    uint64_t known = memory_map_find(&own->at, address);
    uint32_t index = (uint32_t)known;
    if (known == MEMORY_MAP_NONE && (memory_indexes_take(&own->indexes, &index, error) < 0 ||
                                     array_reach(&own->blocks, &own->capacity, index, error) < 0 ||
                                     memory_map_put(&own->at, address, index, error) < 0))
        return -1;
    own->blocks[index] = (struct memory_own_block){size, call, own->allocs++};
    return 0;
}

int memory_own_free(struct memory_own *own, uint64_t address, struct memory_own_block *block,
                    struct error *error)
{
    uint64_t index = memory_map_find(&own->at, address);
    if (index == MEMORY_MAP_NONE)
        return 0;
    if (memory_indexes_give_back(&own->indexes, (uint32_t)index, error) < 0)
        return -1;
    memory_map_remove(&own->at, address);
    *block = own->blocks[index];
    return 1;
}

void memory_own_release(struct memory_own *own)
{
    memory_map_release(&own->at);
    free(own->blocks);
    memory_indexes_release(&own->indexes);
    *own = (struct memory_own){0};
}

/* ---- a forked child's blocks from its parent ---- */

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
    const struct memory_map_slot *slot;
    for (size_t at = 0; (slot = memory_map_next(&parent->at, &at)) != NULL;)
        if (memory_map_find(&child->at, slot->address) == MEMORY_MAP_NONE &&
            memory_inherited_add(child, slot->address, parent->blocks[slot->value - 1], error) < 0)
            return -1;
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
