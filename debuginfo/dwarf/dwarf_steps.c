/*
 * Computes values: see dwarf_steps.h. Each item of the expression's stack is the sequence of steps
 * that leads to it, so an item that is used twice is computed twice. Words without a type have 64
 * bits and are signed where that matters, except for remainders and shr. Words of a type stay
 * numbers of it.
 */
#include "debuginfo/dwarf/dwarf_steps.h"

#include "debuginfo/dwarf/dwarf_evaluation.h"
#include "debuginfo/dwarf/dwarf_operation.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 8
#define WORD_BYTES 8

/* The type of an item, or none: words are 64 bits wide then. */
struct word_type {
    bool typed, is_signed;
    uint8_t size;
};
static const struct word_type untyped = {.size = WORD_BYTES};

struct item {
    struct word_type type;
    unsigned count;
    struct fisql_recipe_value steps[FISQL_RECIPE_STEPS_MAX];
};

struct computing {
    const struct place_context *context;
    struct dwarf_cursor *cursor;
    struct item items[ITEMS_MAX];
    unsigned depth;
    bool is_value, loads, ended; /* ended: nothing may follow */
    enum place_reason reason;
};

static bool give_up(struct computing *computing, enum place_reason reason)
{
    computing->reason = reason;
    return false;
}

/* ---- items ---- */

static struct item *top(struct computing *computing)
{
    return computing->depth > 0 ? &computing->items[computing->depth - 1] : NULL;
}

static bool append(struct computing *computing, struct item *item,
                   const struct fisql_recipe_value *steps, unsigned count)
{
    if (count > FISQL_RECIPE_STEPS_MAX - item->count)
        return give_up(computing, PLACE_COMPLEX);
    memcpy(item->steps + item->count, steps, count * sizeof *steps);
    item->count += count;
    return true;
}

static bool push(struct computing *computing, const struct fisql_recipe_value *value)
{
    if (computing->depth == ITEMS_MAX)
        return give_up(computing, PLACE_COMPLEX);
    struct item *item = &computing->items[computing->depth++];
    item->type = untyped;
    item->count = 0;
    return append(computing, item, value, 1);
}

static bool push_number(struct computing *computing, enum fisql_recipe_where where, uint64_t number)
{
    const struct fisql_recipe_value value = {.where = (uint8_t)where,
                                             .what = FISQL_WHAT_UNSIGNED,
                                             .size = WORD_BYTES,
                                             .constant = number};
    return push(computing, &value);
}

static bool push_sum(struct computing *computing, uint64_t number, int64_t offset)
{
    if (!place_register_kept(computing->context, number))
        return give_up(computing, PLACE_REGISTER_LOST);
    if (offset != (int32_t)offset)
        return give_up(computing, PLACE_COMPLEX);
    const struct fisql_recipe_value value = {.where = FISQL_WHERE_SUM,
                                             .what = FISQL_WHAT_UNSIGNED,
                                             .size = WORD_BYTES,
                                             .base = (uint8_t)number,
                                             .offset = (int32_t)offset};
    return push(computing, &value);
}

static bool push_frame(struct computing *computing, bool cfa, int64_t offset)
{
    uint8_t number;
    int64_t base;
    return place_frame(computing->context, cfa, &number, &base)
               ? push_sum(computing, number, base + offset)
               : give_up(computing, PLACE_FRAME);
}

/* Copies the item `below` the top one. */
static bool pick(struct computing *computing, uint64_t below)
{
    if (below >= computing->depth || computing->depth == ITEMS_MAX)
        return give_up(computing, PLACE_COMPLEX);
    computing->items[computing->depth] = computing->items[computing->depth - 1 - below];
    computing->depth++;
    return true;
}

static bool swap(struct computing *computing)
{
    if (computing->depth < 2)
        return give_up(computing, PLACE_COMPLEX);
    struct item *upper = &computing->items[computing->depth - 1], kept = *upper;
    *upper = upper[-1];
    upper[-1] = kept;
    return true;
}

