/* Lengths of x86-64 instructions: see x86_code.h. Source: Intel's manual, volume 2, appendix A. */
#include "debuginfo/x86/x86_code.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 15

struct reader {
    const unsigned char *code;
    size_t left, at;
    bool failed;
    bool operand16, address32, wide; /* prefixes 66, 67, REX.W */
};

/* What follows an opcode. */
enum { MODRM = 1, IMM8 = 2, IMMZ = 4, IMM16 = 8, UNKNOWN = 16 };

static unsigned byte_at(struct reader *reader)
{
    if (reader->at >= reader->left || reader->at >= LENGTH_MAX) {
        reader->failed = true;
        return 0;
    }
    return reader->code[reader->at++];
}

static void skip(struct reader *reader, size_t bytes)
{
    reader->at += bytes;
    if (reader->at > reader->left || reader->at > LENGTH_MAX)
        reader->failed = true;
}

/* The ModRM byte and what it says follows. Returns its middle field, and in *relative where a
 * displacement from the instruction's end stands (0 = none). */
static unsigned modrm(struct reader *reader, size_t *relative)
{
    unsigned byte = byte_at(reader), mode = byte >> 6, base = byte & 7;
    if (mode != 3) {
        if (base == 4) {
            base = byte_at(reader) & 7;
            if (mode == 0 && base == 5)
                skip(reader, 4);
        } else if (mode == 0 && base == 5) {
            *relative = reader->at;
            skip(reader, 4);
        }
        skip(reader, mode == 1 ? 1 : mode == 2 ? 4 : 0);
    }
    return byte >> 3 & 7;
}

/* Of opcodes from 80 on, a character each: m = ModRM, b = and a byte, z = and a number of 4 bytes, B, Z = these
 * alone, w = 2 bytes, e = 2 bytes and one, x = not known. */
static const char upper[] = "bzxbmmmmmmmmmmmm"  /* 80 */
                            "..........x....."  /* 90 */
                            "xxxx....BZ......"  /* a0 */
                            "BBBBBBBBZZZZZZZZ"  /* b0 */
                            "bbw.xxbze.xx.Bxx"  /* c0 */
                            "mmmmxxx.mmmmmmmm"  /* d0 */
                            "BBBBxxxxZZxBxxxx"  /* e0 */
                            "xxxx..mm..xx..mm"; /* f0 */

static unsigned of_letter(char letter)
{
    switch (letter) {
    case '.':
        return 0;
    case 'm':
        return MODRM;
    case 'b':
        return MODRM | IMM8;
    case 'z':
        return MODRM | IMMZ;
    case 'B':
        return IMM8;
    case 'Z':
        return IMMZ;
    case 'w':
        return IMM16;
    case 'e':
        return IMM16 | IMM8;
    default:
        return UNKNOWN;
    }
}

static unsigned one_byte(unsigned code)
{
    if (code >= 0x80)
        return of_letter(upper[code - 0x80]);
    if (code < 0x40)
        return (code & 7) < 4 ? MODRM : (code & 7) == 4 ? IMM8 : (code & 7) == 5 ? IMMZ : UNKNOWN;
    if (code >= 0x50 && code < 0x60)
        return 0;
    if (code >= 0x70)
        return IMM8;
    switch (code) {
    case 0x63:
        return MODRM;
    case 0x68:
        return IMMZ;
    case 0x69:
        return MODRM | IMMZ;
    case 0x6a:
        return IMM8;
    case 0x6b:
        return MODRM | IMM8;
    default:
        return UNKNOWN;
    }
}

/* After 0f, and in map 1 of VEX and EVEX. */
static unsigned two_bytes(unsigned code)
{
    if (code >= 0x80 && code < 0x90)
        return IMMZ;
    if (code >= 0xc8 && code < 0xd0)
        return 0;
    switch (code) {
    case 0x05:
    case 0x0b:
    case 0x31:
    case 0x77:
    case 0xa2:
        return 0;
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return MODRM | IMM8;
    case 0x04:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0a:
    case 0x0c:
    case 0x0e:
    case 0x0f:
    case 0xa0:
    case 0xa1:
    case 0xa8:
    case 0xa9:
    case 0xaa:
        return UNKNOWN;
    default:
        return code >= 0x20 && code < 0x28   ? UNKNOWN
               : code >= 0x30 && code < 0x40 ? UNKNOWN
                                             : MODRM;
    }
}

static unsigned in_map(unsigned map, unsigned code)
{
    return map == 1 ? two_bytes(code) : map == 2 ? MODRM : map == 3 ? MODRM | IMM8 : UNKNOWN;
}

