/* Values of addresses: see memory_map.h. */
#include "loader/memory/memory_map.h"

#include <stdlib.h>
#include <string.h>

static size_t home_of(const struct memory_map *map, uint64_t address)
{
    uint64_t hash = address * 0x9e3779b97f4a7c15u;
    return (size_t)((hash ^ hash >> 32) & map->mask);
}

/* The slot of the address, or the empty one where it belongs. */
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
    /* Moves later slots of the cluster into the hole, unless that is before their home. */
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