/* ---- steps ---- */

static bool step(struct computing *computing, enum fisql_recipe_step step, uint8_t size,
                 bool is_signed, int32_t offset)
{
    const struct fisql_recipe_value value = {.where = FISQL_WHERE_STEP,
                                             .what = is_signed ? FISQL_WHAT_SIGNED
                                                               : FISQL_WHAT_UNSIGNED,
                                             .size = size,
                                             .base = (uint8_t)step,
                                             .offset = offset};
    struct item *item = top(computing);
    return item != NULL ? append(computing, item, &value, 1) : give_up(computing, PLACE_COMPLEX);
}

/* Joins the steps of the top two items to one item; NULL if their types differ. */
static struct item *join(struct computing *computing)
{
    if (computing->depth < 2)
        return NULL;
    const struct item *b = &computing->items[--computing->depth];
    struct item *a = top(computing);
    bool same = a->type.typed == b->type.typed && a->type.size == b->type.size &&
                a->type.is_signed == b->type.is_signed;
    return same && append(computing, a, b->steps, b->count) ? a : NULL;
}

static bool arithmetic(struct computing *computing, enum fisql_recipe_step operation)
{
    const struct item *item = join(computing);
    return item != NULL
               ? step(computing, operation, item->type.size,
                      item->type.typed ? item->type.is_signed : operation == FISQL_STEP_DIVIDE, 0)
               : give_up(computing, PLACE_COMPLEX);
}

static bool shift(struct computing *computing, enum fisql_recipe_step operation, bool is_signed)
{
    const struct item *item = join(computing);
    if (item == NULL)
        return give_up(computing, PLACE_COMPLEX);
    return step(computing, operation, item->type.size, is_signed, 0) &&
           (!item->type.typed ||
            step(computing, FISQL_STEP_CONVERT, item->type.size, item->type.is_signed, 0));
}

static bool compare(struct computing *computing, unsigned code)
{
    bool turned = code == DW_OP_gt || code == DW_OP_ge;
    struct item *item = !turned || swap(computing) ? join(computing) : NULL;
    if (item == NULL)
        return give_up(computing, PLACE_COMPLEX);
    enum fisql_recipe_step operation = code == DW_OP_eq || code == DW_OP_ne ? FISQL_STEP_EQUAL
                                       : code == DW_OP_lt || code == DW_OP_gt
                                           ? FISQL_STEP_LESS
                                           : FISQL_STEP_LESS_OR_EQUAL;
    if (!step(computing, operation, item->type.size, !item->type.typed || item->type.is_signed, 0))
        return false;
    item->type = untyped;
    return code != DW_OP_ne || step(computing, FISQL_STEP_IS_ZERO, WORD_BYTES, false, 0);
}

/* The absolute value: (x ^ s) - s, where all bits of s are the sign. */
static bool absolute(struct computing *computing)
{
    return top(computing) != NULL && !top(computing)->type.typed && pick(computing, 0) &&
           push_number(computing, FISQL_WHERE_CONSTANT, 63) &&
           shift(computing, FISQL_STEP_SHIFT_RIGHT, true) && pick(computing, 0) &&
           pick(computing, 2) && arithmetic(computing, FISQL_STEP_EXCLUSIVE_OR) &&
           swap(computing) && arithmetic(computing, FISQL_STEP_SUBTRACT) && swap(computing) &&
           (computing->depth--, true);
}

/* `bra` over a `swap` before a `drop`, gcc's form of least, greatest and ?: with a, b and a
 * condition: a if that is not 0, else b. Computes b ^ ((a ^ b) & -(condition != 0)). */
