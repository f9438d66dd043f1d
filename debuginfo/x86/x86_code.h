/*
 * One x86-64 instruction, decoded by Zydis: where it leads, and the operands through which
 * x86_result.c, x86_spills.c and x86_stores.c follow values.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_CODE_H
#define FISQL_DEBUGINFO_X86_X86_CODE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"

enum x86_flow {
    X86_NEXT,      /* to the next instruction */
    X86_JUMP,      /* to `target` */
    X86_BRANCH,    /* to one of these */
    X86_CALL,      /* calls `target` */
    X86_CALL_WORD, /* calls what the word at `target` holds */
    X86_RETURN,
    X86_ELSE /* to an unknown place: a jump or call through a register, a trap */
};

/* Registers by the processor's numbers. */
#define X86_RAX 0
#define X86_RSP 4
#define X86_RBP 5
#define X86_NO_REGISTER 16

struct x86_operand {
    enum { X86_NONE, X86_GENERAL, X86_VECTOR, X86_MEMORY, X86_NUMBER } kind; /* NONE: any other */
    uint8_t number; /* the register; of MEMORY the base if it is [base + value], or NO_REGISTER */
    uint8_t bytes;
    int64_t value; /* of NUMBER: extended by its sign */
};

struct x86_instruction {
    unsigned length; /* 0: not decoded */
    enum x86_flow flow;
    uint64_t target;
    ZydisMnemonic mnemonic;
    struct x86_operand to, from; /* the first two that assembly text names */
};

/* Reads the instruction at an address of the module. */
struct x86_instruction x86_read(const struct elf_file *module, uint64_t address);

/* Does it copy `from` to `to`? */
bool x86_is_copy(const struct x86_instruction *instruction);

/* Is it [rbp or rsp + value]? */
static inline bool x86_in_frame(const struct x86_operand *operand)
{
    return operand->kind == X86_MEMORY &&
           (operand->number == X86_RSP || operand->number == X86_RBP);
}

/* DWARF's number of rbp or rsp. */
static inline uint8_t x86_frame_register(const struct x86_operand *operand)
{
    return operand->number == X86_RSP ? 7 : 6;
}

#endif
