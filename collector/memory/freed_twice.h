/*
 * Double frees, noticed as they happen: before the allocator acts on them.
 *
 * A table with a slot for each hash of an address holds the block that was freed there last. An
 * allocation at the address empties the slot, so a free that finds its own address in the slot
 * frees a block a second time. A free of another block with the same hash takes the slot: then we
 * miss a double free here, and only the loader finds it.
 *
 * Why the table claims nothing wrong: we set a slot before the real free and empty it after the
 * real allocation, which cannot return the block earlier. So a set slot means that no function of
 * the malloc family has returned the block since. Allocators with functions of their own whose
 * blocks free() takes (mallocx, tc_malloc, mi_malloc) turn the reports off.
 */
#ifndef FISQL_COLLECTOR_MEMORY_FREED_TWICE_H
#define FISQL_COLLECTOR_MEMORY_FREED_TWICE_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FREED_SLOTS 4096u

/* Addresses, 0 = none. Racing threads overwrite each other's; see above. NULL: the process is not
 * recorded yet, or has no memory for the table; then we report nothing. */
extern HIDDEN uint64_t *freed_slots;

/* The process begins to be recorded. */
void freed_twice_setup(void);

static inline uint64_t *freed_slot(const void *block)
{
    uint64_t address = (uint64_t)(uintptr_t)block;
    uint64_t *slots = __atomic_load_n(&freed_slots, __ATOMIC_ACQUIRE);
    return slots != NULL ? &slots[(address >> 4 ^ address >> 16) % FREED_SLOTS] : NULL;
}

/* An allocation returned this block; NULL is allowed. */
static inline void freed_twice_allocated(const void *block)
{
    uint64_t *slot = freed_slot(block);
    if (slot != NULL && __atomic_load_n(slot, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)block)
        __atomic_store_n(slot, 0, __ATOMIC_RELAXED);
}

/* The block is about to be freed, which is recorded. */
static inline void freed_twice_freed(const void *block)
{
    uint64_t *slot = freed_slot(block);
    if (slot != NULL)
        __atomic_store_n(slot, (uint64_t)(uintptr_t)block, __ATOMIC_RELAXED);
}

static inline bool freed_twice_was_freed(const void *block)
{
    const uint64_t *slot = freed_slot(block);
    return slot != NULL && __atomic_load_n(slot, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)block;
}

/* Reports a double free, after its free is recorded and before it is done: the process's first
 * few, since each report takes time. `site`: the return address of the call; `stack`: its frame.
 * Returns whether it did; then call freed_twice_over() if the real free returns. */
bool freed_twice_tell(const void *block, uint64_t site, uint64_t stack);
void freed_twice_over(void);

#endif