static bool choose(struct computing *computing)
{
    static const unsigned char rest[] = {1, 0, DW_OP_swap, DW_OP_drop};
    const unsigned char *behind = dwarf_take_bytes(computing->cursor, sizeof rest);
    if (computing->depth < 3 || behind == NULL || memcmp(behind, rest, sizeof rest) != 0)
        return give_up(computing, PLACE_COMPLEX);
    struct item *mask = top(computing);
    const struct word_type type = mask[-1].type;
    if (mask->type.typed || !step(computing, FISQL_STEP_IS_TRUE, WORD_BYTES, false, 0) ||
        !step(computing, FISQL_STEP_NEGATE, type.size, type.is_signed, 0))
        return give_up(computing, PLACE_COMPLEX);
    mask->type = type;
    /* a b m; a b m a b; a b m (a ^ b); a b (m & (a ^ b)); a (b ^ ...) */
    if (!pick(computing, 2) || !pick(computing, 2) ||
        !arithmetic(computing, FISQL_STEP_EXCLUSIVE_OR) || !arithmetic(computing, FISQL_STEP_AND) ||
        !arithmetic(computing, FISQL_STEP_EXCLUSIVE_OR) || !swap(computing))
        return give_up(computing, PLACE_COMPLEX);
    computing->depth--;
    return true;
}

static bool add(struct computing *computing, uint64_t number)
{
    if (top(computing) == NULL || top(computing)->type.typed)
        return give_up(computing, PLACE_COMPLEX);
    if (number <= INT32_MAX)
        return step(computing, FISQL_STEP_OFFSET, WORD_BYTES, false, (int32_t)number);
    return push_number(computing, FISQL_WHERE_CONSTANT, number) &&
           arithmetic(computing, FISQL_STEP_ADD);
}

static bool load(struct computing *computing, uint64_t size, bool is_signed)
{
    if (top(computing) == NULL || top(computing)->type.typed || size == 0 || size > WORD_BYTES)
        return give_up(computing, PLACE_COMPLEX);
    computing->loads = true;
    return step(computing, FISQL_STEP_LOAD, (uint8_t)size, is_signed, 0);
}

/* ---- types ---- */

/* The bits of LLVM's own types such as DW_ATE_unsigned_1. */
static unsigned bits_of(struct dwarf_types *types, Dwarf_Off offset, unsigned size)
{
    Dwarf_Die die = dwarf_die_at(types->debug, offset);
    const char *name = die != NULL ? dwarf_die_string(types->debug, die, DW_AT_name) : NULL;
    unsigned bits = 8 * size;
    if (name != NULL && strncmp(name, "DW_ATE_", 7) == 0)
        bits = (unsigned)strtoul(strrchr(name, '_') + 1, NULL, 10);
    dwarf_die_release(die);
    return bits;
}

/* Takes the offset, from the unit's start, of an integer type. */
static bool take_type(struct computing *computing, struct word_type *out, uint8_t *bits)
{
    struct dwarf_types *types = computing->context->types;
    uint64_t offset = dwarf_take_unsigned(computing->cursor);
    Dwarf_Off header;
    *out = untyped;
    *bits = 64;
    if (offset == 0)
        return true;
    if (types == NULL || computing->context->unit->split ||
        !dwarf_die_unit(types->debug, types->unit, &header))
        return give_up(computing, PLACE_COMPLEX);
    struct dwarf_type type = dwarf_type_at(types, header + offset);
    bool integer = type.kind == DWARF_TYPE_SIGNED || type.kind == DWARF_TYPE_UNSIGNED ||
                   type.kind == DWARF_TYPE_CHAR;
    if (!integer || type.size_bytes == 0 || type.size_bytes > WORD_BYTES)
        return give_up(computing, PLACE_COMPLEX);
    unsigned named = bits_of(types, header + offset, (unsigned)type.size_bytes);
    *out = (struct word_type){true, type.is_signed, (uint8_t)type.size_bytes};
    *bits = (uint8_t)named;
    return (named > 0 && named <= 8 * type.size_bytes) || give_up(computing, PLACE_COMPLEX);
}

/* Makes the top item a number of a type. */
static bool narrow(struct computing *computing, const struct word_type *type, uint8_t bits)
{
    top(computing)->type = *type;
    return !type->typed || step(computing, FISQL_STEP_BITS, bits, type->is_signed, 0);
}

