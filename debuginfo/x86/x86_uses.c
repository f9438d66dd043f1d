/* Registers of instructions: see x86_uses.h. */
#include "debuginfo/x86/x86_uses.h"

#include <stdbool.h>

uint32_t x86_uses_bit(ZydisRegister part)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
    ZyanI8 id = ZydisRegisterGetId(whole);
    switch (whole) {
    case ZYDIS_REGISTER_RAX:
        return X86_USES_RAX;
    case ZYDIS_REGISTER_RDI:
        return 1u << 5;
    case ZYDIS_REGISTER_RSI:
        return 1u << 4;
    case ZYDIS_REGISTER_RDX:
        return 1u << 1;
    case ZYDIS_REGISTER_RCX:
        return 1u << 2;
    case ZYDIS_REGISTER_R8:
        return 1u << 8;
    case ZYDIS_REGISTER_R9:
        return 1u << 9;
    default:
        break;
    }
    ZydisRegisterClass class = ZydisRegisterGetClass(whole);
    bool vector =
        class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM || class == ZYDIS_REGCLASS_ZMM;
    return vector && id >= 0 && id < 8 ? 1u << (X86_USES_VECTOR + id) : 0;
}

/* Does it clear a register, whatever it held? */
static bool clears(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    bool exclusive = false;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
        exclusive = true;
        break;
    default:
        break;
    }
    const ZydisDecodedOperand *last = &operands[decoded->operand_count_visible - 1];
    return exclusive && decoded->operand_count_visible >= 2 &&
           last->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           last[-1].type == ZYDIS_OPERAND_TYPE_REGISTER && last->reg.value == last[-1].reg.value;
}

/* Does the first operand only lend its upper part? */
static bool merges(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
    case ZYDIS_MNEMONIC_CVTSS2SD:
    case ZYDIS_MNEMONIC_CVTSD2SS:
    case ZYDIS_MNEMONIC_SQRTSD:
    case ZYDIS_MNEMONIC_SQRTSS:
    case ZYDIS_MNEMONIC_ROUNDSD:
    case ZYDIS_MNEMONIC_ROUNDSS:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVHPS:
    case ZYDIS_MNEMONIC_MOVHPD:
    case ZYDIS_MNEMONIC_MOVLPS:
    case ZYDIS_MNEMONIC_MOVLPD:
        return true;
    default:
        return false;
    }
}

static bool does_nothing(const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operands)
{
    return decoded->mnemonic == ZYDIS_MNEMONIC_NOP ||
           (decoded->mnemonic == ZYDIS_MNEMONIC_XCHG &&
            operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operands[0].reg.value == operands[1].reg.value);
}

/* The register of the first operand, if it is written; clang takes words off the stack by pops. */
static uint32_t set_by(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    return decoded->operand_count_visible > 0 && decoded->mnemonic != ZYDIS_MNEMONIC_POP &&
                   operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   (operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0
               ? x86_uses_bit(operands[0].reg.value)
               : 0;
}

struct x86_uses x86_uses_of(const ZydisDecodedInstruction *decoded,
                            const ZydisDecodedOperand *operands)
{
    struct x86_uses uses = {.sets = 0};
    if (does_nothing(decoded, operands))
        return uses;
    bool cleared = decoded->operand_count_visible >= 2 && clears(decoded, operands);
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            uses.reads |= x86_uses_bit(operand->mem.base) | x86_uses_bit(operand->mem.index);
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        uint32_t bit = x86_uses_bit(operand->reg.value);
        if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 && !cleared &&
            !(i == 0 && merges(decoded->mnemonic)))
            uses.reads |= bit;
        if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
            uses.writes |= bit;
    }
    uses.sets = set_by(decoded, operands);
    return uses;
}
