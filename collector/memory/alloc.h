/*
 * What the interposed malloc family (alloc.c) and the operators new and delete (operators.c) share.
 *
 * Names. In the shared library and in libfisql.a these functions have the names of those they stand
 * for, and the real ones come from dlsym. libfisql_static.a is for programs without a dynamic
 * linker: there the linker's --wrap turns every reference to malloc into one to __wrap_malloc, and
 * __real_malloc is libc's, or the program's own (FISQL_STATIC, `fisql cc`).
 */
#ifndef FISQL_COLLECTOR_MEMORY_ALLOC_H
#define FISQL_COLLECTOR_MEMORY_ALLOC_H

#include "collector/memory/alloc_events.h"
#include "collector/memory/operators.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"

#ifdef FISQL_STATIC
#define ALLOC_NAME(name) __wrap_##name
#else
#define ALLOC_NAME(name) name
#endif

/* The frame address of a function of the family whose real one is at work, or 0. What that calls in
 * its turn (musl's calloc calls malloc) is not recorded. */
extern HIDDEN THREAD_LOCAL uint64_t alloc_outer;

static inline __attribute__((always_inline)) bool alloc_outermost(void)
{
    /* One that is not above us was left by a jump that nobody saw. */
    return LIKELY(alloc_outer == 0) || alloc_outer <= FRAME_ADDRESS();
}

/* Are allocations recorded now? */
static inline __attribute__((always_inline)) bool alloc_recording(void)
{
    return collector_inside == 0 && alloc_outermost() && process_active() && process.options.alloc;
}

/* Records an allocation, or has it kept back. For alloc.c and operators.c. */
static inline void alloc_made(void *block, unsigned kind, size_t size_bytes, uint64_t site,
                              uint64_t stack)
{
    if (block == NULL || !alloc_recording())
        return;
    if (UNLIKELY(block == operators_deleting))
        operators_deleting = NULL; /* its delete was left by a jump and did free it */
    if (LIKELY(operators_open == 0) || !operators_hold(block, kind, size_bytes, site, stack))
        record_alloc(kind, (uint64_t)(uintptr_t)block, size_bytes, site);
}

/* Resolves the functions that are interposed. */
void alloc_setup(void);
/* A jump or a catch landed in a frame whose hooks would stand at `stack`: functions of the malloc
 * family whose frames are not above it were left. */
void alloc_unwound(uint64_t stack);
/* Is this the collector that the program's calls reach? A program may have libfisql.a linked in and
 * the shared library preloaded too: the latter then keeps still. */
bool alloc_is_ours(void);

#endif