static bool convert(struct computing *computing)
{
    struct word_type type;
    uint8_t bits;
    if (top(computing) == NULL || !take_type(computing, &type, &bits))
        return give_up(computing, PLACE_COMPLEX);
    return narrow(computing, &type, bits);
}

static bool typed_register(struct computing *computing)
{
    struct word_type type;
    uint8_t bits;
    uint64_t number = dwarf_take_unsigned(computing->cursor);
    return take_type(computing, &type, &bits) && push_sum(computing, number, 0) &&
           narrow(computing, &type, bits);
}

static bool typed_load(struct computing *computing)
{
    struct word_type type;
    uint8_t bits;
    uint64_t size = dwarf_take(computing->cursor, 1);
    if (!take_type(computing, &type, &bits) || !type.typed || type.size != size ||
        bits != 8 * size || !load(computing, size, type.is_signed))
        return give_up(computing, PLACE_COMPLEX);
    top(computing)->type = type;
    return true;
}

static bool typed_constant(struct computing *computing)
{
    struct word_type type;
    uint8_t bits;
    if (!take_type(computing, &type, &bits))
        return false;
    uint64_t size = dwarf_take(computing->cursor, 1);
    if (!type.typed || size != type.size || bits != 8 * size ||
        !push_number(computing, FISQL_WHERE_CONSTANT,
                     type.is_signed ? (uint64_t)dwarf_take_fixed(computing->cursor, type.size)
                                    : dwarf_take(computing->cursor, type.size)))
        return give_up(computing, PLACE_COMPLEX);
    top(computing)->type = type;
    return true;
}

/* ---- operations ---- */

static bool run_operator(struct computing *computing, unsigned code)
{
    static const struct {
        unsigned code;
        enum fisql_recipe_step step;
    } known[] = {{DW_OP_plus, FISQL_STEP_ADD},      {DW_OP_minus, FISQL_STEP_SUBTRACT},
                 {DW_OP_mul, FISQL_STEP_MULTIPLY},  {DW_OP_div, FISQL_STEP_DIVIDE},
                 {DW_OP_mod, FISQL_STEP_REMAINDER}, {DW_OP_and, FISQL_STEP_AND},
                 {DW_OP_or, FISQL_STEP_OR},         {DW_OP_xor, FISQL_STEP_EXCLUSIVE_OR}};
    const struct item *item = top(computing);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].code == code)
            return arithmetic(computing, known[i].step);
    switch (code) {
    case DW_OP_shl:
        return shift(computing, FISQL_STEP_SHIFT_LEFT, false);
    case DW_OP_shr:
    case DW_OP_shra:
        return shift(computing, FISQL_STEP_SHIFT_RIGHT, code == DW_OP_shra);
    case DW_OP_neg:
    case DW_OP_not:
        return item != NULL &&
               step(computing, code == DW_OP_neg ? FISQL_STEP_NEGATE : FISQL_STEP_INVERT,
                    item->type.size, item->type.is_signed, 0);
    case DW_OP_abs:
        return absolute(computing) || give_up(computing, PLACE_COMPLEX);
    case DW_OP_eq:
    case DW_OP_ne:
    case DW_OP_lt:
    case DW_OP_le:
    case DW_OP_gt:
    case DW_OP_ge:
        return compare(computing, code);
    default:
        return give_up(computing, PLACE_COMPLEX);
    }
}

static bool run_stack(struct computing *computing, unsigned code)
{
    struct dwarf_cursor *cursor = computing->cursor;
    switch (code) {
    case DW_OP_dup:
        return pick(computing, 0);
    case DW_OP_over:
        return pick(computing, 1);
    case DW_OP_pick:
        return pick(computing, dwarf_take(cursor, 1));
    case DW_OP_swap:
        return swap(computing);
    case DW_OP_bra:
        return choose(computing);
    case DW_OP_drop:
        return computing->depth > 0 ? (computing->depth--, true)
                                    : give_up(computing, PLACE_COMPLEX);
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        return typed_load(computing);
    case DW_OP_convert:
    case DW_OP_GNU_convert:
        return convert(computing);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        return typed_register(computing);
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
        return typed_constant(computing);
    default:
        return run_operator(computing, code);
    }
}

