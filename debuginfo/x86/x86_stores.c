/* Stores into the frame: see x86_stores.h. */
#include "debuginfo/x86/x86_stores.h"

#include "debuginfo/x86/x86_code.h"

/* Bytes before the hook's call: what is longer is no plain start of a function. */
#define CODE_MAX 512u

bool x86_stores_all(const struct elf_file *module, uint64_t start, uint64_t end, uint8_t base,
                    int64_t offset, unsigned size_bytes)
{
    uint64_t missing = size_bytes < 64 ? ((uint64_t)1 << size_bytes) - 1 : UINT64_MAX;
    if (end <= start || end - start > CODE_MAX || size_bytes == 0 || size_bytes > 64)
        return false;
    for (uint64_t at = start; at < end && missing != 0;) {
        struct x86_instruction instruction = x86_read(module, at);
        const struct x86_operand *to = &instruction.to;
        if (instruction.length == 0 || instruction.length > end - at ||
            instruction.flow != X86_NEXT)
            return false;
        if (x86_is_copy(&instruction) && instruction.from.kind != X86_NUMBER && x86_in_frame(to) &&
            x86_frame_register(to) == base)
            for (int64_t i = to->value; i < to->value + to->bytes; i++)
                if (i >= offset && i < offset + (int64_t)size_bytes)
                    missing &= ~((uint64_t)1 << (i - offset));
        at += instruction.length;
    }
    return missing == 0;
}
