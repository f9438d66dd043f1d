/*
 * What a result is made of after the exit hook: see x86_result.h. Only instructions that are named here are
 * followed: moves between registers and from the frame, sign and zero extension, sums with a number, and
 * what takes the frame down. Any other, a branch, a call or a store ends it, and nothing is known. Source:
 * Intel's manual, volume 2.
 */
#include "debuginfo/x86/x86_result.h"

#include <string.h>

#include "debuginfo/x86/x86_code.h"

#define INSTRUCTIONS_MAX 40
#define RAX 0
#define RSP 4
#define RBP 5
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

/* An instruction: prefixes, opcode, operands. */
struct reading {
    const unsigned char *code;
    unsigned at, length;
    unsigned rex, prefix; /* 66, f2, f3 or 0 */
    unsigned opcode;      /* 0x0f00 and more: after 0f */
    unsigned reg;         /* the middle field of ModRM */
    bool memory;
    unsigned rm;      /* the register, or memory's base */
    bool addressable; /* memory is [rm + displacement] */
    int32_t displacement;
};

static unsigned take_byte(struct reading *reading)
{
    return reading->at < reading->length ? reading->code[reading->at++] : 0x100;
}

/* A number of 1 or 4 bytes. */
static bool take_number(struct reading *reading, unsigned bytes, int32_t *number)
{
    if (reading->at + bytes > reading->length)
        return false;
    if (bytes == 1)
        *number = (int8_t)reading->code[reading->at];
    else
        memcpy(number, reading->code + reading->at, 4);
    reading->at += bytes;
    return true;
}

static void take_opcode(struct reading *reading)
{
    unsigned code = take_byte(reading);
    for (; code == 0x66 || code == 0xf2 || code == 0xf3; code = take_byte(reading))
        reading->prefix = code;
    if ((code & 0x1f0) == 0x40) {
        reading->rex = code;
        code = take_byte(reading);
    }
    reading->opcode = code == 0x0f ? 0x0f00 | take_byte(reading) : code;
}

static bool take_operands(struct reading *reading)
{
    unsigned modrm = take_byte(reading), mode = modrm >> 6;
    if (modrm > 0xff)
        return false;
    reading->reg = (modrm >> 3 & 7) | (reading->rex & 4) << 1;
    reading->rm = (modrm & 7) | (reading->rex & 1) << 3;
    reading->memory = mode != 3;
    reading->addressable = reading->memory;
    if (mode == 3)
        return true;
    if ((modrm & 7) == 4) { /* no index */
        unsigned sib = take_byte(reading);
        reading->rm = (sib & 7) | (reading->rex & 1) << 3;
        reading->addressable =
            (sib & 0x138) == 0x20 && (reading->rex & 2) == 0 && (mode != 0 || (sib & 7) != 5);
    } else if (mode == 0 && (modrm & 7) == 5) {
        reading->addressable = false; /* from the instruction on */
    }
    return mode == 0 || take_number(reading, mode == 1 ? 1 : 4, &reading->displacement);
}

static unsigned operand_bytes(const struct reading *reading)
{
    return (reading->rex & 8) != 0 ? 8 : reading->prefix == 0x66 ? 2 : 4;
}

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
static struct held load(const struct follower *follower, const struct reading *reading,
                        unsigned bytes)
{
    struct held held = {.size_bytes = 0};
    const struct held *base = &follower->general[reading->rm];
    int64_t offset = (int64_t)base->offset + reading->displacement;
    bool frame = base->base == RSP || (base->base == RBP && follower->frame_pointer);
    if (reading->addressable && base->size_bytes == 8 && base->how == X86_RESULT_SUM && frame &&
        offset == (int32_t)offset)
        held = (struct held){.how = X86_RESULT_MEMORY,
                             .base = base->base,
                             .size_bytes = (uint8_t)bytes,
                             .offset = (int32_t)offset};
    return held;
}

