/*
 * The lengths of x86-64 instructions, and where those lead that end straight code. Only what compilers
 * write for user programs is known; of the rest nothing is said.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_CODE_H
#define FISQL_DEBUGINFO_X86_X86_CODE_H

#include <stddef.h>
#include <stdint.h>

enum x86_flow {
    X86_NEXT,      /* goes on behind itself */
    X86_JUMP,      /* goes on at `target` */
    X86_BRANCH,    /* either */
    X86_CALL,      /* calls `target` */
    X86_CALL_WORD, /* calls what stands in the word at `target` */
    X86_RETURN,
    X86_ELSE /* goes nowhere that is known: a jump or call through a register, a trap */
};

struct x86_instruction {
    unsigned length;
    enum x86_flow flow;
    uint64_t target;
};

/* Reads the instruction at `code`, of which `left` bytes are there; `address` is its own. Its length is 0
 * where it is not known. */
struct x86_instruction x86_read(const unsigned char *code, size_t left, uint64_t address);

#endif
