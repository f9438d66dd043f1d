/* Uses of the return address: see x86_return.h. The stack pointer is followed by the ways in which
 * compilers move it; anything else ends the look. */
#include "debuginfo/x86/x86_return.h"

#include <Zydis/Zydis.h>

#include "base/must.h"
#include "debuginfo/x86/x86_code.h"

#define INSTRUCTIONS_MAX 64
#define WORD 8
#define NO_SLOT INT64_MIN

struct frame {
    int64_t by_stack; /* the return address is at rsp + this */
    int64_t by_base;  /* and at rbp + this, or NO_SLOT */
};

enum look { LOOK_ON, LOOK_END, LOOK_USES };

static bool is_stack(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == ZYDIS_REGISTER_RSP;
}

/* Does the instruction reach the return address through a memory operand? A fence does not: it is a
 * locked instruction that changes nothing. */
static bool reaches(const struct frame *frame, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || memory->type != ZYDIS_MEMOP_TYPE_MEM ||
        memory->index != ZYDIS_REGISTER_NONE)
        return false;
    return (memory->base == ZYDIS_REGISTER_RSP && memory->disp.value == frame->by_stack) ||
           (memory->base == ZYDIS_REGISTER_RBP && memory->disp.value == frame->by_base);
}

/* An instruction that may write the stack pointer, or rbp. */
static enum look move_frame(struct frame *frame, const ZydisDecodedInstruction *decoded,
                            const ZydisDecodedOperand *operands)
{
    bool number = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        frame->by_stack += WORD;
        return decoded->operand_width == 64 ? LOOK_ON : LOOK_END;
    case ZYDIS_MNEMONIC_POP:
        if (frame->by_stack == 0)
            return LOOK_USES;
        frame->by_stack -= WORD;
        if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operands[0].reg.value == ZYDIS_REGISTER_RBP)
            frame->by_base = NO_SLOT;
        return decoded->operand_width == 64 && !is_stack(&operands[0]) ? LOOK_ON : LOOK_END;
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_ADD:
        if (!is_stack(&operands[0]))
            break;
        frame->by_stack += decoded->mnemonic == ZYDIS_MNEMONIC_SUB ? operands[1].imm.value.s
                                                                   : -operands[1].imm.value.s;
        return number ? LOOK_ON : LOOK_END;
    case ZYDIS_MNEMONIC_MOV:
        if (is_stack(&operands[1]) && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operands[0].reg.value == ZYDIS_REGISTER_RBP) {
            frame->by_base = frame->by_stack;
            return LOOK_ON;
        }
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < decoded->operand_count_visible; i++) {
        if ((operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0 ||
            operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        ZydisRegister whole =
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value);
        if (whole == ZYDIS_REGISTER_RSP)
            return LOOK_END;
        if (whole == ZYDIS_REGISTER_RBP)
            frame->by_base = NO_SLOT;
    }
    return LOOK_ON;
}

static enum look look_at(struct frame *frame, const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operands)
{
    bool fence = (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    for (unsigned i = 0; i < decoded->operand_count_visible && !fence; i++)
        if (reaches(frame, &operands[i]))
            return LOOK_USES;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_INTERRUPT:
        return LOOK_END;
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
        return LOOK_ON;
    default:
        break;
    }
    if (decoded->mnemonic == ZYDIS_MNEMONIC_LEAVE || decoded->mnemonic == ZYDIS_MNEMONIC_ENTER)
        return LOOK_END;
    return move_frame(frame, decoded, operands);
}

bool x86_uses_return_address(const unsigned char *code, uint64_t size_bytes)
{
    struct frame frame = {.by_stack = 0, .by_base = NO_SLOT};
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    enum look look = LOOK_ON;
    must(
        ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
    for (unsigned i = 0; i < INSTRUCTIONS_MAX && look == LOOK_ON && size_bytes > 0; i++) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size_bytes, &decoded, operands)))
            return false;
        look = look_at(&frame, &decoded, operands);
        code += decoded.length;
        size_bytes -= decoded.length;
    }
    return look == LOOK_USES;
}
