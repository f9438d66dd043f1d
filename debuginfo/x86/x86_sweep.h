/*
 * Goes through code, instruction by instruction, and tells which addresses it refers to. Quick:
 * some ten million instructions a second.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_SWEEP_H
#define FISQL_DEBUGINFO_X86_X86_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum x86_reference {
    X86_REFERS_CALL,
    X86_REFERS_JUMP,
    X86_REFERS_BRANCH,  /* a conditional jump */
    X86_REFERS_ADDRESS, /* lea of an address relative to the instruction */
    X86_REFERS_TABLE,   /* a jump through a table of addresses at a fixed address */
    X86_REFERS_THROUGH, /* a jump through the word at an address relative to the instruction */
    X86_REFERS_POPS,    /* none: a return that takes arguments off the stack; the target is 0 */
    X86_REFERS_NUMBER   /* a number of 4 or 8 bytes, which may be an address */
};

typedef void x86_sweep_visit(void *context, enum x86_reference how, uint64_t target);

/* Visits what the code refers to. It lies at `address` in its module. Bytes that are no instruction
 * are stepped over one by one. */
void x86_sweep(const unsigned char *code, size_t size_bytes, uint64_t address,
               x86_sweep_visit *visit, void *context);

#endif
