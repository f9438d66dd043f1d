/*
 * Copies within a frame: see x86_spills.h. We follow moves between registers (and the top of the
 * x87 stack) and rbp- or rsp-based memory, and stores of constants; any other instruction ends the
 * search. A load from memory that was stored to since the start gives the value of a store of the
 * same bytes, or an unknown one.
 */
#include "debuginfo/x86/x86_spills.h"

#include "debuginfo/x86/x86_code.h"

#define INSTRUCTIONS_MAX 96
#define STORES_MAX 64
#define VECTORS 16 /* numbers: general registers, then vector registers, ... */
#define X87 32     /* ... the top of the x87 stack, ... */
#define NOBODY 33  /* ... and constants */
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
    bool x87_used; /* we pushed a value and have not popped it */
    struct store stores[STORES_MAX];
    unsigned stores_count;
};

/* One move. */
struct move {
    bool is_store, is_register; /* is_register: both operands are */
    uint8_t size_bytes;
    uint8_t number; /* of the register */
    uint8_t other;  /* the source, where both are registers */
    uint8_t base;   /* of memory */
    int32_t offset;
};

/* The number of a register or constant, as above. */
static uint8_t followed_as(const struct x86_operand *operand)
{
    return (uint8_t)(operand->kind == X86_NUMBER   ? NOBODY
                     : operand->kind == X86_VECTOR ? VECTORS + operand->number
                                                   : operand->number);
}

static bool is_register(const struct x86_operand *operand)
{
    return operand->kind == X86_GENERAL || operand->kind == X86_VECTOR;
}

/* Reads a move; false if the instruction is none. */
static bool read_move(const struct x86_instruction *instruction, struct move *move)
{
    const struct x86_operand *to = &instruction->to, *from = &instruction->from, *memory = NULL;
    bool loads_x87 = instruction->mnemonic == ZYDIS_MNEMONIC_FLD;
    *move = (struct move){.is_store = to->kind == X86_MEMORY && !loads_x87};
    if (loads_x87 || instruction->mnemonic == ZYDIS_MNEMONIC_FSTP) {
        memory = to;
        move->number = X87;
        if (to->bytes != 10)
            return false;
    } else if (!x86_is_copy(instruction)) {
        return false;
    } else if (move->is_store && (is_register(from) || from->kind == X86_NUMBER)) {
        memory = to;
        move->number = followed_as(from);
    } else if (is_register(to) && from->kind == X86_MEMORY) {
        memory = from;
        move->number = followed_as(to);
    } else if (is_register(to) && is_register(from)) {
        move->is_register = true;
        move->number = followed_as(to);
        move->other = followed_as(from);
    } else {
        return false;
    }
    move->size_bytes = memory != NULL            ? memory->bytes
                       : to->bytes < from->bytes ? to->bytes
                                                 : from->bytes;
    if (memory == NULL)
        return true;
    move->base = x86_frame_register(memory);
    move->offset = (int32_t)memory->value;
    return x86_in_frame(memory);
}

/* `and $1` of a byte: clang masks a bool so, which changes nothing. */
static bool is_bool_mask(const struct x86_instruction *instruction)
{
    return instruction->mnemonic == ZYDIS_MNEMONIC_AND && instruction->to.kind == X86_GENERAL &&
           instruction->to.bytes == 1 && instruction->from.kind == X86_NUMBER &&
           instruction->from.value == 1;
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
            return true; /* with another base it may be the same memory */
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
        struct x86_instruction instruction = x86_read(module, address);
        if (instruction.length == 0 || instruction.flow != X86_NEXT)
            return;
        if (!is_bool_mask(&instruction) &&
            (!read_move(&instruction, &move) || !follow(&follower, &move)))
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
