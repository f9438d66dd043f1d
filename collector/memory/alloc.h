/*
 * Shared by the interposed malloc family (alloc.c) and the operators new and delete (operators.c).
 *
 * Names: in the shared library and in libfisql.a these functions have the original names, and dlsym
 * finds the real ones. libfisql_static.a is for programs without a dynamic linker (FISQL_STATIC,
 * `fisql cc`): there the linker's --wrap turns every reference to malloc into one to __wrap_malloc,
 * and __real_malloc is libc's, or the program's own.
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

/* The frame address of the family's function whose real one is running, or 0. We do not record what
 * that one calls (musl's calloc calls malloc). */
extern HIDDEN THREAD_LOCAL uint64_t alloc_outer;

static inline __attribute__((always_inline)) bool alloc_outermost(void)
{
    /* A frame that is not above us was left by a jump that we did not see. */
    return LIKELY(alloc_outer == 0) || alloc_outer <= FRAME_ADDRESS();
}

/* Are allocations recorded now? */
static inline __attribute__((always_inline)) bool alloc_recording(void)
{
    return collector_inside == 0 && alloc_outermost() && process_active() && process.options.alloc;
}

/* Records an allocation, or has it held back. For alloc.c and operators.c. */
static inline void alloc_made(void *block, unsigned kind, size_t size_bytes, uint64_t site,
                              uint64_t stack)
{
    if (block == NULL || !alloc_recording())
        return;
    if (UNLIKELY(block == operators_deleting))
        operators_deleting = NULL; /* a jump left its delete, which did free it */
    if (LIKELY(operators_open == 0) || !operators_hold(block, kind, size_bytes, site, stack))
        record_alloc(kind, (uint64_t)(uintptr_t)block, size_bytes, site);
}

/* Resolves the real functions. */
void alloc_setup(void);
/* A jump or a catch landed in a frame whose hooks would have the address `stack`: it left the
 * family's functions whose frames are not above that. */
void alloc_unwound(uint64_t stack);
/* Do the program's calls reach this collector? With libfisql.a linked in and the shared library
 * preloaded, the latter stays inactive. */
bool alloc_is_ours(void);

#endif
