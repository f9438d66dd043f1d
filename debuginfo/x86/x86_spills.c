/*
 * Copies within a frame: see x86_spills.h. Only moves between rbp- or rsp-based memory and registers, the
 * x87 stack's top among them, and stores of constants are followed; any other instruction ends it. A load
 * from memory that was stored to since the start gives what was stored there in one piece, or an unknown
 * value.
 */
#include "debuginfo/x86/x86_spills.h"

#include <string.h>

#include "debuginfo/x86/x86_code.h"

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

struct bytes {
    const unsigned char *code;
    unsigned at, length;
    unsigned rex, prefix; /* 66, f2, f3 or 0 */
};

/* The ModRM operand. False where it is no register and no memory at rbp or rsp + offset. */
static bool take_operand(struct bytes *bytes, struct move *move, bool *is_register, uint8_t *number)
{
    if (bytes->at >= bytes->length)
        return false;
    unsigned modrm = bytes->code[bytes->at++], mode = modrm >> 6, base = modrm & 7;
    move->number = (uint8_t)((modrm >> 3 & 7) | (bytes->rex & 4) << 1);
    *is_register = mode == 3;
    *number = (uint8_t)(base | (bytes->rex & 1) << 3);
    if (mode == 3)
        return true;
    if (mode == 0 || (bytes->rex & 1) != 0 || (base != 4 && base != 5))
        return mode == 0 && base == 4 && (bytes->rex & 3) == 0 && bytes->at < bytes->length &&
                       bytes->code[bytes->at++] == 0x24
                   ? (move->base = 7, move->offset = 0, true)
                   : false;
    if (base == 4 &&
        ((bytes->rex & 2) != 0 || bytes->at >= bytes->length || bytes->code[bytes->at++] != 0x24))
        return false; /* an index */
    move->base = base == 4 ? 7 : 6;
    if (bytes->at + (mode == 1 ? 1 : 4) > bytes->length)
        return false;
    if (mode == 1)
        move->offset = (int8_t)bytes->code[bytes->at];
    else
        memcpy(&move->offset, bytes->code + bytes->at, 4);
    return true;
}

/* fld, fstp of 10 bytes (db /5, db /7) and mov of a constant (c6 /0, c7 /0): the register is in the opcode. */
static unsigned other_opcode(struct bytes *bytes, unsigned code, struct move *move, uint8_t *number)
{
    unsigned modrm = bytes->at < bytes->length ? bytes->code[bytes->at] : 0xff;
    unsigned digit = modrm >> 3 & 7;
    if (modrm >> 6 == 3)
        return 0;
    *number = code == 0xdb ? X87 : NOBODY;
    move->is_store = code != 0xdb || digit == 7;
    if (code == 0xdb)
        return digit == 5 || digit == 7 ? 10 : 0;
    if ((code != 0xc6 && code != 0xc7) || digit != 0)
        return 0;
    return code == 0xc6            ? 1
           : (bytes->rex & 8) != 0 ? 8
           : bytes->prefix == 0x66 ? 2
           : bytes->prefix == 0    ? 4
                                   : 0;
}

/* What the opcode moves: size and direction; the size is 0 where it is no plain move. */
static unsigned opcode(struct bytes *bytes, bool *is_store, bool *is_vector)
{
    unsigned code = bytes->code[bytes->at++];
    *is_vector = false;
    *is_store = code == 0x88 || code == 0x89;
    if (code == 0x88 || code == 0x8a)
        return bytes->prefix == 0 ? 1 : 0;
    if (code == 0x89 || code == 0x8b)
        return (bytes->rex & 8) != 0 ? 8 : bytes->prefix == 0x66 ? 2 : bytes->prefix == 0 ? 4 : 0;
    if (code != 0x0f || bytes->at >= bytes->length)
        return 0;
    code = bytes->code[bytes->at++];
    *is_vector = true;
    *is_store = code == 0x11 || code == 0x13 || code == 0x29 || code == 0x7f;
    if (code == 0x13) /* movlps, movlpd: the low half */
        return bytes->prefix == 0 || bytes->prefix == 0x66 ? 8 : 0;
    if (code == 0x10 || code == 0x11)
        return bytes->prefix == 0xf3 ? 4 : bytes->prefix == 0xf2 ? 8 : 16;
    if (code == 0x28 || code == 0x29)
        return bytes->prefix == 0 || bytes->prefix == 0x66 ? 16 : 0;
    if (code == 0x6f || code == 0x7f)
        return bytes->prefix == 0x66 || bytes->prefix == 0xf3 ? 16 : 0;
    return 0;
}

/* Reads a move; false where the instruction is none. */
static bool read_move(const unsigned char *code, unsigned length, struct move *move)
{
    struct bytes bytes = {.code = code, .length = length};
    bool is_register = false, is_vector = false;
    uint8_t number = 0;
    *move = (struct move){.is_store = false};
    while (bytes.at < length &&
           (code[bytes.at] == 0x66 || code[bytes.at] == 0xf2 || code[bytes.at] == 0xf3))
        bytes.prefix = code[bytes.at++];
    if (bytes.at < length && (code[bytes.at] & 0xf0) == 0x40)
        bytes.rex = code[bytes.at++];
    if (bytes.at >= length)
        return false;
    uint8_t special = 0;
    if (code[bytes.at] == 0xdb || code[bytes.at] == 0xc6 || code[bytes.at] == 0xc7) {
        unsigned first = code[bytes.at++];
        move->size_bytes = (uint8_t)other_opcode(&bytes, first, move, &special);
    } else {
        move->size_bytes = (uint8_t)opcode(&bytes, &move->is_store, &is_vector);
    }
    if (move->size_bytes == 0 || !take_operand(&bytes, move, &is_register, &number))
        return false;
    if (special != 0) {
        move->number = special;
        return true;
    }
    /* Without REX, 4 to 7 are the second bytes of the first four registers. */
    bool high = move->size_bytes == 1 && bytes.rex == 0;
    if (high && (move->number >= 4 || (is_register && number >= 4)))
        return false;
    move->is_register = is_register;
    move->other = move->is_store ? move->number : number;
    if (is_register && move->is_store)
        move->number = number;
    if (is_vector) {
        move->number = (uint8_t)(move->number + 16);
        move->other = (uint8_t)(move->other + 16);
    }
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