static bool run(struct computing *computing, const struct dwarf_operation *operation)
{
    switch (operation->kind) {
    case DWARF_PUSH_CONSTANT:
        return push_number(computing, FISQL_WHERE_CONSTANT, operation->number);
    case DWARF_PUSH_ADDRESS:
        return push_number(computing, FISQL_WHERE_ADDRESS, operation->number);
    case DWARF_PUSH_SUM:
        return push_sum(computing, operation->number, operation->offset);
    case DWARF_PUSH_FRAME:
        return push_frame(computing, false, operation->offset);
    case DWARF_PUSH_CFA:
        return push_frame(computing, true, 0);
    case DWARF_ADD:
        return add(computing, operation->number);
    case DWARF_LOAD:
        return load(computing, operation->number, false);
    case DWARF_NOTHING:
        return true;
    case DWARF_IS_TOP:
        computing->is_value = computing->ended = true;
        return true;
    case DWARF_AT_ENTRY:
        return give_up(computing, PLACE_OVERWRITTEN);
    case DWARF_TAKEN_APART:
        return give_up(computing, PLACE_OPTIMISED);
    case DWARF_OTHER:
        return run_stack(computing, operation->code);
    case DWARF_IS_REGISTER: /* dwarf_evaluation.c has these simple forms */
    case DWARF_IS_BYTES:
    case DWARF_MALFORMED:
        break;
    }
    return give_up(computing, PLACE_COMPLEX);
}

/* The most words that an item's steps hold at once. */
static unsigned words_needed(const struct item *item)
{
    unsigned words = 0, most = 0;
    for (unsigned i = 0; i < item->count; i++) {
        if (item->steps[i].where != FISQL_WHERE_STEP)
            words++;
        else if (item->steps[i].base >= FISQL_STEP_ADD)
            words--;
        most = words > most ? words : most;
    }
    return most;
}

static enum place_reason conclude(struct computing *computing, bool is_list, struct places *places,
                                  struct place *place)
{
    const struct item *item = top(computing);
    *place = (struct place){.kind = PLACE_COMPUTED, .at_address = !computing->is_value};
    if (computing->depth != 1 || words_needed(item) > FISQL_RECIPE_STACK_MAX)
        return PLACE_COMPLEX;
    /* The frame may not have been filled yet. */
    if (!is_list && (place->at_address || (computing->loads && computing->context->stores_late)))
        return PLACE_COMPLEX;
    if (place->at_address && item->type.typed)
        return PLACE_COMPLEX;
    if (item->count > PLACE_STEPS_MAX - places->steps_count)
        return PLACE_COMPLEX;
    place->value_bytes = item->type.size;
    place->first_step = places->steps_count;
    place->steps_count = item->count;
    memcpy(places->steps + places->steps_count, item->steps, item->count * sizeof *item->steps);
    places->steps_count += item->count;
    return PLACE_FOUND;
}

enum place_reason steps_find(const struct place_context *context, struct dwarf_cursor *cursor,
                             bool is_list, struct places *places, struct place *place)
{
    struct computing computing;
    if (context->stores_late) /* clang may fill what it names after the hook's call (a bool) */
        return PLACE_COMPLEX;
    computing.context = context;
    computing.cursor = cursor;
    computing.depth = 0;
    computing.is_value = computing.loads = computing.ended = false;
    computing.reason = PLACE_COMPLEX;
    while (dwarf_in_piece(cursor)) {
        if (computing.ended)
            return PLACE_COMPLEX;
        struct dwarf_operation operation = dwarf_take_operation(cursor, context->unit);
        if (!run(&computing, &operation))
            return computing.reason;
        if (cursor->failed)
            return PLACE_COMPLEX;
    }
    return conclude(&computing, is_list, places, place);
}
