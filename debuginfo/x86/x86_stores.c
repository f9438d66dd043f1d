/* Stores into the frame: see x86_stores.h. */
#include "debuginfo/x86/x86_stores.h"

#include <string.h>

#include "debuginfo/x86/x86_code.h"

#define RBP 6
#define RSP 7
#define CODE_MAX                                                                                   \
    512u /* bytes before the hook's call; what is longer is no plain start of a function */

/* An instruction's prefixes and what follows them. */
struct opening {
    bool word, repeat, not_equal; /* 66, f3, f2 */
    uint8_t rex;
    const unsigned char *at; /* the opcode */
};

static struct opening open_code(const unsigned char *code, const unsigned char *end)
{
    struct opening opening = {.at = code};
    for (; opening.at < end; opening.at++) {
        if (*opening.at == 0x66)
            opening.word = true;
        else if (*opening.at == 0xf3)
            opening.repeat = true;
        else if (*opening.at == 0xf2)
            opening.not_equal = true;
        else
            break;
    }
    if (opening.at < end && (*opening.at & 0xf0) == 0x40)
        opening.rex = *opening.at++;
    return opening;
}

/* How many bytes of a register are stored; 0 = it is no such store. *at: the byte that says where. */
static unsigned stored_bytes(const struct opening *opening, const unsigned char *end,
                             const unsigned char **at)
{
    const unsigned char *code = opening->at;
    *at = code + 1;
    if (end - code < 2)
        return 0;
    if (*code == 0x88)
        return 1;
    if (*code == 0x89)
        return (opening->rex & 8) != 0 ? 8 : opening->word ? 2 : 4;
    if (*code != 0x0f || end - code < 3)
        return 0;
    *at = code + 2;
    switch (code[1]) {
    case 0x11: /* movups, movupd, movss, movsd */
        return opening->repeat ? 4 : opening->not_equal ? 8 : 16;
    case 0x29: /* movaps, movapd */
        return 16;
    case 0x7f: /* movdqa, movdqu */
        return opening->word || opening->repeat ? 16 : 8;
    case 0x13: /* movlps */
    case 0xd6: /* movq */
        return 8;
    case 0x7e: /* movd, movq */
        return opening->repeat ? 0 : (opening->rex & 8) != 0 ? 8 : 4;
    default:
        return 0;
    }
}

/* The place in memory of an operand: register + offset. */
static bool read_place(const struct opening *opening, const unsigned char *at,
                       const unsigned char *end, uint8_t *base, int64_t *offset)
{
    int32_t wide;
    unsigned how = *at >> 6, with = *at & 7;
    at++;
    if (how == 3 || (opening->rex & 3) != 0 || (with != 4 && with != 5) || (with == 5 && how == 0))
        return false;
    if (with == 4 && (at == end || *at++ != 0x24)) /* rsp alone */
        return false;
    *base = with == 4 ? RSP : RBP;
    *offset = 0;
    if (how == 1 && at < end)
        *offset = (int8_t)*at;
    else if (how == 2 && end - at >= 4)
        *offset = (memcpy(&wide, at, sizeof wide), wide);
    else if (how != 0)
        return false;
    return true;
}

bool x86_stores_all(const struct elf_file *module, uint64_t start, uint64_t end, uint8_t base,
                    int64_t offset, unsigned size_bytes)
{
    uint64_t missing = size_bytes < 64 ? ((uint64_t)1 << size_bytes) - 1 : UINT64_MAX;
    const unsigned char *code =
        end > start && end - start <= CODE_MAX ? elf_file_at(module, start, end - start) : NULL;
    if (code == NULL || size_bytes == 0 || size_bytes > 64)
        return false;
    for (uint64_t at = start; at < end && missing != 0;) {
        const unsigned char *here = code + (at - start), *place;
        struct x86_instruction instruction = x86_read(here, (size_t)(end - at), at);
        uint8_t to;
        int64_t from;
        if (instruction.length == 0 || instruction.flow != X86_NEXT)
            return false;
        const unsigned char *behind = here + instruction.length;
        struct opening opening = open_code(here, behind);
        unsigned bytes = stored_bytes(&opening, behind, &place);
        if (bytes != 0 && place < behind && read_place(&opening, place, behind, &to, &from) &&
            to == base)
            for (unsigned i = 0; i < bytes; i++)
                if (from + i >= offset && from + i < offset + (int64_t)size_bytes)
                    missing &= ~((uint64_t)1 << (from + i - offset));
        at += instruction.length;
    }
    return missing == 0;
}
