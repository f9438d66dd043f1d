/*
 * What the interposed malloc family (alloc.c) and the operators new and delete (operators.c) share.
 *
 * Names. In the shared library and in libfisql.a these functions have the names of those they stand
 * for, and the real ones come from dlsym. libfisql_static.a is for programs without a dynamic
 * linker: there the linker's --wrap turns every reference to malloc into one to __wrap_malloc, and
 * __real_malloc is libc's, or the program's own (FISQL_STATIC, `fisql cc`).
 */
#ifndef FISQL_COLLECTOR_ALLOC_H
#define FISQL_COLLECTOR_ALLOC_H

#include "collector/runtime.h"

#ifdef FISQL_STATIC
#define ALLOC_NAME(name) __wrap_##name
#else
#define ALLOC_NAME(name) name
#endif

/* The frame address of a function of the family whose real one is at work, or 0. What that calls in
 * its turn (musl's calloc calls malloc) is not recorded. */
extern __thread uint64_t alloc_outer __attribute__((tls_model("initial-exec")));

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

/* ---- operators new at work: see operators.c ---- */

/* How many operators new the calling thread is inside of, as far as is known. */
extern __thread uint32_t operators_open __attribute__((tls_model("initial-exec")));
/* The block that the thread's operator delete has recorded and is about to free, or NULL. */
extern __thread const void *operators_deleting __attribute__((tls_model("initial-exec")));

/* Drops the operators whose frames are not above `stack`, where a jump or a catch has landed. */
void operators_unwound(uint64_t stack);
/* An allocation inside an operator new, made by a function with its frame at `stack`: keeps it back
 * if it may be the operator's result. Returns false if it is to be recorded now. */
bool operators_hold(void *block, unsigned kind, size_t size_bytes, uint64_t site, uint64_t stack);
/* A block is about to be freed: records it first if it was kept back. */
void operators_freed(const void *block);
/* realloc() has recorded this block: an operator that returns it need not. */
void operators_recorded(const void *block);

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

#endif
