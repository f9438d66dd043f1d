/*
 * Follows a result from the exit hook to the return: see x86_result.h. We follow moves between
 * registers and from the frame, sign and zero extension, sums with a number, and the end of the
 * frame. Any other instruction ends the search without a result.
 */
#include "debuginfo/x86/x86_result.h"

#include "debuginfo/x86/x86_code.h"

#define INSTRUCTIONS_MAX 40
#define KEPT 0xf038u /* rbx, rsp, rbp, r12 to r15: calls leave them alone */

/* The content of a register. Its low `size_bytes` are known (0 = none). */
struct held {
    uint8_t how; /* as in struct x86_result; registers by the processor's numbers */
    uint8_t base;
    uint8_t size_bytes, extended_bytes;
    bool extends_sign;
    int32_t offset;
    uint64_t constant;
};

struct follower {
    struct held general[16], vector[16], x87;
    bool frame_pointer;
};

static struct held narrowed(struct held held, unsigned bytes)
{
    if (held.size_bytes > bytes)
        held.size_bytes = (uint8_t)bytes;
    if (held.extended_bytes > bytes)
        held.extended_bytes = held.size_bytes < bytes ? (uint8_t)bytes : 0;
    return held;
}

/* Its first `from` bytes, continued to `to`. */
static struct held extended(struct held held, unsigned from, unsigned to, bool sign)
{
    held = narrowed(held, from);
    if (held.size_bytes == 0)
        return held;
    if (held.size_bytes < from && held.extended_bytes < from) {
        held.extended_bytes = 0; /* some of these bytes are not known */
    } else if (held.size_bytes == from || held.extends_sign == sign) {
        held.extended_bytes = (uint8_t)to;
        held.extends_sign = sign;
    } else if (sign) {
        held.extended_bytes = (uint8_t)to; /* zeros above, so the sign is zero */
    }
    return held;
}

/* Memory: only the frame is unchanged since the call. */
static struct held load(const struct follower *follower, const struct x86_operand *from)
{
    if (from->number == X86_NO_REGISTER)
        return (struct held){.size_bytes = 0};
    const struct held *base = &follower->general[from->number];
    int64_t offset = (int64_t)base->offset + from->value;
    bool frame = base->base == X86_RSP || (base->base == X86_RBP && follower->frame_pointer);
    if (base->size_bytes != 8 || base->how != X86_RESULT_SUM || !frame || offset != (int32_t)offset)
        return (struct held){.size_bytes = 0};
    return (struct held){.how = X86_RESULT_MEMORY,
                         .base = base->base,
                         .size_bytes = from->bytes,
                         .offset = (int32_t)offset};
}

static struct held source(const struct follower *follower, const struct x86_operand *from)
{
    switch (from->kind) {
    case X86_GENERAL:
        return narrowed(follower->general[from->number], from->bytes);
    case X86_VECTOR:
        return follower->vector[from->number];
    case X86_MEMORY:
        return load(follower, from);
    case X86_NUMBER:
        return (struct held){
            .how = X86_RESULT_CONSTANT, .size_bytes = 8, .constant = (uint64_t)from->value};
    default:
        return (struct held){.size_bytes = 0};
    }
}

/* Adds a number. A sum of 4 bytes or less is right in these bytes alone. */
static struct held sum(struct held held, int64_t number, unsigned bytes)
{
    int64_t offset = (int64_t)held.offset + number;
    if (held.how == X86_RESULT_CONSTANT)
        held.constant += (uint64_t)number;
    else if (held.how == X86_RESULT_SUM && offset == (int32_t)offset)
        held.offset = (int32_t)offset;
    else
        held.size_bytes = 0;
    held.extended_bytes = 0;
    return narrowed(held, bytes);
}

/* Gives a register back to the caller. */
static bool pop(struct follower *follower, unsigned number)
{
    struct held *stack = &follower->general[X86_RSP];
    follower->general[number].size_bytes = 0;
    *stack = sum(*stack, 8, 8);
    return number != X86_RSP;
}

/* ---- instructions ---- */

/* To a general register. sign: a shorter source is extended by its sign. */
static bool follow_move(struct follower *follower, const struct x86_operand *to,
                        const struct x86_operand *from, bool sign)
{
    struct held *held = &follower->general[to->number];
    *held = source(follower, from);
    if (from->kind == X86_NUMBER && to->bytes == 4)
        held->constant = (uint32_t)held->constant;
    else if (from->kind != X86_NUMBER && (from->bytes < to->bytes || to->bytes == 4))
        *held = extended(*held, from->bytes, to->bytes == 4 && !sign ? 8 : to->bytes, sign);
    return (from->kind != X86_NUMBER || to->bytes >= 4) &&
           (to->number != X86_RSP || (to->bytes == 8 && from->kind == X86_GENERAL));
}

static bool add(struct follower *follower, const struct x86_operand *to,
                const struct x86_operand *from, bool negative)
{
    struct held *held = &follower->general[to->number];
    *held = sum(*held, negative ? -from->value : from->value, to->bytes);
    return from->kind == X86_NUMBER && (to->number != X86_RSP || to->bytes == 8);
}

