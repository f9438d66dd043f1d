/* Double frees, noticed as they happen: see freed_twice.h. */
#include "collector/memory/freed_twice.h"

#include "collector/core/feature.h"
#include "collector/core/reserve.h"

#define TELL_MAX 4u /* reports of a process; each may take 200 ms (incidents/incident.c) */

uint64_t *freed_slots;
static struct reserve memory;
static uint32_t told; /* atomic; of this process and those that it was forked from */

/* Functions of allocators whose blocks do not come from the malloc family alone, if the program has
 * one from its start. Not by dlsym(): a lookup that fails allocates, and could take the very block
 * that is about to be freed again. */
extern void mallocx(void) __attribute__((weak));
extern void tc_malloc(void) __attribute__((weak));
extern void mi_malloc(void) __attribute__((weak));

void freed_twice_setup(void)
{
    size_t bytes = FREED_SLOTS * sizeof *freed_slots;
    if (reserve_grow(&memory, bytes, bytes))
        __atomic_store_n(&freed_slots, reserve_start(&memory), __ATOMIC_RELEASE);
}

static bool has_other_allocator(void)
{
    return mallocx != NULL || tc_malloc != NULL || mi_malloc != NULL;
}

bool freed_twice_tell(const void *block, uint64_t site, uint64_t stack)
{
    if (__atomic_load_n(&told, __ATOMIC_RELAXED) >= TELL_MAX || has_other_allocator() ||
        __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) >= TELL_MAX)
        return false;
    FEATURES_CALL(freed_twice)((uint64_t)(uintptr_t)block, site, stack);
    return true;
}

void freed_twice_over(void)
{
    FEATURES_CALL(goes_on)();
}
