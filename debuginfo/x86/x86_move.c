/* Moving instructions: see x86_move.h. */
#include "debuginfo/x86/x86_move.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "base/must.h"
#include "debuginfo/x86/x86_code.h"

#define NEAR_BYTES 4 /* of a near displacement */
#define JUMP_NEAR 0xe9
#define JUMP_SHORT 0xeb
#define BRANCH_SHORT 0x70 /* to 0x7f, by condition; near ones are 0x0f 0x80 to 0x8f */
#define LOOPNE 0xe0       /* loopne, loope, loop, jrcxz: to 0xe3; they have no near form */
#define JRCXZ 0xe3
#define GROUP_5 0xff /* calls and jumps through an operand, by its reg field */
#define OPERAND_SIZE 0x66
#define ADDRESS_SIZE 0x67

struct mover {
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    struct x86_moved *moved;
    const unsigned char *code;
    uint64_t size_bytes, room_bytes, address;
    unsigned wanted_bytes, at;
    bool ended; /* the last instruction leads nowhere behind it */
};

static bool decode(struct mover *mover, uint64_t limit)
{
    uint64_t left = limit - mover->at;
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
        &mover->decoder, NULL, mover->code + mover->at,
        left < ZYDIS_MAX_INSTRUCTION_LENGTH ? left : ZYDIS_MAX_INSTRUCTION_LENGTH,
        &mover->decoded));
}

static void append(struct x86_moved *moved, const void *bytes, unsigned count)
{
    must(count <= X86_MOVED_BYTES_MAX - moved->bytes);
    memcpy(moved->code + moved->bytes, bytes, count);
    moved->bytes += count;
}

static void fix(struct x86_moved *moved, unsigned place, unsigned trailing, uint64_t target)
{
    must(moved->fixups_count < X86_MOVED_FIXUPS_MAX);
    memset(moved->code + place, 0, NEAR_BYTES);
    moved->fixups[moved->fixups_count++] =
        (struct x86_fixup){(uint8_t)place, (uint8_t)trailing, target};
}

/* An instruction that ends in a near displacement. */
static void append_near(struct x86_moved *moved, const void *opcode, unsigned count,
                        uint64_t target)
{
    static const unsigned char nothing[NEAR_BYTES];
    append(moved, opcode, count);
    append(moved, nothing, NEAR_BYTES);
    fix(moved, moved->bytes - NEAR_BYTES, 0, target);
}

static void append_jump(struct x86_moved *moved, uint64_t target)
{
    append_near(moved, &(unsigned char){JUMP_NEAR}, 1, target);
}

static bool has_prefix(const ZydisDecodedInstruction *decoded, unsigned char prefix)
{
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++)
        if (decoded->raw.prefixes[i].value == prefix)
            return true;
    return false;
}