static bool follow_lea(struct follower *follower, const struct x86_operand *to,
                       const struct x86_operand *from)
{
    struct held held = {.size_bytes = 0};
    if (from->number != X86_NO_REGISTER)
        held = sum(follower->general[from->number], from->value, to->bytes);
    follower->general[to->number] = held;
    return to->bytes == 8 || to->number != X86_RSP;
}

static bool follow_general(struct follower *follower, const struct x86_instruction *instruction)
{
    const struct x86_operand *to = &instruction->to, *from = &instruction->from;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
        return follow_move(follower, to, from, false);
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        return follow_move(follower, to, from, true);
    case ZYDIS_MNEMONIC_ADD:
        return add(follower, to, from, false);
    case ZYDIS_MNEMONIC_SUB:
        return add(follower, to, from, true);
    case ZYDIS_MNEMONIC_LEA:
        return follow_lea(follower, to, from);
    case ZYDIS_MNEMONIC_POP:
        return to->bytes == 8 && pop(follower, to->number);
    case ZYDIS_MNEMONIC_XOR: /* of a register with itself */
        follower->general[to->number] =
            (struct held){.how = X86_RESULT_CONSTANT, .size_bytes = to->bytes >= 4 ? 8 : 0};
        return from->kind == X86_GENERAL && from->number == to->number && to->number != X86_RSP;
    default:
        return false;
    }
}

static bool follow_vector(struct follower *follower, const struct x86_instruction *instruction)
{
    const struct x86_operand *from = &instruction->from;
    struct held *held = &follower->vector[instruction->to.number];
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_PXOR: /* of a register with itself */
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
        *held = (struct held){.how = X86_RESULT_CONSTANT, .size_bytes = 8};
        return from->kind == X86_VECTOR && from->number == instruction->to.number;
    case ZYDIS_MNEMONIC_MOVQ:
        *held = narrowed(source(follower, from), 8);
        return true;
    default:
        *held = source(follower, from);
        return x86_is_copy(instruction);
    }
}

/* One instruction before the return. */
static bool follow(struct follower *follower, const struct x86_instruction *instruction)
{
    struct held *rax = &follower->general[X86_RAX];
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CBW:
        *rax = extended(*rax, 1, 2, true);
        return true;
    case ZYDIS_MNEMONIC_CWDE:
        *rax = extended(*rax, 2, 4, true);
        return true;
    case ZYDIS_MNEMONIC_CDQE:
        *rax = extended(*rax, 4, 8, true);
        return true;
    case ZYDIS_MNEMONIC_LEAVE:
        follower->general[X86_RSP] = follower->general[X86_RBP];
        return instruction->length == 1 && pop(follower, X86_RBP);
    case ZYDIS_MNEMONIC_NOP:
        return true;
    case ZYDIS_MNEMONIC_FLD:
        follower->x87 = source(follower, &instruction->to);
        return instruction->to.kind == X86_MEMORY && instruction->to.bytes == 10;
    default:
        return instruction->to.kind == X86_GENERAL  ? follow_general(follower, instruction)
               : instruction->to.kind == X86_VECTOR ? follow_vector(follower, instruction)
                                                    : false;
    }
}

static void begin(struct follower *follower, bool frame_pointer)
{
    *follower = (struct follower){.frame_pointer = frame_pointer};
    for (uint8_t i = 0; i < 16; i++)
        if ((KEPT >> i & 1) != 0)
            follower->general[i] = (struct held){.how = X86_RESULT_SUM, .base = i, .size_bytes = 8};
}

static bool give(const struct held *held, struct x86_result *result)
{
    static const uint8_t dwarf[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    *result = (struct x86_result){.how = held->how,
                                  .base = dwarf[held->base],
                                  .offset = held->offset,
                                  .constant = held->constant,
                                  .size_bytes = held->size_bytes,
                                  .extended_bytes = held->extended_bytes,
                                  .extends_sign = held->extends_sign};
    return held->size_bytes != 0;
}

bool x86_result_find(const struct elf_file *module, uint64_t address, enum x86_result_in in,
                     bool frame_pointer, struct x86_result *result)
{
    struct follower follower;
    begin(&follower, frame_pointer);
    for (unsigned step = 0; step < INSTRUCTIONS_MAX; step++) {
        struct x86_instruction instruction = x86_read(module, address);
        if (instruction.length == 0)
            return false;
        if (instruction.flow == X86_RETURN)
            return give(in == X86_RESULT_RAX    ? &follower.general[X86_RAX]
                        : in == X86_RESULT_XMM0 ? &follower.vector[0]
                                                : &follower.x87,
                        result);
        if (instruction.flow == X86_JUMP)
            address = instruction.target;
        else if (instruction.flow == X86_NEXT && follow(&follower, &instruction))
            address += instruction.length;
        else
            return false;
    }
    return false;
}
