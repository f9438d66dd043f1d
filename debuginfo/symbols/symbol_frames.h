/* Functions that only unwind information knows: the starts of functions in a stripped module. The
 * compiler describes each function in .eh_frame so that exceptions and debuggers pass through it,
 * and no strip takes that away. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FRAMES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FRAMES_H

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/elf/elf_file.h"

struct symbol_frame {
    uint64_t start, end;
};

struct symbol_frames {
    struct symbol_frame *items; /* by start, one at a start */
    size_t count, capacity;
};

/* Lists the functions that `module` describes, or `debug` in .debug_frame (NULL = none). Left out
 * is what nobody calls: parts of functions, which begin in the middle of a frame (cold code); the
 * program's first instruction, which has no caller; the linker's stubs, .init and .fini. 0, or -1
 * without memory. Release it in both cases. */
int symbol_frames_read(struct symbol_frames *frames, const struct elf_file *module,
                       const struct dwarf_file *debug, struct error *error);
void symbol_frames_release(struct symbol_frames *frames);

/* The first start after an address; UINT64_MAX = none. */
uint64_t symbol_frames_next(const struct symbol_frames *frames, uint64_t address);

#endif
