/*
 * What a result is made of after the exit hook: see x86_result.h. Only instructions that are named here are
 * followed: moves between registers and from the frame, sign and zero extension, sums with a number, and
 * what takes the frame down. Any other, a branch, a call or a store ends it, and nothing is known. Source:
 * Intel's manual, volume 2.
 */
#include "debuginfo/x86/x86_result.h"

#include <string.h>

#include "debuginfo/x86/x86_code.h"
#include "debuginfo/x86/x86_operands.h"

#define INSTRUCTIONS_MAX 40
#define KEPT 0xf038u /* rbx, rsp, rbp, r12 to r15: calls leave them alone */

/* What a register holds, of which the low `size_bytes` are known (0 = nothing is). */
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
        held.extended_bytes = 0; /* some of them are not known */
    } else if (held.size_bytes == from || held.extends_sign == sign) {
        held.extended_bytes = (uint8_t)to;
        held.extends_sign = sign;
    } else if (sign) {
        held.extended_bytes = (uint8_t)to; /* zeros above: so is the sign */
    }
    return held;
}

/* What lies in memory: only the frame is what it was at the call. */
static struct held load(const struct follower *follower, const struct x86_operands *operands,
                        unsigned bytes)
{
    struct held held = {.size_bytes = 0};
    const struct held *base = &follower->general[operands->rm];
    int64_t offset = (int64_t)base->offset + operands->displacement;
    bool frame = base->base == X86_RSP || (base->base == X86_RBP && follower->frame_pointer);
    if (operands->addressable && base->size_bytes == 8 && base->how == X86_RESULT_SUM && frame &&
        offset == (int32_t)offset)
        held = (struct held){.how = X86_RESULT_MEMORY,
                             .base = base->base,
                             .size_bytes = (uint8_t)bytes,
                             .offset = (int32_t)offset};
    return held;
}

/* A byte register without REX is one of the first four, or the second byte of such a one. */
static bool is_low_byte(const struct x86_operands *operands, unsigned number)
{
    return operands->rex != 0 || number < 4;
}

static struct held source(const struct follower *follower, const struct x86_operands *operands,
                          unsigned bytes)
{
    if (operands->memory)
        return load(follower, operands, bytes);
    if (bytes == 1 && !is_low_byte(operands, operands->rm))
        return (struct held){.size_bytes = 0};
    return narrowed(follower->general[operands->rm], bytes);
}

/* Adds to what a register holds. A sum of 4 bytes or less is right in these. */
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

static bool take_down(struct follower *follower, struct x86_operands *operands,
                      unsigned register_number)
{
    struct held *stack = &follower->general[X86_RSP];
    follower->general[register_number].size_bytes = 0; /* it is the caller's again */
    *stack = sum(*stack, 8, 8);
    return operands->prefix == 0 && register_number != X86_RSP;
}

/* ---- instructions ---- */

/* mov and its like: to a general register. */
static bool follow_move(struct follower *follower, struct x86_operands *operands)
{
    unsigned bytes = x86_operand_bytes(operands), from = bytes;
    bool store = operands->opcode == 0x89 || operands->opcode == 0x88;
    if (!x86_take_operands(operands) || (store && operands->memory))
        return false;
    if (store) {
        unsigned to = operands->rm;
        operands->rm = operands->reg;
        operands->reg = to;
    }
    switch (operands->opcode) {
    case 0x88:
    case 0x8a:
        if (!is_low_byte(operands, operands->reg))
            return false;
        from = 1;
        break;
    case 0x63:
        from = 4;
        break;
    case 0x0fb6:
    case 0x0fbe:
        from = 1;
        break;
    case 0x0fb7:
    case 0x0fbf:
        from = 2;
        break;
    default:
        break;
    }
    bool sign = operands->opcode == 0x63 || (operands->opcode & 0x0ffe) == 0x0fbe;
    from = from < bytes ? from : bytes;
    follower->general[operands->reg] = source(follower, operands, from);
    if ((operands->opcode & 0x0f00) != 0 || operands->opcode == 0x63 || bytes == 4)
        follower->general[operands->reg] = extended(follower->general[operands->reg], from,
                                                    sign         ? bytes
                                                    : bytes == 2 ? 2
                                                                 : 8,
                                                    sign);
    return operands->reg != X86_RSP || (bytes == 8 && !operands->memory && from == 8);
}

/* lea, xor and what adds a number. */
static bool follow_sum(struct follower *follower, struct x86_operands *operands)
{
    unsigned bytes = x86_operand_bytes(operands), opcode = operands->opcode;
    int32_t number = 0;
    if (!x86_take_operands(operands) || (opcode != 0x8d && operands->memory))
        return false;
    struct held *to = &follower->general[opcode == 0x8d ? operands->reg : operands->rm];
    if (opcode == 0x8d) {
        *to = operands->addressable
                  ? sum(follower->general[operands->rm], operands->displacement, bytes)
                  : (struct held){.size_bytes = 0};
        return bytes == 8 || operands->reg != X86_RSP;
    }
    if (opcode == 0x31 || opcode == 0x33) {
        *to = (struct held){.how = X86_RESULT_CONSTANT,
                            .size_bytes = operands->reg == operands->rm && bytes >= 4 ? 8 : 0};
        return operands->rm != X86_RSP && operands->reg == operands->rm;
    }
    unsigned what = operands->reg & 7;
    if ((opcode == 0x81 && bytes == 2) ||
        !x86_take_number(operands, opcode == 0x83 ? 1 : 4, &number) || (what != 0 && what != 5) ||
        (operands->rm == X86_RSP && bytes != 8))
        return false;
    *to = sum(*to, what == 0 ? number : -(int64_t)number, bytes);
    return true;
}

