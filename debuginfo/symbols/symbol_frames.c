/* Functions that only unwind information knows: see symbol_frames.h. */
#include "debuginfo/symbols/symbol_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/call_frames.h"

/* Does a call lead there? Then the frame begins as the call leaves it: behind the return address
 * that x86-64 pushes, at the stack pointer where a register has it. */
static bool begins_function(const struct call_frames *frames, uint16_t machine, uint64_t start)
{
    struct call_frame frame;
    if (!call_frames_at(frames, start, &frame) ||
        frame.saved[frame.return_register].how == CALL_FRAME_UNSAID)
        return false;
    return machine == EM_AARCH64 ? frame.cfa_register == 31 && frame.cfa_offset == 0
                                 : frame.cfa_register == 7 && frame.cfa_offset == 8;
}

/* The linker's stubs, and the pieces of a function that all files of a program have a part in. */
static bool is_linkers(const struct elf_file *module, uint64_t address)
{
    for (uint32_t i = 0; i < module->sections_count; i++) {
        const struct elf_section *section = &module->sections[i];
        if ((section->flags & SHF_EXECINSTR) != 0 && address >= section->address &&
            address - section->address < section->size_bytes)
            return strncmp(section->name, ".plt", 4) == 0 || strcmp(section->name, ".init") == 0 ||
                   strcmp(section->name, ".fini") == 0;
    }
    return false;
}

int symbol_frames_read(struct symbol_frames *frames, const struct elf_file *module,
                       const struct dwarf_file *debug, struct error *error)
{
    struct call_frames all;
    *frames = (struct symbol_frames){0};
    int result = call_frames_open(&all, module, debug, error);
    for (size_t i = 0; result == 0 && i < all.count; i++) {
        struct symbol_frame frame;
        const struct call_frame_range range = call_frames_range(&all, i);
        frame.start = range.start;
        frame.end = range.end;
        if ((frames->count > 0 && frames->items[frames->count - 1].start == frame.start) ||
            is_linkers(module, frame.start) || !begins_function(&all, module->machine, frame.start))
            continue;
        result = array_add(&frames->items, &frames->count, &frames->capacity, frame, error);
    }
    call_frames_close(&all);
    return result;
}

void symbol_frames_release(struct symbol_frames *frames)
{
    free(frames->items);
    *frames = (struct symbol_frames){0};
}

uint64_t symbol_frames_next(const struct symbol_frames *frames, uint64_t address)
{
    size_t next = sorted_after(frames->items, frames->count, start, address);
    return next < frames->count ? frames->items[next].start : UINT64_MAX;
}
