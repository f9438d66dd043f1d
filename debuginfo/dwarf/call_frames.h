/*
 * Call frame information of a module: where, at an instruction, the canonical frame address and what was
 * saved lie. Read from .eh_frame of the module, and where that says nothing from .debug_frame
 * (DWARF 5, 6.4; Linux Standard Base, Exception Frames). Nothing in it is trusted: what does not hold
 * together is as good as absent. After the open the struct is only read.
 */
#ifndef FISQL_DEBUGINFO_DWARF_CALL_FRAMES_H
#define FISQL_DEBUGINFO_DWARF_CALL_FRAMES_H

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/elf/elf_file.h"

#define CALL_FRAME_REGISTERS 34 /* DWARF's numbers below this are followed */

enum call_frame_saved {
    CALL_FRAME_SAME,  /* the register has its caller's value (or: nothing is said) */
    CALL_FRAME_AT,    /* its caller's value lies at the frame address + offset */
    CALL_FRAME_ELSE,  /* it lies elsewhere */
    CALL_FRAME_UNSAID /* nobody knows */
};

struct call_frame {
    uint16_t cfa_register; /* the frame address is this register + cfa_offset */
    int64_t cfa_offset;
    uint16_t return_register; /* stands for the return address */
    struct {
        enum call_frame_saved how;
        int64_t offset;
    } saved[CALL_FRAME_REGISTERS];
};

struct call_frames {
    const struct elf_file *module;
    struct call_frame_entry *entries; /* by start */
    size_t count, capacity;
};

/* Lists the functions described. `module` has the code, `debug` may have .debug_frame (NULL = none);
 * both are borrowed until the close. 0, or -1 without memory. */
int call_frames_open(struct call_frames *frames, const struct elf_file *module,
                     const struct dwarf_file *debug, struct error *error);
void call_frames_close(struct call_frames *frames);

/* The frame when the instruction that holds `address` is about to be executed; false where it is not
 * known or the frame address is not a register + offset. */
bool call_frames_at(const struct call_frames *frames, uint64_t address, struct call_frame *frame);

#endif
