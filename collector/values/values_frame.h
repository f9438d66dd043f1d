/* Registers that the hooks of libfisql-values.so keep: see values.h. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_FRAME_H
#define FISQL_COLLECTOR_VALUES_VALUES_FRAME_H

#include "collector/core/base.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define VALUES_GENERAL 16u /* registers by DWARF's numbers */
#define VALUES_STACK_POINTER 7u
#elif defined(__aarch64__)
#define VALUES_GENERAL 32u
#define VALUES_STACK_POINTER 31u
#endif
#define VALUES_VECTORS 8u

/* Lies right below the hook's frame address. The registers are as the hook's caller left them,
 * except those in which it passed the hook's arguments. */
struct values_frame {
    unsigned char vector[VALUES_VECTORS][16];
    uint64_t vectors_kept;
    uint64_t general[VALUES_GENERAL];
    uint64_t hook_return; /* the hook's return address */
};

#if defined(__x86_64__)
_Static_assert(sizeof(struct values_frame) == 272, "values_x86_64.S knows it");
#elif defined(__aarch64__)
_Static_assert(sizeof(struct values_frame) == 400, "values_aarch64.S knows it");
#endif

static inline struct values_frame *values_frame(uint64_t stack)
{
    return (struct values_frame *)(uintptr_t)stack - 1;
}

#define VALUES_RETURNED_VECTORS 4u

/* Registers as a function returns with them. */
struct values_returned {
    unsigned char vector[VALUES_RETURNED_VECTORS][16]; /* x86-64: two of them */
    uint64_t general[2];
};

/* The registers of a patched function (collector/patch/), as its slow hook keeps them. Its frame
 * address is the slot of its return address; `hook_return` is the address by which recipes know its
 * entry or its return. */
struct values_patched {
    struct values_frame frame;
    struct values_returned returned; /* at the return */
};
extern HIDDEN THREAD_LOCAL struct values_patched *values_patched; /* of the one at work */
/* Its frame address; 0 = none is at work. The pointer may be to a stack that is gone: a handler may have
 * jumped out of the hook. */
extern HIDDEN THREAD_LOCAL uint64_t values_patched_stack;

/* The same for any hook. */
static inline struct values_frame *values_frame_of(uint64_t stack)
{
    return values_patched_stack == stack ? &values_patched->frame : values_frame(stack);
}

/* Stores the vector registers of the hook with this frame address, unless that is done: call it
 * before anything that may change them. */
void values_keep(uint64_t stack);

#endif
