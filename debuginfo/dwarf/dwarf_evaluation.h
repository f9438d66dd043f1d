/*
 * Evaluates a DWARF expression with symbols, at the call of a hook. Only dwarf_places.c, which
 * makes places of the results, and dwarf_steps.c, which needs frames and registers, use it.
 *
 * The stack holds symbols: a constant, a register + offset, or the memory at a register + offset.
 * The low `bits` of a value are the symbol's. Compilers widen narrow values by masks and pairs of
 * shifts, which make the bits above.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_EVALUATION_H
#define FISQL_DEBUGINFO_DWARF_DWARF_EVALUATION_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_places.h"

#define DWARF_STACK_MAX 16

enum dwarf_item_kind {
    DWARF_ITEM_CONSTANT,
    DWARF_ITEM_SUM,
    DWARF_ITEM_LOADED,
    DWARF_ITEM_VECTOR,
    DWARF_ITEM_ADDRESS
};

struct dwarf_item {
    enum dwarf_item_kind kind;
    uint8_t number; /* register */
    bool stack;     /* register + offset lies in a frame */
    int64_t offset;
    uint64_t constant;
    unsigned bits, shifted;
    bool extended, sign_extended; /* the bits above are zeros, or copies of the highest */
};

struct dwarf_evaluation {
    const struct place_context *context;
    struct dwarf_cursor cursor;
    struct dwarf_item stack[DWARF_STACK_MAX];
    unsigned depth;
    bool is_register, is_value; /* it ended with a register's name, or a value; else with an
                                 * address */
    bool is_list;               /* the expression is in a list */
    enum place_reason reason;
    unsigned nested;
};

/* Sets the reason. Returns false. */
static inline bool dwarf_give_up(struct dwarf_evaluation *evaluation, enum place_reason reason)
{
    evaluation->reason = reason;
    return false;
}

/* Runs up to the end, or to an operation that ends a piece and stays untaken. False after setting
 * the reason. */
bool dwarf_evaluate(struct dwarf_evaluation *evaluation);

/* Does the hook still see the general register's content at its call? */
bool place_register_kept(const struct place_context *context, uint64_t number);
/* *number + *offset: the function's frame base, or (`cfa`) the canonical frame address. */
bool place_frame(const struct place_context *context, bool cfa, uint8_t *number, int64_t *offset);

#endif
