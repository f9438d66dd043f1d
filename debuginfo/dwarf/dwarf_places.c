/*
 * Places of variables: see dwarf_places.h.
 *
 * The stack of an expression holds symbols: a constant, a register + offset, or what lies in memory at
 * a register + offset. Of a value the low `bits` are those of the symbol: masks and pairs of shifts, by
 * which compilers widen what is narrower, make those above of them.
 */
#include "debuginfo/dwarf/dwarf_places.h"

#include <elf.h>

#include "debuginfo/dwarf/dwarf_operation.h"
#include "debuginfo/dwarf/dwarf_steps.h"

#define STACK_MAX 16
#define NESTED_MAX 2 /* a frame base within an expression */

enum item_kind { ITEM_CONSTANT, ITEM_SUM, ITEM_LOADED, ITEM_VECTOR, ITEM_ADDRESS };

struct item {
    enum item_kind kind;
    uint8_t number; /* register */
    bool stack;     /* register + offset is in a frame */
    int64_t offset;
    uint64_t constant;
    unsigned bits, shifted;
    bool extended, sign_extended; /* the bits above are zeros, or copies of the highest one */
};

struct evaluation {
    const struct place_context *context;
    struct dwarf_cursor cursor;
    struct item stack[STACK_MAX];
    unsigned depth;
    bool is_register, is_value; /* how it ended: a register's name, a value; else an address */
    bool is_list;               /* the expression is one of a list */
    enum place_reason reason;
    unsigned nested;
};

static bool give_up(struct evaluation *evaluation, enum place_reason reason)
{
    evaluation->reason = reason;
    return false;
}

static struct item *push(struct evaluation *evaluation, enum item_kind kind)
{
    if (evaluation->depth == STACK_MAX) {
        evaluation->reason = PLACE_COMPLEX;
        return NULL;
    }
    struct item *item = &evaluation->stack[evaluation->depth++];
    *item = (struct item){.kind = kind, .bits = 64};
    return item;
}

static bool push_constant(struct evaluation *evaluation, uint64_t constant)
{
    struct item *item = push(evaluation, ITEM_CONSTANT);
    if (item == NULL)
        return false;
    item->constant = constant;
    return true;
}

/* The registers that hold at the hook's entry what they held at its call: all general ones but those
 * with the hook's arguments and those that the way through a procedure linkage table may use. */
bool place_register_kept(const struct place_context *context, uint64_t number)
{
    if (context->address == context->after) /* what holds it behind the call held it before */
        return context->machine == EM_AARCH64
                   ? (number >= 19 && number <= 29) || number == 31
                   : number == 3 || number == 6 || number == 7 || (number >= 12 && number <= 15);
    if (context->machine == EM_AARCH64)
        return number <= 31 && number > 1 && number != 16 && number != 17 && number != 30;
    return number <= 15 && number != 4 && number != 5 && number != 10 && number != 11;
}

static bool vector_number(const struct place_context *context, uint64_t number, uint8_t *vector)
{
    uint64_t first = context->machine == EM_AARCH64 ? 64 : 17;
    if (number < first || number > first + 7 || context->address == context->after)
        return false;
    *vector = (uint8_t)(number - first);
    return true;
}

static bool is_stack_pointer(const struct place_context *context, uint64_t number)
{
    return number == (context->machine == EM_AARCH64 ? 31 : 7);
}

static bool push_sum(struct evaluation *evaluation, uint64_t number, int64_t offset, bool stack)
{
    const struct place_context *context = evaluation->context;
    struct item *item;
    if (!place_register_kept(context, number))
        return give_up(evaluation, PLACE_REGISTER_LOST);
    if ((item = push(evaluation, ITEM_SUM)) == NULL)
        return false;
    item->number = (uint8_t)number;
    item->offset = offset;
    item->stack = stack || is_stack_pointer(context, number) ||
                  (context->frame != NULL && number == context->frame->cfa_register);
    return true;
}

static bool push_register(struct evaluation *evaluation, uint64_t number)
{
    uint8_t vector;
    struct item *item;
    if (!vector_number(evaluation->context, number, &vector))
        return push_sum(evaluation, number, 0, false);
    if ((item = push(evaluation, ITEM_VECTOR)) == NULL)
        return false;
    item->number = vector;
    item->bits = 128;
    return true;
}

