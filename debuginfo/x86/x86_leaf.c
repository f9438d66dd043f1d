/* Short leaf functions: see x86_leaf.h. Compilers lay code out as they like, so a jump back is no loop yet: we
 * look for one. */
#include "debuginfo/x86/x86_leaf.h"

#include <Zydis/Zydis.h>
#include <stdint.h>

#include "base/must.h"

#define REPEATS (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)
#define NOWHERE UINT16_MAX

/* An instruction, by its offset. */
struct step {
    uint16_t next, target; /* offsets, or NOWHERE */
    uint8_t
        looked; /* of its two ways on; where it is entered and not left, it is on the way here */
    bool entered, left;
};

static bool is_way(const ZydisDecodedOperand *target, size_t next, size_t size_bytes)
{
    return target->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && target->imm.is_relative &&
           (uint64_t)target->imm.value.s + next < size_bytes;
}

/* Where an instruction leads. False: where a leaf function may not. */
static bool follow(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                   size_t at, size_t size_bytes, struct step *step)
{
    size_t next = at + decoded->length;
    *step = (struct step){.next = NOWHERE, .target = NOWHERE};
    if ((decoded->attributes & REPEATS) != 0 || decoded->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
        return false;
    if (decoded->mnemonic == ZYDIS_MNEMONIC_UD2)
        return true;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM:
        return false;
    case ZYDIS_CATEGORY_RET:
        return decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
        if (!is_way(&operands[0], next, size_bytes))
            return false;
        step->target = (uint16_t)(next + (uint64_t)operands[0].imm.value.s);
        if (decoded->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
            return true;
        break;
    default:
        break;
    }
    step->next = (uint16_t)next;
    return next < size_bytes;
}

/* The instruction at an offset, read once. */
static bool enter(const ZydisDecoder *decoder, const unsigned char *code, size_t size_bytes,
                  struct step *steps, size_t at)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(decoder, code + at, size_bytes - at, &decoded, operands)) ||
        !follow(&decoded, operands, at, size_bytes, &steps[at]))
        return false;
    steps[at].entered = true;
    return true;
}

/* Goes through all ways from the start. Is none a circle? */
static bool is_straight(const ZydisDecoder *decoder, const unsigned char *code, size_t size_bytes)
{
    struct step steps[X86_LEAF_BYTES_MAX] = {0};
    uint16_t way[X86_LEAF_BYTES_MAX];
    size_t count = 1;
    way[0] = 0;
    if (!enter(decoder, code, size_bytes, steps, 0))
        return false;
    while (count > 0) {
        struct step *step = &steps[way[count - 1]];
        if (step->looked == 2) {
            step->left = true;
            count--;
            continue;
        }
        uint16_t on = step->looked++ == 0 ? step->next : step->target;
        if (on == NOWHERE || steps[on].left)
            continue;
        if (steps[on].entered || !enter(decoder, code, size_bytes, steps, on))
            return false;
        must(count < X86_LEAF_BYTES_MAX); /* each is on the way once */
        way[count++] = on;
    }
    return true;
}

bool x86_is_leaf(const unsigned char *code, size_t size_bytes)
{
    ZydisDecoder decoder;
    return size_bytes > 0 && size_bytes <= X86_LEAF_BYTES_MAX &&
           ZYAN_SUCCESS(
               ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           is_straight(&decoder, code, size_bytes);
}
