/*
 * What an instruction does with the registers that arguments and results are passed in (x86-64). For
 * files that decode with Zydis.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_USES_H
#define FISQL_DEBUGINFO_X86_X86_USES_H

#include <Zydis/Zydis.h>

#include <stdint.h>

#define X86_USES_RAX 1u
#define X86_USES_VECTOR 16 /* the bit of xmm0; general registers have those of DWARF's numbers */

struct x86_uses { /* a bit each: rax, rdi, rsi, rdx, rcx, r8, r9, xmm0 to xmm7 */
    uint32_t reads, writes;
    uint32_t sets; /* of what it writes, what it is there for */
};

/* The bit of a register, whichever part of it; 0 = none of those. */
uint32_t x86_uses_bit(ZydisRegister part);

/* What clears a register does not read it, nor does what only keeps its upper part, or does nothing. */
struct x86_uses x86_uses_of(const ZydisDecodedInstruction *decoded,
                            const ZydisDecodedOperand *operands);

#endif
