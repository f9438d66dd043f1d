/*
 * Where calls return to. A function that records calls as they are puts an address of its own in the
 * return address's place (patch/patch_hook.h). What such a function calls by a jump would take that
 * for its caller. The true address lies in memory at a fixed distance from the stack.
 */
#ifndef FISQL_COLLECTOR_CORE_TRUE_RETURN_H
#define FISQL_COLLECTOR_CORE_TRUE_RETURN_H

#include "collector/core/base.h"

/* The addresses that stand in for true ones, and what leads from a stack slot to the true one: its
 * address is the slot's XOR `flip`. All 0 until a feature sets it, once. */
struct return_stand_ins {
    uint64_t start, bytes, flip;
};
extern HIDDEN struct return_stand_ins return_stand_ins;

/* The address that a call returns to in truth, of which `address` is the return address and `stack`
 * the canonical frame address of the function that was called (FRAME_ADDRESS()). */
static inline uint64_t true_return(uint64_t address, uint64_t stack)
{
    if (LIKELY(address - return_stand_ins.start >= return_stand_ins.bytes))
        return address;
    return *(const uint64_t *)((stack - sizeof(uint64_t)) ^ return_stand_ins.flip);
}

/* The same, for libraries beside the collector's. */
EXPORT uint64_t fisql_true_return(uint64_t address, uint64_t stack);

/* Where the function that this stands in was called. */
#define CALL_SITE() true_return((uint64_t)(uintptr_t)__builtin_return_address(0), FRAME_ADDRESS())

#endif
