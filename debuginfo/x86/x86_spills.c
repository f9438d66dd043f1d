/*
 * Copies within a frame: see x86_spills.h. Only moves between rbp- or rsp-based memory and registers, the
 * x87 stack's top among them, and stores of constants are followed; any other instruction ends it. A load
 * from memory that was stored to since the start gives what was stored there in one piece, or an unknown
 * value.
 */
#include "debuginfo/x86/x86_spills.h"

#include "debuginfo/x86/x86_code.h"
#include "debuginfo/x86/x86_operands.h"

#define INSTRUCTIONS_MAX 96
#define STORES_MAX 64
#define VECTORS 16 /* vector registers are numbered behind the general ones, ... */
#define X87 32     /* ... then the top of the x87 stack, ... */
#define NOBODY 33  /* ... and what stands for constants */
#define NUMBERS 34

struct known {
    bool is_known;
    uint8_t base, size_bytes;
    int32_t from;
};

struct store {
    uint8_t base, size_bytes;
    int32_t to;
    struct known what;
};

struct follower {
    struct x86_spills *spills;
    struct known registers[NUMBERS];
    bool x87_used; /* something was pushed, and not popped yet */
    struct store stores[STORES_MAX];
    unsigned stores_count;
};

/* One move, as far as it is understood. */
struct move {
    bool is_store, is_register; /* is_register: both operands are */
    uint8_t size_bytes;
    uint8_t number; /* of the register */
    uint8_t other;  /* the source, where both are registers */
    uint8_t base;   /* of memory */
    int32_t offset;
};

/* How many bytes the instruction moves between a register and a register or memory; 0: it is no plain move. */
static unsigned moved_bytes(const struct x86_operands *operands)
{
    unsigned prefix = operands->prefix, digit = operands->reg & 7;
    switch (operands->opcode) {
    case 0x88:
    case 0x8a:
        return prefix == 0 ? 1 : 0;
    case 0xc6: /* of a constant, as c7 */
        return operands->memory && digit == 0 ? 1 : 0;
    case 0xc7:
        if (!operands->memory || digit != 0)
            return 0;
        /* fall through */
    case 0x89:
    case 0x8b:
        return prefix == 0 || prefix == 0x66 || (operands->rex & 8) != 0
                   ? x86_operand_bytes(operands)
                   : 0;
    case 0xdb: /* fld and fstp of 10 bytes */
        return operands->memory && (digit == 5 || digit == 7) ? 10 : 0;
    case 0x0f13: /* movlps, movlpd: the low half */
        return prefix == 0 || prefix == 0x66 ? 8 : 0;
    case 0x0f10:
    case 0x0f11:
        return prefix == 0xf3 ? 4 : prefix == 0xf2 ? 8 : 16;
    case 0x0f28:
    case 0x0f29:
        return prefix == 0 || prefix == 0x66 ? 16 : 0;
    case 0x0f6f:
    case 0x0f7f:
        return prefix == 0x66 || prefix == 0xf3 ? 16 : 0;
    default:
        return 0;
    }
}

/* From the register to what ModRM names? */
static bool is_store(const struct x86_operands *operands)
{
    switch (operands->opcode) {
    case 0x88:
    case 0x89:
    case 0xc6:
    case 0xc7:
    case 0x0f11:
    case 0x0f13:
    case 0x0f29:
    case 0x0f7f:
        return true;
    default:
        return operands->opcode == 0xdb && (operands->reg & 7) == 7;
    }
}

/* Reads a move; false where the instruction is none. */
static bool read_move(const unsigned char *code, unsigned length, struct move *move)
{
    struct x86_operands operands = {.code = code, .length = length};
    x86_take_opcode(&operands);
    if (!x86_take_operands(&operands))
        return false;
    unsigned size_bytes = moved_bytes(&operands), opcode = operands.opcode;
    if (size_bytes == 0 || (operands.memory && !x86_in_frame(&operands)))
        return false;
    *move = (struct move){.is_store = is_store(&operands),
                          .is_register = !operands.memory,
                          .size_bytes = (uint8_t)size_bytes};
    if (operands.memory) {
        move->base = x86_frame_register(&operands);
        move->offset = operands.displacement;
    }
    if (opcode == 0xdb || opcode == 0xc6 || opcode == 0xc7) { /* ModRM names no register */
        move->number = opcode == 0xdb ? X87 : NOBODY;
        return true;
    }
    /* Without REX, 4 to 7 are the second bytes of the first four registers. */
    if (size_bytes == 1 && operands.rex == 0 &&
        (operands.reg >= 4 || (!operands.memory && operands.rm >= 4)))
        return false;
    unsigned first = opcode >= 0x0f00 ? VECTORS : 0;
    bool to_rm = !operands.memory && move->is_store;
    move->number = (uint8_t)(first + (to_rm ? operands.rm : operands.reg));
    move->other = (uint8_t)(first + (to_rm ? operands.reg : operands.rm));
    return true;
}

