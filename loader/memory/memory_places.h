/*
 * Where a thread's events happened. A place is a frame, site, kind and path. A path is the
 * functions with open outermost activations, for sums that include callees.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_PLACES_H
#define FISQL_LOADER_MEMORY_MEMORY_PLACES_H

#include "base/intern.h"
#include "loader/memory/memory.h"

struct memory_place {
    uint32_t frame, site, function; /* ids; 0 = none. A frame has one function. */
    uint32_t path;                  /* index in memory_places.paths + 1; 0 = none */
    uint8_t kind;                   /* enum fisql_alloc_kind */
};

/* A path's last function, and the path before it. */
struct memory_path {
    uint32_t parent; /* index + 1, less than the path's own; 0 = none */
    uint32_t function;
};

struct memory_places {
    struct intern place_keys;
    struct memory_place *places; /* by index */
    size_t places_capacity;
    struct intern path_keys;
    /* The paths of the open calls at the event before, by depth. */
    struct memory_level {
        uint64_t call;
        uint32_t path;
    } * levels;
    size_t levels_count, levels_capacity;
};

/* The open call at a depth from 1 on. */
static inline const struct memory_open_call *memory_call_at(const struct memory_stack *stack,
                                                            uint32_t depth)
{
    return (const void *)((const char *)stack->calls + (size_t)(depth - 1) * stack->stride_bytes);
}

/* The index of the place of an event within these open calls. */
int memory_places_find(struct memory_places *places, const struct memory_stack *stack,
                       uint32_t kind, uint32_t site, uint32_t *index, struct error *error);

static inline uint32_t memory_paths_count(const struct memory_places *places)
{
    return places->path_keys.count;
}

static inline struct memory_path memory_path_at(const struct memory_places *places, uint32_t index)
{
    const struct intern_key *key = &places->path_keys.keys[index];
    return (struct memory_path){(uint32_t)key->a, (uint32_t)key->b};
}

/* Frees what only memory_places_find needs. */
void memory_places_trim(struct memory_places *places);
void memory_places_release(struct memory_places *places);

#endif