/* A jump or branch to `target`. What it says about its likelihood is dropped. */
static bool move_branch(struct mover *mover, uint64_t target)
{
    const ZydisDecodedInstruction *decoded = &mover->decoded;
    struct x86_moved *moved = mover->moved;
    bool inside = target > mover->address && target < mover->address + mover->wanted_bytes;
    if (inside || has_prefix(decoded, OPERAND_SIZE) || decoded->raw.imm[0].size == 16)
        return false;
    if (decoded->opcode_map == ZYDIS_OPCODE_MAP_0F) {
        if (decoded->opcode < 0x80 || decoded->opcode > 0x8f)
            return false;
        append_near(moved, (unsigned char[]){0x0f, decoded->opcode}, 2, target);
        return true;
    }
    if (decoded->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
        return false;
    if (decoded->opcode == JUMP_NEAR || decoded->opcode == JUMP_SHORT) {
        append_jump(moved, target);
        mover->ended = true;
    } else if (decoded->opcode >= BRANCH_SHORT && decoded->opcode < BRANCH_SHORT + 16) {
        append_near(moved, (unsigned char[]){0x0f, (unsigned char)(decoded->opcode + 0x10)}, 2,
                    target);
    } else if (decoded->opcode >= LOOPNE && decoded->opcode <= JRCXZ) {
        /* It leads to a jump behind the one around that jump. */
        if (has_prefix(decoded, ADDRESS_SIZE))
            append(moved, &(unsigned char){ADDRESS_SIZE}, 1);
        append(moved, (unsigned char[]){decoded->opcode, 2, JUMP_SHORT, 1 + NEAR_BYTES}, 4);
        append_jump(moved, target);
    } else {
        return false;
    }
    return true;
}

/* The operand of the instruction that was copied to `from`, if its address is relative. */
static bool fix_operand(struct mover *mover, unsigned from)
{
    const ZydisDecodedInstruction *decoded = &mover->decoded;
    bool by_place = (decoded->attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
                    decoded->raw.modrm.mod == 0 && decoded->raw.modrm.rm == 5 &&
                    decoded->raw.disp.size == 8 * NEAR_BYTES;
    if (!by_place)
        return true;
    if (decoded->address_width != 64)
        return false;
    unsigned place = decoded->raw.disp.offset;
    fix(mover->moved, from + place, decoded->length - place - NEAR_BYTES,
        mover->address + mover->at + decoded->length + (uint64_t)decoded->raw.disp.value);
    return true;
}

/* A call with the return address that it has in the function, and nothing behind it. */
static bool move_call(struct mover *mover)
{
    static const unsigned char even[] = {0xe8, 1, 0, 0, 0, 0xcc}, push_word[] = {0xff, 0x35},
                               pop_over[] = {0x8f, 0x04, 0x24};
    static const unsigned char nothing[NEAR_BYTES];
    const ZydisDecodedInstruction *decoded = &mover->decoded;
    struct x86_moved *moved = mover->moved;
    unsigned length = decoded->length;
    uint64_t next = mover->address + mover->at + length;
    bool direct = decoded->raw.imm[0].is_relative;
    bool by_stack = !decoded->raw.rex.B &&
                    (decoded->raw.modrm.mod == 3
                         ? decoded->raw.modrm.rm == X86_RSP
                         : decoded->raw.modrm.rm == X86_RSP && decoded->raw.sib.base == X86_RSP);
    if (mover->at + length < mover->wanted_bytes || has_prefix(decoded, OPERAND_SIZE) ||
        decoded->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT ||
        (direct ? decoded->raw.imm[0].size != 32 : decoded->opcode != GROUP_5 || by_stack))
        return false;
    append(moved, even, sizeof even);
    append(moved, push_word, sizeof push_word);
    moved->push_place = moved->bytes;
    append(moved, nothing, NEAR_BYTES);
    append(moved, pop_over, sizeof pop_over);
    moved->calls = mover->ended = true;
    moved->pushed = next;
    if (direct) {
        append_jump(moved, next + (uint64_t)decoded->raw.imm[0].value.s);
        return true;
    }
    /* The same operand, of a jump: 4 in place of 2. */
    unsigned from = moved->bytes, operand = decoded->raw.modrm.offset;
    append(moved, mover->code + mover->at, length);
    moved->code[from + operand] = (unsigned char)(moved->code[from + operand] ^ (2 << 3 ^ 4 << 3));
    return fix_operand(mover, from);
}

static bool is_last(const ZydisDecodedInstruction *decoded)
{
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
        return true;
    default:
        return decoded->meta.category == ZYDIS_CATEGORY_RET ||
               decoded->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
    }
}

/* Moves the instruction that was decoded; false if it has to stay where it is. */
static bool move_one(struct mover *mover)
{
    const ZydisDecodedInstruction *decoded = &mover->decoded;
    struct x86_moved *moved = mover->moved;
    uint64_t next = mover->address + mover->at + decoded->length;
    if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return false;
    if (decoded->meta.category == ZYDIS_CATEGORY_CALL)
        return move_call(mover);
    if (decoded->raw.imm[0].is_relative)
        return move_branch(mover, next + (uint64_t)decoded->raw.imm[0].value.s);
    unsigned from = moved->bytes;
    append(moved, mover->code + mover->at, decoded->length);
    mover->ended = is_last(decoded);
    return fix_operand(mover, from);
}

/* Steps over what fills the gap behind the function; false if that ends too early. */
static bool skip_filling(struct mover *mover)
{
    while (mover->at < mover->wanted_bytes) {
        if (mover->at >= mover->room_bytes || !decode(mover, mover->room_bytes))
            return false;
        bool nop = mover->decoded.mnemonic == ZYDIS_MNEMONIC_NOP ||
                   (mover->decoded.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                    mover->decoded.opcode == 0x90 && mover->code[mover->at] != 0xf3);
        bool trap = mover->decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
        if (!nop && !(trap && mover->ended))
            return false;
        mover->at += mover->decoded.length;
    }
    return true;
}

enum x86_move_result x86_move(struct x86_moved *moved, const unsigned char *code,
                              uint64_t size_bytes, uint64_t room_bytes, uint64_t address,
                              unsigned wanted_bytes)
{
    struct mover mover = {.moved = moved,
                          .code = code,
                          .size_bytes = size_bytes,
                          .room_bytes = room_bytes,
                          .address = address,
                          .wanted_bytes = wanted_bytes};
    must(size_bytes <= room_bytes);
    must(ZYAN_SUCCESS(
        ZydisDecoderInit(&mover.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
    moved->bytes = moved->fixups_count = 0;
    moved->calls = false;
    if (room_bytes < wanted_bytes)
        return X86_MOVE_SHORT;
    while (mover.at < wanted_bytes && mover.at < size_bytes && !mover.ended) {
        if (!decode(&mover, size_bytes))
            return X86_MOVE_UNREADABLE;
        if (!move_one(&mover))
            return X86_MOVE_UNMOVABLE;
        mover.at += mover.decoded.length;
    }
    /* Nothing leads to what lies behind an end, or it would be known as a target. */
    if (mover.ended && mover.at < size_bytes)
        mover.at = (unsigned)(size_bytes < wanted_bytes ? size_bytes : wanted_bytes);
    if (!skip_filling(&mover))
        return X86_MOVE_SHORT;
    if (!mover.ended)
        append_jump(moved, address + mover.at);
    return X86_MOVED;
}