static bool push_frame_address(struct evaluation *evaluation, int64_t offset)
{
    const struct call_frame *frame = evaluation->context->frame;
    if (frame == NULL)
        return give_up(evaluation, PLACE_FRAME);
    return push_sum(evaluation, frame->cfa_register, frame->cfa_offset + offset, true);
}

static bool evaluate(struct evaluation *evaluation);

/* The function's frame base is an expression itself, which names a register or an address. */
static bool frame_base(const struct place_context *context, unsigned nested, struct item *item)
{
    struct dwarf_location location;
    struct dwarf_expression expression;
    struct evaluation base = {.context = context, .nested = nested + 1};
    if (base.nested >= NESTED_MAX ||
        !dwarf_location_begin(&location, context->unit, &context->frame_base) ||
        !dwarf_location_next(&location, context->address, &expression))
        return false;
    base.cursor =
        (struct dwarf_cursor){expression.bytes, expression.bytes + expression.size_bytes, false};
    if (!evaluate(&base) || base.depth != 1 || base.is_value || base.stack[0].kind != ITEM_SUM)
        return false;
    *item = base.stack[0];
    return true;
}

/* DW_OP_fbreg */
static bool push_frame_base(struct evaluation *evaluation, int64_t offset)
{
    struct item item;
    return frame_base(evaluation->context, evaluation->nested, &item)
               ? push_sum(evaluation, item.number, item.offset + offset, true)
               : give_up(evaluation, PLACE_FRAME);
}

bool place_frame(const struct place_context *context, bool cfa, uint8_t *number, int64_t *offset)
{
    struct item item;
    if (cfa ? context->frame == NULL : !frame_base(context, 0, &item))
        return false;
    *number = cfa ? (uint8_t)context->frame->cfa_register : item.number;
    *offset = cfa ? context->frame->cfa_offset : item.offset;
    return true;
}

/* Memory at the topmost item. */
static bool load(struct evaluation *evaluation)
{
    struct item *top = evaluation->depth > 0 ? &evaluation->stack[evaluation->depth - 1] : NULL;
    if (top == NULL || top->kind != ITEM_SUM || top->bits != 64 || top->shifted != 0)
        return give_up(evaluation, PLACE_COMPLEX);
    top->kind = ITEM_LOADED;
    return true;
}

static bool add(struct evaluation *evaluation, uint64_t number)
{
    struct item *top = evaluation->depth > 0 ? &evaluation->stack[evaluation->depth - 1] : NULL;
    if (top == NULL || top->shifted != 0 || (top->extended && number != 0) ||
        (top->kind != ITEM_CONSTANT && top->kind != ITEM_ADDRESS && top->kind != ITEM_SUM &&
         number != 0))
        return give_up(evaluation, PLACE_COMPLEX);
    if (top->kind == ITEM_CONSTANT || top->kind == ITEM_ADDRESS)
        top->constant += number;
    else
        top->offset = (int64_t)((uint64_t)top->offset + number);
    return true;
}

static unsigned low_ones(uint64_t mask)
{
    return mask == UINT64_MAX ? 64 : (unsigned)__builtin_ctzll(~mask);
}

/* The low `bits` count, and those above are made of them. False where what comes of it is neither. */
static bool narrow(struct item *item, unsigned bits, bool sign_extended)
{
    if (bits >
        item->bits) /* above them are zeros or copies of the highest bit: what becomes of those? */
        return !item->extended || !item->sign_extended || sign_extended;
    if (bits == 64)
        return true;
    item->bits = bits;
    item->extended = true;
    item->sign_extended = sign_extended;
    return true;
}

