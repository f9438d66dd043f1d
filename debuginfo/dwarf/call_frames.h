/* Call frame information: the canonical frame address at an instruction, and the places of saved
 * registers. From the module's .eh_frame, else its .debug_frame (DWARF 5, 6.4; Linux Standard Base,
 * Exception Frames). Damaged information counts as absent. After the open the struct is only
 * read. */
#ifndef FISQL_DEBUGINFO_DWARF_CALL_FRAMES_H
#define FISQL_DEBUGINFO_DWARF_CALL_FRAMES_H

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/elf/elf_file.h"

#define CALL_FRAME_REGISTERS 34 /* we follow DWARF's numbers below this */

enum call_frame_saved {
    CALL_FRAME_SAME,  /* the register has its caller's value, or no rule names it */
    CALL_FRAME_AT,    /* its caller's value is at the frame address + offset */
    CALL_FRAME_ELSE,  /* its caller's value is elsewhere */
    CALL_FRAME_UNSAID /* its caller's value is lost */
};

struct call_frame {
    uint16_t cfa_register; /* frame address = this register + cfa_offset */
    int64_t cfa_offset;
    uint16_t return_register; /* the number of the return address */
    struct {
        enum call_frame_saved how;
        int64_t offset;
    } saved[CALL_FRAME_REGISTERS];
};

struct call_frames {
    const struct elf_file *module;
    struct call_frame_entry *entries; /* by start */
    size_t count, capacity;
    struct elf_section *found; /* .eh_frame of a file without section headers; owned */
    struct dwarf_section *own; /* the module's own .debug_frame; owned, its data is not */
};

/* The code of one description. */
struct call_frame_range {
    uint64_t start, end;
    uint64_t place; /* in its section: compilers write the parts of a function in succession */
};

/* Is it DWARF's number of the frame pointer or the stack pointer? */
static inline bool call_frame_is_base(uint16_t machine, uint64_t number)
{
    return machine == EM_AARCH64 ? number == 29 || number == 31 : number == 6 || number == 7;
}

/* Lists the described functions. `module` has the code, `debug` may have .debug_frame (NULL: the
 * module's is read, if it is not compressed); borrows both until the close. 0, or -1 without
 * memory. */
int call_frames_open(struct call_frames *frames, const struct elf_file *module,
                     const struct dwarf_file *debug, struct error *error);
void call_frames_close(struct call_frames *frames);

/* The code that description `index` (below frames->count) is about. They are sorted by start; of
 * those with one start, call_frames_at() knows the last. */
struct call_frame_range call_frames_range(const struct call_frames *frames, size_t index);

/* Are there places in that code where both registers (below CALL_FRAME_REGISTERS) are saved in its
 * frame? */
bool call_frames_save_both(const struct call_frames *frames, size_t index, unsigned one,
                           unsigned other);

/* The frame just before the instruction that holds `address` runs; false if it is unknown or its
 * address is no register + offset. */
bool call_frames_at(const struct call_frames *frames, uint64_t address, struct call_frame *frame);

#endif
