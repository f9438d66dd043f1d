/*
 * Blocks by their addresses, in three views: the run's, until it writes their row of allocs
 * (memory_blocks); that of the allocating thread (memory_own); and that of a forked child, which
 * inherits them (memory_inherited).
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_BLOCKS_H
#define FISQL_LOADER_MEMORY_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/sqlite/btree.h"

/* Whose call an event happened in, a recursion being its outermost call: the innermost function's,
 * and, for wrappers of malloc and free, that of the function around it. calls.id, 0 = none. */
enum { MEMORY_DOERS = 2 };

struct memory_doers {
    uint64_t by_level[MEMORY_DOERS];
};

/* ---- names of kinds ---- */

/* As in the database; "unknown" for a number that the format does not have. */
const char *memory_kind_name(uint32_t kind);

/* A family's frees may free its allocations. */
const char *memory_kind_family(uint32_t kind);

/* ---- addresses to numbers ---- */

struct memory_map {
    struct memory_map_slot {
        uint64_t address;
        uint64_t value; /* what the caller gave, + 1; 0 = empty */
    } * slots;
    size_t mask, count;
};

#define MEMORY_MAP_NONE UINT64_MAX

/* MEMORY_MAP_NONE = the address has no value. */
uint64_t memory_map_find(const struct memory_map *map, uint64_t address);

/* Gives the address a value, less than MEMORY_MAP_NONE, in place of its old one. */
int memory_map_put(struct memory_map *map, uint64_t address, uint64_t value, struct error *error);

void memory_map_remove(struct memory_map *map, uint64_t address);

/* Goes through the addresses; *at: 0 at first. NULL = no more. */
static inline const struct memory_map_slot *memory_map_next(const struct memory_map *map,
                                                            size_t *at)
{
    while (map->count > 0 && *at <= map->mask) {
        const struct memory_map_slot *slot = &map->slots[(*at)++];
        if (slot->value != 0)
            return slot;
    }
    return NULL;
}

void memory_map_release(struct memory_map *map);

/* ---- indexes ---- */

#define MEMORY_NO_INDEX UINT32_MAX

/* Of an array that uses its items again. */
struct memory_indexes {
    uint32_t *unused; /* a stack */
    size_t unused_count, unused_capacity;
    uint32_t count; /* the most at once */
};

/* An unused index: a returned one, or the next. The caller makes room for it. */
int memory_indexes_take(struct memory_indexes *indexes, uint32_t *index, struct error *error);
int memory_indexes_give_back(struct memory_indexes *indexes, uint32_t index, struct error *error);
void memory_indexes_release(struct memory_indexes *indexes);

/* ---- blocks whose row may still change ---- */

struct memory_block {
    uint64_t id, address, size, alloc_ns, call;
    uint64_t realloc_of; /* allocs.id, 0 = none */
    uint64_t number;     /* allocations of its thread before it */
    uint32_t stack;      /* index in memory_stacks */
    uint32_t thread;     /* index of memory->threads */
    uint32_t chain;      /* index in memory_chains; MEMORY_NO_INDEX = none */
    struct btree_place place;
    bool final;   /* nothing will change any more */
    bool written; /* at `place` */
};

struct memory_block_free {
    uint64_t ns, call, owner_call, allocs_between;
    struct memory_doers doers;
    uint32_t thread; /* index of memory->threads */
    uint32_t frame, site, owner_frame;
    uint8_t kind;
    bool freed;       /* else nothing here holds */
    bool same_thread; /* allocs_between holds */
};

/* What a realloc continues: the last block of a chain, or the one that it just freed. */
struct memory_link {
    bool valid;
    uint64_t id, address, size;
    uint32_t stack, chain;
};

static const struct memory_link memory_no_link = {.chain = MEMORY_NO_INDEX};

static inline struct memory_link memory_link_of(const struct memory_block *block)
{
    return (struct memory_link){.valid = true,
                                .id = block->id,
                                .address = block->address,
                                .size = block->size,
                                .stack = block->stack,
                                .chain = block->chain};
}

struct memory_blocks {
    struct memory_block *items;
    size_t capacity;
    struct memory_indexes indexes;
};

/* The index of an unused item with undefined content. */
int memory_blocks_take(struct memory_blocks *blocks, uint32_t *index, struct error *error);
void memory_blocks_release(struct memory_blocks *blocks);

/* ---- blocks of the thread that allocated them ---- */

struct memory_own_block {
    uint64_t size, call, number; /* the thread's allocations before it */
};

struct memory_own {
    struct memory_map at; /* addresses to indexes of `blocks` */
    struct memory_own_block *blocks;
    size_t capacity;
    struct memory_indexes indexes;
    uint64_t allocs; /* all */
};

int memory_own_alloc(struct memory_own *own, uint64_t address, uint64_t size, uint64_t call,
                     struct error *error);

/* Takes out the block at an address. Returns 1; 0 = the thread has none there; -1. */
int memory_own_free(struct memory_own *own, uint64_t address, struct memory_own_block *block,
                    struct error *error);

void memory_own_release(struct memory_own *own);

/* ---- a forked child's blocks from its parent ---- */

struct memory_inherited_block {
    uint64_t id, size; /* of the parent's row in allocs */
    bool freed;        /* by this process */
};

struct memory_inherited {
    struct memory_map at; /* addresses to indexes of `blocks` */
    struct memory_inherited_block *blocks;
    size_t count, capacity;
};

/* Puts the block at the address, whatever lay there. */
int memory_inherited_add(struct memory_inherited *inherited, uint64_t address,
                         struct memory_inherited_block block, struct error *error);

/* Adds the parent's blocks where the child has none. */
int memory_inherited_copy(struct memory_inherited *child, const struct memory_inherited *parent,
                          struct error *error);

/* The block at an address, NULL = none; borrowed until the next call. */
struct memory_inherited_block *memory_inherited_find(const struct memory_inherited *inherited,
                                                     uint64_t address);

/* The process got a block of its own at the address. */
static inline void memory_inherited_remove(struct memory_inherited *inherited, uint64_t address)
{
    memory_map_remove(&inherited->at, address);
}

void memory_inherited_release(struct memory_inherited *inherited);

#endif
