/*
 * Faults: makes calls fail as rules say (formats/fault.h, `fisql record --fault`). Only
 * libfisql-faults.so has this: it is compiled with FISQL_FAULTS and records values as
 * libfisql-values.so does.
 *
 * These can fail: functions with hooks (the entry hook makes the function return at once, or throws
 * out of it), the malloc family and operator new (alloc.c, operators.c ask here), and calls of the
 * C library (libfisql-calls.so stands in front of them and asks here: faults_calls.c). The
 * collector's own calls never fail.
 */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_H

#include "collector/core/base.h"
#include "collector/core/feature.h"

#include <stdbool.h>
#include <stddef.h>

/* A call of a patched function (patch/patch_hook.h). */
struct fault_patched {
    uint64_t function, site, slot;
    uint64_t key; /* the return address of the call site that it returns through */
};

#ifdef FISQL_FAULTS

extern HIDDEN const struct feature faults_feature;

/* Do rules name the hook call with this return address? (values_recipes.c) */
bool faults_name(uint64_t address);

/* The entry hook, with kept registers: values_enter(), and then what rules say of the call. Not 0:
 * the function returns at once, as the values_frame says (struct fault_return). */
uint64_t faults_enter(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
/* The exit hook, the same with values_exit(). */
uint64_t faults_exit(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
void faults_exit_plain(uint64_t function, uint64_t site, uint64_t stack, uint64_t hook_return);

/* What the assembler loads to return from the function. */
struct fault_return {
    uint64_t general[2]; /* rax, rdx; x0, x1 */
    uint64_t vector;     /* low half of xmm0, v0 */
    uint64_t stack;      /* the stack pointer after the return */
    uint64_t address;
};

/* What rules say of a call of a patched function, whose registers are in values_patched. The caller
 * may know which registers the function leaves alone: only the result's may change. */
enum faults_patched {
    FAULTS_GO_ON,
    FAULTS_RETURN,        /* at once */
    FAULTS_RETURN_WORD,   /* ... with general[0] of *back */
    FAULTS_RETURN_VECTOR, /* ... with vector */
    FAULTS_THROW          /* as if `address` had been called in its place, with general[0] */
};
enum faults_patched faults_enter_patched(const struct fault_patched *call,
                                         struct fault_return *back, int32_t *error);

/* The call of the slot is about to return: the same for rules with `after`, of which several may
 * be waiting, as functions that jump to one another share a slot. Call it until it is
 * FAULTS_GO_ON. FAULTS_RETURN: the result stays. */
enum faults_patched faults_leave_patched(const struct fault_patched *call,
                                         struct fault_return *back, int32_t *error);

extern HIDDEN uint32_t faults_allocs; /* a bit for each kind of allocation that rules name */
/* Does this allocation fail? Then sets errno, or throws out of the caller if it may throw. */
bool faults_allocate(unsigned kind, uint64_t size_bytes, uint64_t alignment, uint64_t site,
                     uint64_t stack, bool throws);

/* Call it before each allocation. Does it fail? */
static inline bool fault_alloc(unsigned kind, uint64_t size_bytes, uint64_t alignment,
                               uint64_t site, uint64_t stack, bool throws)
{
    return UNLIKELY((faults_allocs >> kind & 1) != 0) &&
           faults_allocate(kind, size_bytes, alignment, site, stack, throws);
}

#else

static inline bool faults_name(uint64_t address)
{
    (void)address;
    return false;
}
static inline bool fault_alloc(unsigned kind, uint64_t size_bytes, uint64_t alignment,
                               uint64_t site, uint64_t stack, bool throws)
{
    (void)kind, (void)size_bytes, (void)alignment, (void)site, (void)stack, (void)throws;
    return false;
}

#endif

#endif