/* Two operands, of which the upper one is a constant. */
static bool combine(struct evaluation *evaluation, unsigned code)
{
    if (evaluation->depth < 2 || evaluation->stack[evaluation->depth - 1].kind != ITEM_CONSTANT)
        return give_up(evaluation, PLACE_COMPLEX);
    uint64_t number = evaluation->stack[--evaluation->depth].constant;
    struct item *top = &evaluation->stack[evaluation->depth - 1];
    switch (code) {
    case DW_OP_plus:
        return add(evaluation, number);
    case DW_OP_minus:
        return add(evaluation, 0 - number);
    case DW_OP_and:
        if (number == 0 || (number & (number + 1)) != 0 || top->shifted != 0)
            return give_up(evaluation, PLACE_COMPLEX);
        return narrow(top, low_ones(number), false) || give_up(evaluation, PLACE_COMPLEX);
    case DW_OP_shl:
        if (number >= 64 || top->shifted != 0)
            return give_up(evaluation, PLACE_COMPLEX);
        top->shifted = (unsigned)number;
        break;
    case DW_OP_shr:
    case DW_OP_shra:
        if (number >= 64 || top->shifted != number)
            return give_up(evaluation, PLACE_COMPLEX);
        top->shifted = 0;
        return narrow(top, 64 - (unsigned)number, code == DW_OP_shra) ||
               give_up(evaluation, PLACE_COMPLEX);
    default:
        return give_up(evaluation, PLACE_COMPLEX);
    }
    return true;
}

static bool push_address(struct evaluation *evaluation, uint64_t address)
{
    struct item *item = push(evaluation, ITEM_ADDRESS);
    if (item == NULL)
        return false;
    item->constant = address;
    return true;
}

/* Operations that only this file or dwarf_steps.c knows. */
static bool run_other(struct evaluation *evaluation, unsigned code)
{
    struct dwarf_cursor *cursor = &evaluation->cursor;
    switch (code) {
    case DW_OP_plus:
    case DW_OP_minus:
    case DW_OP_and:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
        return combine(evaluation, code);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type: {
        uint64_t number = dwarf_take_unsigned(cursor);
        dwarf_take_unsigned(cursor); /* the type, as wide as what of the register counts */
        return push_register(evaluation, number);
    }
    default:
        return give_up(evaluation, PLACE_COMPLEX);
    }
}

static bool run(struct evaluation *evaluation, const struct dwarf_operation *operation)
{
    switch (operation->kind) {
    case DWARF_PUSH_CONSTANT:
        return push_constant(evaluation, operation->number);
    case DWARF_PUSH_ADDRESS:
        return push_address(evaluation, operation->number);
    case DWARF_PUSH_SUM:
        return push_sum(evaluation, operation->number, operation->offset, false);
    case DWARF_PUSH_FRAME:
        return push_frame_base(evaluation, operation->offset);
    case DWARF_PUSH_CFA:
        return push_frame_address(evaluation, 0);
    case DWARF_ADD:
        return add(evaluation, operation->number);
    case DWARF_LOAD:
        if (operation->number == 0 || operation->number > 8 || !load(evaluation))
            return give_up(evaluation, PLACE_COMPLEX);
        narrow(&evaluation->stack[evaluation->depth - 1], 8 * (unsigned)operation->number, false);
        return true;
    case DWARF_NOTHING:
        return true;
    case DWARF_IS_REGISTER:
        evaluation->is_register = true;
        return push_register(evaluation, operation->number);
    case DWARF_IS_TOP:
        evaluation->is_value = true;
        return true;
    case DWARF_IS_BYTES:
        evaluation->is_value = true;
        return push_constant(evaluation, operation->number);
    case DWARF_AT_ENTRY:
        return give_up(evaluation, PLACE_OVERWRITTEN);
    case DWARF_TAKEN_APART:
        return give_up(evaluation, PLACE_OPTIMISED);
    case DWARF_OTHER:
        return run_other(evaluation, operation->code);
    case DWARF_MALFORMED:
        break;
    }
    return give_up(evaluation, PLACE_COMPLEX);
}

/* Runs up to the end, or to an operation that ends a piece: it is left there. */
static bool evaluate(struct evaluation *evaluation)
{
    struct dwarf_cursor *cursor = &evaluation->cursor;
    while (dwarf_in_piece(cursor)) {
        if (evaluation->is_register || evaluation->is_value)
            return give_up(evaluation, PLACE_COMPLEX); /* it must be the last one */
        struct dwarf_operation operation = dwarf_take_operation(cursor, evaluation->context->unit);
        if (!run(evaluation, &operation))
            return false;
        if (cursor->failed)
            return give_up(evaluation, PLACE_COMPLEX);
    }
    return true;
}

