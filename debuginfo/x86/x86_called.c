/*
 * See x86_called.h. We follow the register along all ways on from the load, up to where something
 * else is put into it. On the way it may be called and nothing else. Where a way leads to code that
 * we do not see, or another function could read the register, we are in doubt.
 */
#include "debuginfo/x86/x86_called.h"

#include <stdint.h>
#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "base/must.h"

#define WAYS_MAX 4096u /* pieces of code to go through; more are in doubt */

struct following {
    ZydisDecoder decoder;
    const unsigned char *bytes;
    size_t size;
    ZydisRegister name; /* the register */
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    unsigned char *seen; /* a bit for each byte that an instruction begins at */
    size_t ways[WAYS_MAX];
    size_t ways_count;
};

/* How a way goes on. */
enum way { WAY_ON, WAY_ENDS, WAY_DOUBT };

static bool decode(struct following *following, size_t at)
{
    return at < following->size &&
           ZYAN_SUCCESS(ZydisDecoderDecodeFull(&following->decoder, following->bytes + at,
                                               following->size - at, &following->decoded,
                                               following->operands));
}

static ZydisRegister whole(ZydisRegister name)
{
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
}

/* What the instruction does with the register. */
struct uses {
    bool reads, writes;
};

static struct uses uses_of(const struct following *following)
{
    struct uses uses = {false, false};
    const ZydisDecodedOperand *first = following->operands;
    for (unsigned i = 0; i < following->decoded.operand_count; i++) {
        const ZydisDecodedOperand *operand = &following->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            uses.reads |= whole(operand->mem.base) == following->name ||
                          whole(operand->mem.index) == following->name;
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   whole(operand->reg.value) == following->name) {
            uses.reads |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            uses.writes |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        }
    }
    bool clears = following->decoded.mnemonic == ZYDIS_MNEMONIC_XOR &&
                  first[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                  first[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                  first[0].reg.value == first[1].reg.value;
    uses.reads &= !clears;
    return uses;
}

static bool is_kept_by_functions(ZydisRegister name)
{
    return name == ZYDIS_REGISTER_RBX || name == ZYDIS_REGISTER_RBP ||
           (name >= ZYDIS_REGISTER_R12 && name <= ZYDIS_REGISTER_R15);
}

/* Does a function that begins, or one that goes on after a return, look at it? */
static bool may_be_passed(ZydisRegister name)
{
    return !is_kept_by_functions(name) && name != ZYDIS_REGISTER_R11;
}

static bool calls_it(const struct following *following)
{
    return following->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           following->operands[0].reg.value == following->name;
}

/* Goes on at a branch's target, too. */
static enum way branch(struct following *following, size_t at, bool conditional)
{
    const ZydisDecodedOperand *target = &following->operands[0];
    if (target->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !target->imm.is_relative)
        return conditional || !calls_it(following) ? WAY_DOUBT : WAY_ENDS;
    uint64_t to = at + following->decoded.length + (uint64_t)target->imm.value.s;
    if (to >= following->size) /* another function, or a part of this one */
        return WAY_DOUBT;
    if (following->ways_count == WAYS_MAX)
        return WAY_DOUBT;
    following->ways[following->ways_count++] = (size_t)to;
    return conditional ? WAY_ON : WAY_ENDS;
}

static enum way step(struct following *following, size_t at)
{
    switch (following->decoded.meta.category) {
    case ZYDIS_CATEGORY_CALL:
        if (is_kept_by_functions(following->name))
            return WAY_ON;
        return calls_it(following) || !may_be_passed(following->name) ? WAY_ENDS : WAY_DOUBT;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return branch(following, at, false);
    case ZYDIS_CATEGORY_COND_BR:
        return branch(following, at, true);
    case ZYDIS_CATEGORY_RET:
        return may_be_passed(following->name) ? WAY_DOUBT : WAY_ENDS;
    case ZYDIS_CATEGORY_INTERRUPT:
        return WAY_ENDS;
    default:
        break;
    }
    struct uses uses = uses_of(following);
    return uses.reads ? WAY_DOUBT : uses.writes ? WAY_ENDS : WAY_ON;
}

static bool follow(struct following *following, size_t at)
{
    for (bool called = false;; at += following->decoded.length) {
        unsigned char bit = (unsigned char)(1u << at % 8);
        if (called && at == following->size) /* that function never returns */
            return true;
        if (!decode(following, at))
            return false;
        if ((following->seen[at / 8] & bit) != 0)
            return true;
        following->seen[at / 8] |= bit;
        enum way way = step(following, at);
        called = following->decoded.meta.category == ZYDIS_CATEGORY_CALL;
        if (way != WAY_ON)
            return way == WAY_ENDS;
    }
}

bool x86_is_only_called(const unsigned char *bytes, size_t size_bytes, size_t offset)
{
    struct following *following = calloc(1, sizeof *following);
    bool only = following != NULL && (following->seen = calloc(size_bytes / 8 + 1, 1)) != NULL;
    if (only) {
        following->bytes = bytes;
        following->size = size_bytes;
        must(ZYAN_SUCCESS(ZydisDecoderInit(&following->decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                           ZYDIS_STACK_WIDTH_64)));
        only =
            decode(following, offset) && following->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    }
    if (only) {
        following->name = whole(following->operands[0].reg.value);
        following->ways[following->ways_count++] = offset + following->decoded.length;
    }
    while (only && following->ways_count > 0)
        only = follow(following, following->ways[--following->ways_count]);
    if (following != NULL)
        free(following->seen);
    free(following);
    return only;
}
