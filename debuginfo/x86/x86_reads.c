/* Reads of argument registers: see x86_reads.h. */
#include "debuginfo/x86/x86_reads.h"

#include <Zydis/Zydis.h>

#include "base/must.h"

#define INSTRUCTIONS_MAX 4096u

/* The bit of a register, or 0 if no argument can lie there. */
static uint32_t bit_of(ZydisRegister part)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
    ZyanI8 id = ZydisRegisterGetId(whole);
    switch (whole) {
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
    return vector && id >= 0 && id < 8 ? 1u << (X86_READS_VECTOR + id) : 0;
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

/* Where the code is, and what it did so far. */
struct reading {
    x86_frame_find *find;
    const void *context;
    uint64_t address; /* of the instruction */
    struct x86_reads reads;
    uint32_t writes;
};

/* Adds the words of the caller's stack that a memory operand covers. */
static void take_memory(struct reading *reading, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    uint16_t number = 0;
    int64_t cfa_offset = 0;
    bool stack = memory->base == ZYDIS_REGISTER_RSP, frame = memory->base == ZYDIS_REGISTER_RBP;
    if ((!stack && !frame) || memory->index != ZYDIS_REGISTER_NONE ||
        memory->type != ZYDIS_MEMOP_TYPE_MEM ||
        (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) == 0 ||
        !reading->find(reading->context, reading->address, &number, &cfa_offset) ||
        number != (stack ? 7 : 6))
        return;
    int64_t from = memory->disp.value - cfa_offset, to = from + operand->size / 8;
    for (int64_t word = from < 0 ? 0 : from / 8; word * 8 < to && word < X86_READS_WORDS; word++)
        reading->reads.words |= (uint64_t)1 << word;
}

/* Adds what an instruction reads and writes. */
static void take(struct reading *reading, const ZydisDecodedInstruction *decoded,
                 const ZydisDecodedOperand *operands)
{
    bool cleared = decoded->operand_count_visible >= 2 && clears(decoded, operands);
    uint32_t written = 0;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        uint32_t read = 0;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            read = bit_of(operand->mem.base) | bit_of(operand->mem.index);
            take_memory(reading, operand);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            uint32_t bit = bit_of(operand->reg.value);
            if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 && !cleared &&
                !(i == 0 && merges(decoded->mnemonic)))
                read = bit;
            if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
                written |= bit;
        }
        reading->reads.registers |= read & ~reading->writes;
    }
    reading->writes |= written;
}

struct x86_reads x86_reads(const struct elf_file *module, uint64_t start, uint64_t end,
                           x86_frame_find *find, const void *context)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct reading reading = {.find = find, .context = context, .address = start};
    must(start <= end);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned count = 0; reading.address < end && count < INSTRUCTIONS_MAX; count++) {
        uint64_t left = end - reading.address;
        uint64_t length = left < ZYDIS_MAX_INSTRUCTION_LENGTH ? left : ZYDIS_MAX_INSTRUCTION_LENGTH;
        const unsigned char *code = elf_file_at(module, reading.address, length);
        if (code == NULL ||
            !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, length, &decoded, operands)))
            break;
        /* What a call of another function does with its registers is not this one's doing. */
        if (decoded.meta.category != ZYDIS_CATEGORY_CALL)
            take(&reading, &decoded, operands);
        reading.address += decoded.length;
    }
    return reading.reads;
}