/* Is memory at this item in the function's own frame, where clang may store later? */
static bool in_own_frame(const struct evaluation *evaluation, const struct item *item)
{
    const struct call_frame *frame = evaluation->context->frame;
    if (!item->stack)
        return false;
    return frame == NULL || item->number != frame->cfa_register || item->offset < frame->cfa_offset;
}

/* The place that what is stored at `place` after the call comes from. */
static bool stored_from(const struct place_context *context, struct place *place,
                        unsigned size_bytes)
{
    return context->spills != NULL && x86_spills_find(context->spills, place->number, place->offset,
                                                      size_bytes, &place->offset);
}

/* The same of a struct that is stored in two parts. */
static bool stored_from_two(const struct evaluation *evaluation, struct places *places)
{
    const struct place_context *context = evaluation->context;
    const struct item *item = &evaluation->stack[0];
    unsigned size = context->size_bytes;
    if (evaluation->reason != PLACE_NOT_STORED || evaluation->depth != 1 ||
        item->kind != ITEM_SUM || size <= 8 || size > 16)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        places->pieces[i] = (struct place){.kind = PLACE_IN_MEMORY,
                                           .number = item->number,
                                           .stack = true,
                                           .offset = item->offset + 8 * (int64_t)i,
                                           .size_bytes = i == 0 ? 8 : size - 8};
        if (!stored_from(context, &places->pieces[i], places->pieces[i].size_bytes))
            return false;
    }
    places->pieces_count = 2;
    places->whole.kind = PLACE_PIECES;
    return true;
}

/* What the evaluation came to, of a variable or a piece of `size_bytes`. */
static bool conclude(struct evaluation *evaluation, unsigned size_bytes, struct place *place)
{
    const struct item *item = &evaluation->stack[0];
    *place = (struct place){.size_bytes = size_bytes};
    if (evaluation->depth != 1)
        return give_up(evaluation, evaluation->depth == 0 ? PLACE_NOT_HERE : PLACE_COMPLEX);
    bool value = evaluation->is_value || evaluation->is_register;
    place->number = item->number;
    place->offset = item->offset;
    place->stack = item->stack;
    place->constant = item->constant;
    if (value && (item->shifted != 0 || item->bits < 8 * size_bytes)) {
        if (item->shifted != 0 || !item->extended ||
            (item->bits != 8 && item->bits != 16 && item->bits != 32))
            return give_up(evaluation, PLACE_COMPLEX);
        place->narrow = (uint8_t)(item->bits / 8);
        place->narrow_signed = item->sign_extended;
    }
    if (!value && (item->shifted != 0 || item->bits != 64 || item->kind == ITEM_CONSTANT ||
                   item->kind == ITEM_ADDRESS))
        return give_up(evaluation, PLACE_COMPLEX);
    if ((!value || item->kind == ITEM_LOADED) && evaluation->context->stores_late &&
        !evaluation->is_list && in_own_frame(evaluation, item) &&
        !stored_from(evaluation->context, place,
                     item->kind == ITEM_LOADED && !value ? 8 : size_bytes))
        return give_up(evaluation, PLACE_NOT_STORED);
    switch (item->kind) {
    case ITEM_CONSTANT:
        place->kind = PLACE_CONSTANT;
        break;
    case ITEM_ADDRESS:
        place->kind = PLACE_ADDRESS;
        break;
    case ITEM_VECTOR:
        place->kind = PLACE_IN_VECTOR;
        break;
    case ITEM_LOADED:
        place->kind = value ? PLACE_IN_MEMORY : PLACE_BEHIND;
        break;
    case ITEM_SUM:
        place->kind = !value ? PLACE_IN_MEMORY : item->offset == 0 ? PLACE_IN_REGISTER : PLACE_SUM;
        break;
    }
    return place->offset == (int32_t)place->offset || give_up(evaluation, PLACE_COMPLEX);
}