/* A byte register without REX is one of the first four, or the second byte of such a one. */
static bool is_low_byte(const struct reading *reading, unsigned number)
{
    return reading->rex != 0 || number < 4;
}

static struct held source(const struct follower *follower, const struct reading *reading,
                          unsigned bytes)
{
    if (reading->memory)
        return load(follower, reading, bytes);
    if (bytes == 1 && !is_low_byte(reading, reading->rm))
        return (struct held){.size_bytes = 0};
    return narrowed(follower->general[reading->rm], bytes);
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

static bool take_down(struct follower *follower, struct reading *reading, unsigned register_number)
{
    struct held *stack = &follower->general[RSP];
    follower->general[register_number].size_bytes = 0; /* it is the caller's again */
    *stack = sum(*stack, 8, 8);
    return reading->prefix == 0 && register_number != RSP;
}

/* ---- instructions ---- */

/* mov and its like: to a general register. */
static bool follow_move(struct follower *follower, struct reading *reading)
{
    unsigned bytes = operand_bytes(reading), from = bytes;
    bool store = reading->opcode == 0x89 || reading->opcode == 0x88;
    if (!take_operands(reading) || (store && reading->memory))
        return false;
    if (store) {
        unsigned to = reading->rm;
        reading->rm = reading->reg;
        reading->reg = to;
    }
    switch (reading->opcode) {
    case 0x88:
    case 0x8a:
        if (!is_low_byte(reading, reading->reg))
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
    bool sign = reading->opcode == 0x63 || (reading->opcode & 0x0ffe) == 0x0fbe;
    from = from < bytes ? from : bytes;
    follower->general[reading->reg] = source(follower, reading, from);
    if ((reading->opcode & 0x0f00) != 0 || reading->opcode == 0x63 || bytes == 4)
        follower->general[reading->reg] = extended(follower->general[reading->reg], from,
                                                   sign         ? bytes
                                                   : bytes == 2 ? 2
                                                                : 8,
                                                   sign);
    return reading->reg != RSP || (bytes == 8 && !reading->memory && from == 8);
}

/* lea, xor and what adds a number. */
static bool follow_sum(struct follower *follower, struct reading *reading)
{
    unsigned bytes = operand_bytes(reading), opcode = reading->opcode;
    int32_t number = 0;
    if (!take_operands(reading) || (opcode != 0x8d && reading->memory))
        return false;
    struct held *to = &follower->general[opcode == 0x8d ? reading->reg : reading->rm];
    if (opcode == 0x8d) {
        *to = reading->addressable
                  ? sum(follower->general[reading->rm], reading->displacement, bytes)
                  : (struct held){.size_bytes = 0};
        return bytes == 8 || reading->reg != RSP;
    }
    if (opcode == 0x31 || opcode == 0x33) {
        *to = (struct held){.how = X86_RESULT_CONSTANT,
                            .size_bytes = reading->reg == reading->rm && bytes >= 4 ? 8 : 0};
        return reading->rm != RSP && reading->reg == reading->rm;
    }
    unsigned what = reading->reg & 7;
    if ((opcode == 0x81 && bytes == 2) || !take_number(reading, opcode == 0x83 ? 1 : 4, &number) ||
        (what != 0 && what != 5) || (reading->rm == RSP && bytes != 8))
        return false;
    *to = sum(*to, what == 0 ? number : -(int64_t)number, bytes);
    return true;
}

static bool follow_constant(struct follower *follower, struct reading *reading)
{
    struct held held = {.how = X86_RESULT_CONSTANT, .size_bytes = 8};
    unsigned number = (reading->opcode & 7) | (reading->rex & 1) << 3;
    int32_t small = 0;
    if (reading->prefix != 0)
        return false;
    if (reading->opcode == 0xc7) {
        if (!take_operands(reading) || reading->memory || (reading->reg & 7) != 0)
            return false;
        number = reading->rm;
    }
    if (reading->opcode != 0xc7 && (reading->rex & 8) != 0) {
        if (reading->at + 8 > reading->length)
            return false;
        memcpy(&held.constant, reading->code + reading->at, 8);
    } else {
        if (!take_number(reading, 4, &small))
            return false;
        held.constant = (reading->rex & 8) != 0 ? (uint64_t)(int64_t)small : (uint32_t)small;
    }
    follower->general[number] = held;
    return number != RSP;
}

/* Moves to vector registers; pxor and xorps of one with itself. */
static bool follow_vector(struct follower *follower, struct reading *reading)
{
    unsigned opcode = reading->opcode, prefix = reading->prefix;
    if (!take_operands(reading))
        return false;
    struct held *to = &follower->vector[reading->reg];
    if ((opcode == 0x0fef && prefix == 0x66) || (opcode == 0x0f57 && prefix != 0xf2)) {
        *to = (struct held){.how = X86_RESULT_CONSTANT, .size_bytes = 8};
        return !reading->memory && reading->rm == reading->reg;
    }
    if (opcode == 0x0f6e && prefix == 0x66)
        *to = source(follower, reading, (reading->rex & 8) != 0 ? 8 : 4);
    else if (opcode == 0x0f10 && (prefix == 0xf2 || prefix == 0xf3) && reading->memory)
        *to = load(follower, reading, prefix == 0xf3 ? 4 : 8);
    else if (opcode == 0x0f7e && prefix == 0xf3)
        *to = reading->memory ? load(follower, reading, 8) : follower->vector[reading->rm];
    else if ((opcode == 0x0f28 || opcode == 0x0f6f || opcode == 0x0f10) &&
             (prefix == 0 || prefix == 0x66))
        *to = reading->memory ? load(follower, reading, 16) : follower->vector[reading->rm];
    else
        return false;
    return true;
}

/* One instruction before the return. */
static bool follow(struct follower *follower, struct reading *reading)
{
    take_opcode(reading);
    unsigned opcode = reading->opcode;
    struct held *rax = &follower->general[RAX];
    if ((opcode & 0x1f8) == 0x58) /* pop */
        return take_down(follower, reading, (opcode & 7) | (reading->rex & 1) << 3);
    if ((opcode & 0x1f8) == 0xb8)
        return follow_constant(follower, reading);
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
        return follow_move(follower, reading);
    case 0x31:
    case 0x33:
    case 0x81:
    case 0x83:
    case 0x8d:
        return follow_sum(follower, reading);
    case 0xc7:
        return follow_constant(follower, reading);
    case 0x98: /* cltq and its like */
        *rax = extended(*rax, operand_bytes(reading) / 2, operand_bytes(reading), true);
        return true;
    case 0xc9: /* leave */
        follower->general[RSP] = follower->general[RBP];
        return take_down(follower, reading, RBP);
    case 0x90:
        return (reading->rex & 1) == 0;
    case 0x0f1f:
        return true;
    case 0x0f10:
    case 0x0f28:
    case 0x0f57:
    case 0x0f6e:
    case 0x0f6f:
    case 0x0f7e:
    case 0x0fef:
        return follow_vector(follower, reading);
    case 0xdb: /* fld of 10 bytes */
        if (!take_operands(reading) || !reading->memory || (reading->reg & 7) != 5)
            return false;
        follower->x87 = load(follower, reading, 10);
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
        struct reading reading = {.code = code, .length = instruction.length};
        if (instruction.length == 0)
            return false;
        if (instruction.flow == X86_RETURN)
            return give(in == X86_RESULT_RAX    ? &follower.general[RAX]
                        : in == X86_RESULT_XMM0 ? &follower.vector[0]
                                                : &follower.x87,
                        result);
        if (instruction.flow == X86_JUMP)
            address = instruction.target;
        else if (instruction.flow == X86_NEXT && follow(&follower, &reading))
            address += instruction.length;
        else
            return false;
    }
    return false;
}
