/* The operations of a DWARF expression: see dwarf_operation.h. */
#include "debuginfo/dwarf/dwarf_operation.h"

static struct dwarf_operation of(enum dwarf_operation_kind kind, uint64_t number)
{
    return (struct dwarf_operation){.kind = kind, .number = number};
}

static struct dwarf_operation take_sum(struct dwarf_cursor *cursor, enum dwarf_operation_kind kind,
                                       uint64_t number)
{
    struct dwarf_operation operation = of(kind, number);
    operation.offset = dwarf_take_signed(cursor);
    return operation;
}

static struct dwarf_operation take_constant(struct dwarf_cursor *cursor, unsigned code)
{
    /* The codes of one sign are two apart, from 1 to 8 bytes. */
    unsigned size = 1u << (code - DW_OP_const1u) / 2;
    bool is_signed = ((code - DW_OP_const1u) & 1) != 0;
    return of(DWARF_PUSH_CONSTANT,
              is_signed ? (uint64_t)dwarf_take_fixed(cursor, size) : dwarf_take(cursor, size));
}

static struct dwarf_operation take_bytes(struct dwarf_cursor *cursor)
{
    uint64_t size = dwarf_take_unsigned(cursor);
    return size == 0 || size > 8 ? of(DWARF_MALFORMED, 0)
                                 : of(DWARF_IS_BYTES, dwarf_take(cursor, (unsigned)size));
}

static struct dwarf_operation take_indexed(struct dwarf_cursor *cursor,
                                           const struct dwarf_unit_context *unit)
{
    uint64_t address;
    return dwarf_unit_address(unit, dwarf_take_unsigned(cursor), &address)
               ? of(DWARF_PUSH_ADDRESS, address)
               : of(DWARF_MALFORMED, 0);
}

static struct dwarf_operation take(struct dwarf_cursor *cursor,
                                   const struct dwarf_unit_context *unit, unsigned code)
{
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
        return of(DWARF_PUSH_CONSTANT, code - DW_OP_lit0);
    if (code >= DW_OP_reg0 && code <= DW_OP_reg31)
        return of(DWARF_IS_REGISTER, code - DW_OP_reg0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
        return take_sum(cursor, DWARF_PUSH_SUM, code - DW_OP_breg0);
    if (code >= DW_OP_const1u && code <= DW_OP_const8s)
        return take_constant(cursor, code);
    switch (code) {
    case DW_OP_constu:
        return of(DWARF_PUSH_CONSTANT, dwarf_take_unsigned(cursor));
    case DW_OP_consts:
        return of(DWARF_PUSH_CONSTANT, (uint64_t)dwarf_take_signed(cursor));
    case DW_OP_addr:
        return of(DWARF_PUSH_ADDRESS, dwarf_take(cursor, 8));
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return take_indexed(cursor, unit);
    case DW_OP_regx:
        return of(DWARF_IS_REGISTER, dwarf_take_unsigned(cursor));
    case DW_OP_bregx:
        return take_sum(cursor, DWARF_PUSH_SUM, dwarf_take_unsigned(cursor));
    case DW_OP_fbreg:
        return take_sum(cursor, DWARF_PUSH_FRAME, 0);
    case DW_OP_call_frame_cfa:
        return of(DWARF_PUSH_CFA, 0);
    case DW_OP_deref:
        return of(DWARF_LOAD, 8);
    case DW_OP_deref_size:
        return of(DWARF_LOAD, dwarf_take(cursor, 1));
    case DW_OP_plus_uconst:
        return of(DWARF_ADD, dwarf_take_unsigned(cursor));
    case DW_OP_nop:
        return of(DWARF_NOTHING, 0);
    case DW_OP_stack_value:
        return of(DWARF_IS_TOP, 0);
    case DW_OP_implicit_value:
        return take_bytes(cursor);
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        return of(DWARF_AT_ENTRY, 0);
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        return of(DWARF_TAKEN_APART, 0);
    default:
        return of(DWARF_OTHER, 0);
    }
}

struct dwarf_operation dwarf_take_operation(struct dwarf_cursor *cursor,
                                            const struct dwarf_unit_context *unit)
{
    unsigned code = (unsigned)dwarf_take(cursor, 1);
    struct dwarf_operation operation = take(cursor, unit, code);
    operation.code = code;
    if (cursor->failed)
        operation.kind = DWARF_MALFORMED;
    return operation;
}
