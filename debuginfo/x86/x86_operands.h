/*
 * The opcode and the operands of one x86-64 instruction, for what follows moves of values: x86_result.c,
 * x86_spills.c, x86_stores.c. Instructions with a VEX or EVEX prefix are not taken apart. Source: Intel's manual,
 * volume 2, chapter 2.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_OPERANDS_H
#define FISQL_DEBUGINFO_X86_X86_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

/* Registers by the processor's numbers. */
#define X86_RAX 0
#define X86_RSP 4
#define X86_RBP 5

struct x86_operands {
    const unsigned char *code; /* of the instruction; set by the caller, as the length is */
    unsigned length, at;
    unsigned rex, prefix; /* 66, f2, f3 or 0 */
    unsigned opcode;      /* 0x0f00 and more: after 0f */
    unsigned reg;         /* the middle field of ModRM */
    bool memory;
    unsigned rm;      /* the register, or memory's base */
    bool addressable; /* memory is [rm + displacement] */
    int32_t displacement;
};

/* Takes prefixes and opcode. */
void x86_take_opcode(struct x86_operands *operands);
/* Takes what ModRM says, for an opcode that has it. False where the instruction is too short. */
bool x86_take_operands(struct x86_operands *operands);
/* Takes a number of 1 or 4 bytes. */
bool x86_take_number(struct x86_operands *operands, unsigned bytes, int32_t *number);

/* The size of general operands that are not bytes. */
static inline unsigned x86_operand_bytes(const struct x86_operands *operands)
{
    return (operands->rex & 8) != 0 ? 8 : operands->prefix == 0x66 ? 2 : 4;
}

/* Is the memory at rbp or rsp + displacement? */
static inline bool x86_in_frame(const struct x86_operands *operands)
{
    return operands->memory && operands->addressable &&
           (operands->rm == X86_RSP || operands->rm == X86_RBP);
}

/* DWARF's number of rbp or rsp. */
static inline uint8_t x86_frame_register(const struct x86_operands *operands)
{
    return operands->rm == X86_RSP ? 7 : 6;
}

#endif
