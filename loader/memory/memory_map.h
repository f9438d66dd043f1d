/*
 * What is known of the addresses of a process: a hash table from addresses to the caller's values.
 * Open addressing, at most three quarters full; what is removed leaves no trace.
 *
 * Zero-initialised is empty. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_MAP_H
#define FISQL_LOADER_MEMORY_MEMORY_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct memory_map {
    struct memory_map_slot {
        uint64_t address;
        uint64_t value; /* what the caller gave, + 1; 0 = empty */
    } * slots;
    size_t mask, count;
};

#define MEMORY_MAP_NONE UINT64_MAX

/* The address's value, MEMORY_MAP_NONE if it has none. */
uint64_t memory_map_find(const struct memory_map *map, uint64_t address);

/* Gives the address a value (less than MEMORY_MAP_NONE) in place of the one it had. */
int memory_map_put(struct memory_map *map, uint64_t address, uint64_t value, struct error *error);

/* Removes the address, if it is there. */
void memory_map_remove(struct memory_map *map, uint64_t address);

void memory_map_release(struct memory_map *map);

#endif
