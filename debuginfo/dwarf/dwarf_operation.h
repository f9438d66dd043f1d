/*
 * The operations of a DWARF expression (DWARF 5, 2.5), one after the other, with their operands. Operations
 * that mean the same have one kind, whatever code and width of operands the compiler chose for them.
 * dwarf_evaluation.c and dwarf_steps.c give them their meanings.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_OPERATION_H
#define FISQL_DEBUGINFO_DWARF_DWARF_OPERATION_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_locations.h"

enum dwarf_operation_kind {
    DWARF_PUSH_CONSTANT, /* number */
    DWARF_PUSH_ADDRESS,  /* number: an address of the module's file */
    DWARF_PUSH_SUM,      /* what register `number` holds + offset */
    DWARF_PUSH_FRAME,    /* the function's frame base + offset */
    DWARF_PUSH_CFA,      /* the canonical frame address */
    DWARF_ADD,           /* number */
    DWARF_LOAD,          /* `number` bytes, 1 to 8 in a sound expression */
    DWARF_NOTHING,
    DWARF_IS_REGISTER, /* the variable is in register `number`: nothing may follow */
    DWARF_IS_TOP,      /* the topmost item is the variable's value: nothing may follow */
    DWARF_IS_BYTES,    /* the value is `number` itself: nothing may follow */
    DWARF_AT_ENTRY,    /* of a value that only the function's start knew */
    DWARF_TAKEN_APART, /* of a pointer to what is no longer there */
    DWARF_OTHER,       /* by its code, with operands that are not yet taken */
    DWARF_MALFORMED
};

struct dwarf_operation {
    enum dwarf_operation_kind kind;
    unsigned code;
    uint64_t number;
    int64_t offset;
};

/* Takes the next operation; the cursor is before its end. `unit`: for addresses by their index. */
struct dwarf_operation dwarf_take_operation(struct dwarf_cursor *cursor,
                                            const struct dwarf_unit_context *unit);

/* Is there another operation before the end, and before the end of a piece? That one is left there. */
static inline bool dwarf_in_piece(const struct dwarf_cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at != DW_OP_piece && *cursor->at != DW_OP_bit_piece;
}

#endif
