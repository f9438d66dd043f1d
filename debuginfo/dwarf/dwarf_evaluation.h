/*
 * The evaluation of a DWARF expression with symbols, at the call of a hook. dwarf_places.c makes
 * places of the results, and dwarf_steps.c asks here for frames and registers; not for others.
 *
 * The stack of an expression holds symbols: a constant, a register + offset, or what lies in memory
 * at a register + offset. Of a value the low `bits` are those of the symbol: masks and pairs of
 * shifts, by which compilers widen what is narrower, make those above of them.
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
    bool stack;     /* register + offset is in a frame */
    int64_t offset;
    uint64_t constant;
    unsigned bits, shifted;
    bool extended, sign_extended; /* the bits above are zeros, or copies of the highest one */
};

struct dwarf_evaluation {
    const struct place_context *context;
    struct dwarf_cursor cursor;
    struct dwarf_item stack[DWARF_STACK_MAX];
    unsigned depth;
    bool is_register, is_value; /* how it ended: a register's name, a value; else an address */
    bool is_list;               /* the expression is one of a list */
    enum place_reason reason;
    unsigned nested;
};

/* Sets the reason. Returns false. */
static inline bool dwarf_give_up(struct dwarf_evaluation *evaluation, enum place_reason reason)
{
    evaluation->reason = reason;
    return false;
}

/* Runs up to the end, or to an operation that ends a piece: it is left there. False after setting
 * the reason. */
bool dwarf_evaluate(struct dwarf_evaluation *evaluation);

/* Does the hook still see what the general register held at its call? */
bool place_register_kept(const struct place_context *context, uint64_t number);
/* The frame base of the function, or (`cfa`) the canonical frame address: *number + *offset. */
bool place_frame(const struct place_context *context, bool cfa, uint8_t *number, int64_t *offset);

#endif
