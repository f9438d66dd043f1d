/* Instructions, decoded by Zydis: see x86_code.h. */
#include "debuginfo/x86/x86_code.h"

static struct x86_operand register_of(ZydisRegister name, uint8_t bytes)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    struct x86_operand operand = {.number = (uint8_t)ZydisRegisterGetId(whole), .bytes = bytes};
    if (ZydisRegisterGetClass(name) == ZYDIS_REGCLASS_XMM)
        operand.kind = X86_VECTOR;
    else if (ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 &&
             (name < ZYDIS_REGISTER_AH || name > ZYDIS_REGISTER_BH))
        operand.kind = X86_GENERAL;
    return operand;
}

static struct x86_operand memory_of(const ZydisDecodedOperandMem *memory, uint8_t bytes)
{
    bool plain = memory->index == ZYDIS_REGISTER_NONE &&
                 ZydisRegisterGetClass(memory->base) == ZYDIS_REGCLASS_GPR64 &&
                 memory->segment != ZYDIS_REGISTER_FS && memory->segment != ZYDIS_REGISTER_GS;
    return (struct x86_operand){X86_MEMORY,
                                plain ? (uint8_t)ZydisRegisterGetId(memory->base) : X86_NO_REGISTER,
                                bytes, memory->disp.value};
}

/* bytes: the size of a number before its extension. */
static struct x86_operand operand_of(const ZydisDecodedOperand *decoded, unsigned bytes)
{
    uint8_t own = (uint8_t)(decoded->size / 8);
    unsigned unused_bits = bytes > 0 && bytes < 8 ? 64 - 8 * bytes : 0;
    switch (decoded->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return register_of(decoded->reg.value, own);
    case ZYDIS_OPERAND_TYPE_MEMORY:
        return memory_of(&decoded->mem, own);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return (struct x86_operand){X86_NUMBER, X86_NO_REGISTER, own,
                                    (int64_t)(decoded->imm.value.u << unused_bits) >> unused_bits};
    default:
        return (struct x86_operand){.kind = X86_NONE};
    }
}

static enum x86_flow flow_of(const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *first)
{
    bool relative = first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && first->imm.is_relative;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        return relative ? X86_CALL
               : first->type == ZYDIS_OPERAND_TYPE_MEMORY && first->mem.base == ZYDIS_REGISTER_RIP
                   ? X86_CALL_WORD
                   : X86_ELSE;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return relative ? X86_JUMP : X86_ELSE;
    case ZYDIS_CATEGORY_COND_BR:
        return X86_BRANCH;
    case ZYDIS_CATEGORY_RET:
        return decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR ? X86_RETURN : X86_ELSE;
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return X86_ELSE;
    default:
        return decoded->mnemonic == ZYDIS_MNEMONIC_UD2 || decoded->mnemonic == ZYDIS_MNEMONIC_HLT
                   ? X86_ELSE
                   : X86_NEXT;
    }
}

struct x86_instruction x86_read(const struct elf_file *module, uint64_t address)
{
    struct x86_instruction instruction = {.length = 0};
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    size_t left = ZYDIS_MAX_INSTRUCTION_LENGTH;
    const unsigned char *code = NULL;
    while (left > 0 && (code = elf_file_at(module, address, left)) == NULL)
        left--;
    if (code == NULL ||
        !ZYAN_SUCCESS(
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, left, &decoded, operands)))
        return instruction;
    instruction.length = decoded.length;
    instruction.flow = flow_of(&decoded, operands);
    instruction.mnemonic = decoded.mnemonic;
    if (decoded.operand_count_visible > 0)
        instruction.to = operand_of(&operands[0], 8);
    if (decoded.operand_count_visible > 1)
        instruction.from = operand_of(&operands[1], instruction.to.bytes);
    instruction.target = address + decoded.length + (uint64_t)instruction.to.value;
    return instruction;
}

bool x86_is_copy(const struct x86_instruction *instruction)
{
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
        return true;
    case ZYDIS_MNEMONIC_MOVSS: /* between registers they leave the upper part */
    case ZYDIS_MNEMONIC_MOVSD:
        return instruction->to.kind == X86_MEMORY || instruction->from.kind == X86_MEMORY;
    case ZYDIS_MNEMONIC_MOVLPS: /* so do loads */
    case ZYDIS_MNEMONIC_MOVLPD:
        return instruction->to.kind == X86_MEMORY;
    default:
        return false;
    }
}