static bool follow_constant(struct follower *follower, struct x86_operands *operands)
{
    struct held held = {.how = X86_RESULT_CONSTANT, .size_bytes = 8};
    unsigned number = (operands->opcode & 7) | (operands->rex & 1) << 3;
    int32_t small = 0;
    if (operands->prefix != 0)
        return false;
    if (operands->opcode == 0xc7) {
        if (!x86_take_operands(operands) || operands->memory || (operands->reg & 7) != 0)
            return false;
        number = operands->rm;
    }
    if (operands->opcode != 0xc7 && (operands->rex & 8) != 0) {
        if (operands->at + 8 > operands->length)
            return false;
        memcpy(&held.constant, operands->code + operands->at, 8);
    } else {
        if (!x86_take_number(operands, 4, &small))
            return false;
        held.constant = (operands->rex & 8) != 0 ? (uint64_t)(int64_t)small : (uint32_t)small;
    }
    follower->general[number] = held;
    return number != X86_RSP;
}

/* Moves to vector registers; pxor and xorps of one with itself. */
static bool follow_vector(struct follower *follower, struct x86_operands *operands)
{
    unsigned opcode = operands->opcode, prefix = operands->prefix;
    if (!x86_take_operands(operands))
        return false;
    struct held *to = &follower->vector[operands->reg];
    if ((opcode == 0x0fef && prefix == 0x66) || (opcode == 0x0f57 && prefix != 0xf2)) {
        *to = (struct held){.how = X86_RESULT_CONSTANT, .size_bytes = 8};
        return !operands->memory && operands->rm == operands->reg;
    }
    if (opcode == 0x0f6e && prefix == 0x66)
        *to = source(follower, operands, (operands->rex & 8) != 0 ? 8 : 4);
    else if (opcode == 0x0f10 && (prefix == 0xf2 || prefix == 0xf3) && operands->memory)
        *to = load(follower, operands, prefix == 0xf3 ? 4 : 8);
    else if (opcode == 0x0f7e && prefix == 0xf3)
        *to = operands->memory ? load(follower, operands, 8) : follower->vector[operands->rm];
    else if ((opcode == 0x0f28 || opcode == 0x0f6f || opcode == 0x0f10) &&
             (prefix == 0 || prefix == 0x66))
        *to = operands->memory ? load(follower, operands, 16) : follower->vector[operands->rm];
    else
        return false;
    return true;
}

/* One instruction before the return. */
static bool follow(struct follower *follower, struct x86_operands *operands)
{
    x86_take_opcode(operands);
    unsigned opcode = operands->opcode;
    struct held *rax = &follower->general[X86_RAX];
    if ((opcode & 0x1f8) == 0x58) /* pop */
        return take_down(follower, operands, (opcode & 7) | (operands->rex & 1) << 3);
    if ((opcode & 0x1f8) == 0xb8)
        return follow_constant(follower, operands);
    switch (opcode) {
    case 0x63:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0x0fb6:
    case 0x0fb7:
    case 0x0fbe:
    case 0x0fbf:
        return follow_move(follower, operands);
    case 0x31:
    case 0x33:
    case 0x81:
    case 0x83:
    case 0x8d:
        return follow_sum(follower, operands);
    case 0xc7:
        return follow_constant(follower, operands);
    case 0x98: /* cltq and its like */
        *rax = extended(*rax, x86_operand_bytes(operands) / 2, x86_operand_bytes(operands), true);
        return true;
    case 0xc9: /* leave */
        follower->general[X86_RSP] = follower->general[X86_RBP];
        return take_down(follower, operands, X86_RBP);
    case 0x90:
        return (operands->rex & 1) == 0;
    case 0x0f1f:
        return true;
    case 0x0f10:
    case 0x0f28:
    case 0x0f57:
    case 0x0f6e:
    case 0x0f6f:
    case 0x0f7e:
    case 0x0fef:
        return follow_vector(follower, operands);
    case 0xdb: /* fld of 10 bytes */
        if (!x86_take_operands(operands) || !operands->memory || (operands->reg & 7) != 5)
            return false;
        follower->x87 = load(follower, operands, 10);
        return true;
    default:
        return false;
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
        size_t left = 15;
        const unsigned char *code = NULL;
        while (left > 0 && (code = elf_file_at(module, address, left)) == NULL)
            left--;
        struct x86_instruction instruction = {.length = 0};
        if (code != NULL)
            instruction = x86_read(code, left, address);
        struct x86_operands operands = {.code = code, .length = instruction.length};
        if (instruction.length == 0)
            return false;
        if (instruction.flow == X86_RETURN)
            return give(in == X86_RESULT_RAX    ? &follower.general[X86_RAX]
                        : in == X86_RESULT_XMM0 ? &follower.vector[0]
                                                : &follower.x87,
                        result);
        if (instruction.flow == X86_JUMP)
            address = instruction.target;
        else if (instruction.flow == X86_NEXT && follow(&follower, &operands))
            address += instruction.length;
        else
            return false;
    }
    return false;
}
