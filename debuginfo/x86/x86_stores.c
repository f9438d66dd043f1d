/* Stores into the frame: see x86_stores.h. */
#include "debuginfo/x86/x86_stores.h"

#include "debuginfo/x86/x86_code.h"
#include "debuginfo/x86/x86_operands.h"

#define CODE_MAX                                                                                   \
    512u /* bytes before the hook's call; what is longer is no plain start of a function */

/* How many bytes of a register are stored; 0 = it is no such store. */
static unsigned stored_bytes(const struct x86_operands *operands)
{
    unsigned prefix = operands->prefix;
    switch (operands->opcode) {
    case 0x88:
        return 1;
    case 0x89:
        return x86_operand_bytes(operands);
    case 0x0f11: /* movups, movupd, movss, movsd */
        return prefix == 0xf3 ? 4 : prefix == 0xf2 ? 8 : 16;
    case 0x0f29: /* movaps, movapd */
        return 16;
    case 0x0f7f: /* movdqa, movdqu */
        return prefix == 0x66 || prefix == 0xf3 ? 16 : 8;
    case 0x0f13: /* movlps */
    case 0x0fd6: /* movq */
        return 8;
    case 0x0f7e: /* movd, movq */
        return prefix == 0xf3 ? 0 : (operands->rex & 8) != 0 ? 8 : 4;
    default:
        return 0;
    }
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
        struct x86_operands operands = {.code = code + (at - start)};
        struct x86_instruction instruction = x86_read(operands.code, (size_t)(end - at), at);
        if (instruction.length == 0 || instruction.flow != X86_NEXT)
            return false;
        operands.length = instruction.length;
        x86_take_opcode(&operands);
        unsigned bytes = stored_bytes(&operands);
        if (bytes != 0 && x86_take_operands(&operands) && x86_in_frame(&operands) &&
            x86_frame_register(&operands) == base)
            for (int64_t i = operands.displacement; i < operands.displacement + (int64_t)bytes; i++)
                if (i >= offset && i < offset + (int64_t)size_bytes)
                    missing &= ~((uint64_t)1 << (i - offset));
        at += instruction.length;
    }
    return missing == 0;
}
