/*
 * The blocks that a forked process has from its parent: allocated before the fork, and free there
 * or here, each for itself.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_INHERITED_H
#define FISQL_LOADER_MEMORY_MEMORY_INHERITED_H

#include <stdbool.h>

#include "loader/memory/memory_map.h"

struct memory_inherited_block {
    uint64_t id, size; /* of the parent's row in allocs */
    bool freed;        /* by this process */
};

struct memory_inherited {
    struct memory_map at; /* addresses to indexes of `blocks` */
    struct memory_inherited_block *blocks;
    size_t count, capacity;
};

/* The block lies at the address from now on, whatever lay there. */
int memory_inherited_add(struct memory_inherited *inherited, uint64_t address,
                         struct memory_inherited_block block, struct error *error);

/* Adds those of the parent that lie where the child has none yet. */
int memory_inherited_copy(struct memory_inherited *child, const struct memory_inherited *parent,
                          struct error *error);

/* The block at an address, NULL = none; borrowed until the next call. */
struct memory_inherited_block *memory_inherited_find(const struct memory_inherited *inherited,
                                                     uint64_t address);

/* The process has a block of its own at the address. */
static inline void memory_inherited_remove(struct memory_inherited *inherited, uint64_t address)
{
    memory_map_remove(&inherited->at, address);
}

void memory_inherited_release(struct memory_inherited *inherited);

#endif
