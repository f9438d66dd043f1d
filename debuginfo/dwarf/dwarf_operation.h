/* Takes the operations of a DWARF expression (DWARF 5, 2.5) one by one, with operands. Operations
 * of one meaning have one kind, whatever code and width the compiler chose. dwarf_evaluation.c and
 * dwarf_steps.c act on them. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_OPERATION_H
#define FISQL_DEBUGINFO_DWARF_DWARF_OPERATION_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_locations.h"

enum dwarf_operation_kind {
    DWARF_PUSH_CONSTANT, /* number */
    DWARF_PUSH_ADDRESS,  /* number: an address in the module's file */
    DWARF_PUSH_SUM,      /* content of register `number` + offset */
    DWARF_PUSH_FRAME,    /* the function's frame base + offset */
    DWARF_PUSH_CFA,      /* the canonical frame address */
    DWARF_ADD,           /* number */
    DWARF_LOAD,          /* `number` bytes, 1 to 8 in a sound expression */
    DWARF_NOTHING,
    DWARF_IS_REGISTER, /* the variable is in register `number`; must be last */
    DWARF_IS_TOP,      /* the top item is the variable's value; must be last */
    DWARF_IS_BYTES,    /* the value is `number`; must be last */
    DWARF_AT_ENTRY,    /* a value known only at the function's start */
    DWARF_TAKEN_APART, /* a pointer to something optimised away */
    DWARF_OTHER,       /* `code`, its operands not yet taken */
    DWARF_MALFORMED
};

struct dwarf_operation {
    enum dwarf_operation_kind kind;
    unsigned code;
    uint64_t number;
    int64_t offset;
};

/* Takes the next operation; the cursor must be before its end. `unit` has the addresses of
 * indexes. */
struct dwarf_operation dwarf_take_operation(struct dwarf_cursor *cursor,
                                            const struct dwarf_unit_context *unit);

/* Is there another operation before the end, and before one that ends a piece (which stays
 * untaken)? */
static inline bool dwarf_in_piece(const struct dwarf_cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at != DW_OP_piece && *cursor->at != DW_OP_bit_piece;
}

#endif