static int64_t signed_at(const struct reader *reader, size_t at, unsigned bytes)
{
    int32_t wide;
    if (bytes == 1)
        return (int8_t)reader->code[at];
    memcpy(&wide, reader->code + at, 4);
    return wide;
}

/* The prefixes; the first byte that is none. */
static unsigned prefixes(struct reader *reader)
{
    for (;;) {
        unsigned code = byte_at(reader);
        switch (code) {
        case 0x66:
            reader->operand16 = true;
            break;
        case 0x67:
            reader->address32 = true;
            break;
        case 0xf2:
        case 0xf3:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x26:
        case 0x64:
        case 0x65:
        case 0xf0:
            break;
        default:
            if ((code & 0xf0) != 0x40 || reader->failed)
                return code;
            reader->wide = (code & 8) != 0;
        }
        if (reader->failed)
            return 0;
    }
}

/* Reads the opcode: what follows it. *plain is its byte where it is of the one-byte map, *escaped where
 * it comes after 0f; else they are 0. */
static unsigned opcode(struct reader *reader, unsigned *plain, unsigned *escaped)
{
    unsigned code = prefixes(reader), map;
    *plain = *escaped = 0;
    switch (code) {
    case 0xc5: /* VEX */
        byte_at(reader);
        return in_map(1, byte_at(reader));
    case 0xc4:
        map = byte_at(reader) & 0x1f;
        byte_at(reader);
        return in_map(map, byte_at(reader));
    case 0x62: /* EVEX */
        map = byte_at(reader) & 7;
        skip(reader, 2);
        return in_map(map, byte_at(reader));
    case 0x0f:
        code = byte_at(reader);
        if (code == 0x38 || code == 0x3a) {
            byte_at(reader);
            return in_map(code == 0x38 ? 2 : 3, 0);
        }
        *escaped = code;
        return two_bytes(code);
    default:
        *plain = code;
        return one_byte(code);
    }
}

static void find_flow(struct x86_instruction *instruction, unsigned plain, unsigned escaped,
                      unsigned middle, int64_t distance, bool relative)
{
    instruction->target += (uint64_t)distance;
    if (plain == 0xe8)
        instruction->flow = X86_CALL;
    else if (plain == 0xe9 || plain == 0xeb)
        instruction->flow = X86_JUMP;
    else if ((plain & 0xf0) == 0x70 || (plain & 0xfc) == 0xe0 || (escaped & 0xf0) == 0x80)
        instruction->flow = X86_BRANCH;
    else if (plain == 0xc3 || plain == 0xc2)
        instruction->flow = X86_RETURN;
    else if (plain == 0xff && middle == 2 && relative)
        instruction->flow = X86_CALL_WORD;
    else if ((plain == 0xff && middle >= 2 && middle <= 5) || plain == 0xcc || plain == 0xcd ||
             plain == 0xf4 || escaped == 0x0b || escaped == 0x05)
        instruction->flow = X86_ELSE;
}

struct x86_instruction x86_read(const unsigned char *code, size_t left, uint64_t address)
{
    struct reader reader = {.code = code, .left = left};
    struct x86_instruction instruction = {0, X86_NEXT, 0};
    unsigned plain, escaped, middle = 0;
    size_t relative = 0;
    unsigned follows = opcode(&reader, &plain, &escaped);
    if (reader.failed || (follows & UNKNOWN) != 0)
        return instruction;
    if ((follows & MODRM) != 0)
        middle = modrm(&reader, &relative);
    if ((plain == 0xf6 || plain == 0xf7) && middle < 2)
        follows |= plain == 0xf6 ? IMM8 : IMMZ;
    if ((follows & IMM16) != 0)
        skip(&reader, 2);
    size_t number = reader.at;
    bool jump = plain == 0xe8 || plain == 0xe9 || (escaped & 0xf0) == 0x80;
    if ((follows & IMMZ) != 0)
        skip(&reader, (plain & 0xf8) == 0xb8 && reader.wide       ? 8
                      : reader.operand16 && !reader.wide && !jump ? 2
                                                                  : 4);
    if ((follows & IMM8) != 0)
        skip(&reader, 1);
    if (reader.failed)
        return instruction;
    bool near = jump || plain == 0xeb || (plain & 0xf0) == 0x70 || (plain & 0xfc) == 0xe0;
    int64_t distance = near            ? signed_at(&reader, number, jump ? 4 : 1)
                       : relative != 0 ? signed_at(&reader, relative, 4)
                                       : 0;
    instruction.length = (unsigned)reader.at;
    instruction.target = address + reader.at;
    find_flow(&instruction, plain, escaped, middle, distance, relative != 0);
    return instruction;
}