/* DW_OP_piece after what was evaluated, or computed. */
static bool take_piece(struct evaluation *evaluation, const struct place *computed,
                       struct places *places)
{
    struct dwarf_cursor *cursor = &evaluation->cursor;
    unsigned code = (unsigned)dwarf_take(cursor, 1);
    uint64_t size = dwarf_take_unsigned(cursor);
    if (code != DW_OP_piece || cursor->failed || size == 0 || size > 64 ||
        places->pieces_count == PLACE_PIECES_MAX)
        return give_up(evaluation, PLACE_COMPLEX);
    struct place *piece = &places->pieces[places->pieces_count];
    if (computed != NULL)
        *piece = *computed;
    else if (!conclude(evaluation, (unsigned)size, piece))
        return false;
    piece->size_bytes = (unsigned)size;
    places->pieces_count++;
    return true;
}

/* What was evaluated, or computed, is the whole or a piece. */
static bool take_part(struct evaluation *evaluation, const struct place *computed,
                      struct places *places)
{
    if (evaluation->cursor.at < evaluation->cursor.end || places->pieces_count > 0)
        return take_piece(evaluation, computed, places);
    if (computed != NULL) {
        places->whole = *computed;
        return true;
    }
    return conclude(evaluation, evaluation->context->size_bytes, &places->whole) ||
           stored_from_two(evaluation, places);
}

/* Evaluates up to the end of a piece, or of all; what has no simple form is computed. */
static bool find_part(struct evaluation *evaluation, struct places *places)
{
    const unsigned char *from = evaluation->cursor.at;
    struct place computed;
    evaluation->depth = 0;
    evaluation->is_register = evaluation->is_value = false;
    evaluation->reason = PLACE_COMPLEX;
    if (!evaluation->context->computed && evaluate(evaluation) &&
        take_part(evaluation, NULL, places))
        return true;
    if (evaluation->reason != PLACE_COMPLEX)
        return false;
    evaluation->cursor.at = from;
    evaluation->cursor.failed = false;
    evaluation->reason = steps_find(evaluation->context, &evaluation->cursor, evaluation->is_list,
                                    places, &computed);
    return evaluation->reason == PLACE_FOUND && take_part(evaluation, &computed, places);
}

static enum place_reason find_in(const struct place_context *context,
                                 const struct dwarf_expression *expression, bool is_list,
                                 struct places *places)
{
    struct evaluation evaluation = {
        .context = context,
        .cursor = {expression->bytes, expression->bytes + expression->size_bytes, false},
        .is_list = is_list,
        .reason = PLACE_COMPLEX};
    unsigned total_bytes = 0;
    places->pieces_count = places->steps_count = 0;
    places->whole = (struct place){.kind = PLACE_PIECES};
    while (evaluation.cursor.at < evaluation.cursor.end)
        if (!find_part(&evaluation, places))
            return evaluation.reason;
    if (places->whole.kind != PLACE_PIECES || places->pieces_count == 0)
        return places->whole.kind != PLACE_PIECES ? PLACE_FOUND : PLACE_COMPLEX;
    for (unsigned i = 0; i < places->pieces_count; i++)
        total_bytes += places->pieces[i].size_bytes;
    return total_bytes == context->size_bytes ? PLACE_FOUND : PLACE_COMPLEX;
}

static enum place_reason find_at(const struct place_context *context,
                                 const struct dwarf_value *value, struct places *places)
{
    struct dwarf_location location;
    struct dwarf_expression expression;
    enum place_reason reason = PLACE_NOT_HERE;
    if (!dwarf_location_begin(&location, context->unit, value))
        return PLACE_COMPLEX;
    while (dwarf_location_next(&location, context->address, &expression)) {
        reason = find_in(context, &expression, location.is_list, places);
        if (reason == PLACE_FOUND)
            break;
    }
    return reason;
}

enum place_reason place_find(const struct place_context *context, const struct dwarf_value *value,
                             struct places *places)
{
    struct place_context behind = *context;
    if (value->kind == DWARF_VALUE_NONE)
        return PLACE_NO_LOCATION;
    enum place_reason reason = find_at(context, value, places);
    behind.address = context->after;
    if (reason != PLACE_NOT_HERE || !context->fixed)
        return reason;
    /* clang says where the parameters of inlined bodies lie only behind the hook's call. What may change is
     * perhaps not any more then what was passed. */
    reason = find_at(&behind, value, places);
    return reason == PLACE_FOUND ? reason : PLACE_NOT_HERE;
}