/* `and $1, register` of a byte: what clang does to a bool, which has no other bits. */
static bool is_bool_mask(const unsigned char *code, unsigned length)
{
    return (length == 2 && code[0] == 0x24 && code[1] == 1) ||
           (length == 3 && code[0] == 0x80 && (code[1] & 0xfc) == 0xe0 && code[2] == 1) ||
           (length == 4 && (code[0] & 0xfe) == 0x40 && code[1] == 0x80 &&
            (code[2] & 0xf8) == 0xe0 && code[3] == 1);
}

/* Was memory stored to since the start, and if so, what? */
static bool stored_to(const struct follower *follower, uint8_t base, int32_t from, unsigned size,
                      struct known *what)
{
    *what = (struct known){.is_known = false};
    for (unsigned i = follower->stores_count; i-- > 0;) {
        const struct store *store = &follower->stores[i];
        if (store->base == base && store->to == from && store->size_bytes == size) {
            *what = store->what;
            return true;
        }
        if (store->base != base || ((int64_t)store->to < (int64_t)from + size &&
                                    (int64_t)from < (int64_t)store->to + store->size_bytes))
            return true; /* from another base it may be the same memory */
    }
    return false;
}

static bool follow_load(struct follower *follower, const struct move *move)
{
    struct known stored, *own = &follower->registers[move->number];
    if (move->number == 4 || move->number == 5)
        return false; /* rsp, rbp */
    if (move->number == X87) {
        if (follower->x87_used)
            return false;
        follower->x87_used = true;
    }
    *own = (struct known){true, move->base, move->size_bytes, move->offset};
    if (stored_to(follower, move->base, move->offset, move->size_bytes, &stored))
        *own = stored;
    return true;
}

static bool follow_store(struct follower *follower, const struct move *move)
{
    struct x86_spills *spills = follower->spills;
    struct known stored, own = follower->registers[move->number];
    bool first = !stored_to(follower, move->base, move->offset, move->size_bytes, &stored);
    if (follower->stores_count == STORES_MAX || spills->count == X86_SPILLS_MAX ||
        (move->number == X87 && !follower->x87_used))
        return false;
    if (move->number == X87)
        follower->x87_used = false;
    own.is_known = own.is_known && own.base == move->base && own.size_bytes >= move->size_bytes;
    follower->stores[follower->stores_count] =
        (struct store){move->base, move->size_bytes, move->offset, own};
    follower->stores[follower->stores_count++].what.size_bytes = move->size_bytes;
    if (first && own.is_known)
        spills->items[spills->count++] =
            (struct x86_spill){move->base, move->size_bytes, move->offset, own.from};
    return true;
}

static bool follow(struct follower *follower, const struct move *move)
{
    struct known *own = &follower->registers[move->number];
    if (!move->is_register)
        return move->is_store ? follow_store(follower, move) : follow_load(follower, move);
    if (move->number == 4 || move->number == 5)
        return false;
    *own = follower->registers[move->other];
    own->is_known = own->is_known && own->size_bytes <= move->size_bytes;
    return true;
}

void x86_spills_read(struct x86_spills *spills, const struct elf_file *module, uint64_t address)
{
    struct follower follower = {.spills = spills};
    spills->count = 0;
    for (unsigned step = 0; step < INSTRUCTIONS_MAX; step++) {
        struct move move;
        size_t left = 15;
        const unsigned char *code = NULL;
        while (left > 0 && (code = elf_file_at(module, address, left)) == NULL)
            left--;
        if (code == NULL)
            return;
        struct x86_instruction instruction = x86_read(code, left, address);
        if (instruction.length == 0 || instruction.flow != X86_NEXT)
            return;
        if (!is_bool_mask(code, instruction.length) &&
            (!read_move(code, instruction.length, &move) || !follow(&follower, &move)))
            return;
        address += instruction.length;
    }
}

bool x86_spills_find(const struct x86_spills *spills, uint8_t base, int64_t to, unsigned size_bytes,
                     int64_t *from)
{
    for (unsigned i = 0; i < spills->count; i++)
        if (spills->items[i].base == base && spills->items[i].to == to &&
            spills->items[i].size_bytes == size_bytes) {
            *from = spills->items[i].from;
            return true;
        }
    return false;
}
