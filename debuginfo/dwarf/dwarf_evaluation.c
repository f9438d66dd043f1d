/* What operations of DWARF expressions do to symbols: see dwarf_evaluation.h. */
#include "debuginfo/dwarf/dwarf_evaluation.h"

#include <elf.h>

#include "debuginfo/dwarf/dwarf_operation.h"

#define NESTED_MAX 2 /* a frame base within an expression */

static struct dwarf_item *push(struct dwarf_evaluation *evaluation, enum dwarf_item_kind kind)
{
    if (evaluation->depth == DWARF_STACK_MAX) {
        evaluation->reason = PLACE_COMPLEX;
        return NULL;
    }
    struct dwarf_item *item = &evaluation->stack[evaluation->depth++];
    *item = (struct dwarf_item){.kind = kind, .bits = 64};
    return item;
}

static bool push_number(struct dwarf_evaluation *evaluation, enum dwarf_item_kind kind,
                        uint64_t number)
{
    struct dwarf_item *item = push(evaluation, kind);
    if (item == NULL)
        return false;
    item->constant = number;
    return true;
}

/* Does the register hold at the hook's entry what it held at its call? All general ones do, except
 * those of the hook's arguments and those that a procedure linkage table's stub may use. */
bool place_register_kept(const struct place_context *context, uint64_t number)
{
    if (context->entry)
        return true;
    if (context->address == context->after) /* it holds it after the call, so also before */
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

static bool push_sum(struct dwarf_evaluation *evaluation, uint64_t number, int64_t offset,
                     bool stack)
{
    const struct place_context *context = evaluation->context;
    struct dwarf_item *item;
    if (!place_register_kept(context, number))
        return dwarf_give_up(evaluation, PLACE_REGISTER_LOST);
    if ((item = push(evaluation, DWARF_ITEM_SUM)) == NULL)
        return false;
    item->number = (uint8_t)number;
    item->offset = offset;
    item->stack = stack || number == (context->machine == EM_AARCH64 ? 31 : 7) ||
                  (context->frame != NULL && number == context->frame->cfa_register);
    return true;
}

static bool push_register(struct dwarf_evaluation *evaluation, uint64_t number)
{
    uint8_t vector;
    struct dwarf_item *item;
    if (!vector_number(evaluation->context, number, &vector))
        return push_sum(evaluation, number, 0, false);
    if ((item = push(evaluation, DWARF_ITEM_VECTOR)) == NULL)
        return false;
    item->number = vector;
    item->bits = 128;
    return true;
}

static bool push_frame_address(struct dwarf_evaluation *evaluation)
{
    const struct call_frame *frame = evaluation->context->frame;
    if (frame == NULL)
        return dwarf_give_up(evaluation, PLACE_FRAME);
    return push_sum(evaluation, frame->cfa_register, frame->cfa_offset, true);
}

/* Evaluates the function's frame base, an expression that names a register or an address. */
static bool frame_base(const struct place_context *context, unsigned nested,
                       struct dwarf_item *item)
{
    struct dwarf_location location;
    struct dwarf_expression expression;
    struct dwarf_evaluation base = {.context = context, .nested = nested + 1};
    if (base.nested >= NESTED_MAX ||
        !dwarf_location_begin(&location, context->unit, &context->frame_base) ||
        !dwarf_location_next(&location, context->address, &expression))
        return false;
    base.cursor =
        (struct dwarf_cursor){expression.bytes, expression.bytes + expression.size_bytes, false};
    if (!dwarf_evaluate(&base) || base.depth != 1 || base.is_value ||
        base.stack[0].kind != DWARF_ITEM_SUM)
        return false;
    *item = base.stack[0];
    return true;
}

/* DW_OP_fbreg */
static bool push_frame_base(struct dwarf_evaluation *evaluation, int64_t offset)
{
    struct dwarf_item item;
    return frame_base(evaluation->context, evaluation->nested, &item)
               ? push_sum(evaluation, item.number, item.offset + offset, true)
               : dwarf_give_up(evaluation, PLACE_FRAME);
}

bool place_frame(const struct place_context *context, bool cfa, uint8_t *number, int64_t *offset)
{
    struct dwarf_item item;
    if (cfa ? context->frame == NULL : !frame_base(context, 0, &item))
        return false;
    *number = cfa ? (uint8_t)context->frame->cfa_register : item.number;
    *offset = cfa ? context->frame->cfa_offset : item.offset;
    return true;
}

/* Replaces the address on top by the memory there. */
static bool load(struct dwarf_evaluation *evaluation)
{
    struct dwarf_item *top =
        evaluation->depth > 0 ? &evaluation->stack[evaluation->depth - 1] : NULL;
    if (top == NULL || top->kind != DWARF_ITEM_SUM || top->bits != 64 || top->shifted != 0)
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    top->kind = DWARF_ITEM_LOADED;
    return true;
}

static bool add(struct dwarf_evaluation *evaluation, uint64_t number)
{
    struct dwarf_item *top =
        evaluation->depth > 0 ? &evaluation->stack[evaluation->depth - 1] : NULL;
    if (top == NULL || top->shifted != 0 || (top->extended && number != 0) ||
        (top->kind != DWARF_ITEM_CONSTANT && top->kind != DWARF_ITEM_ADDRESS &&
         top->kind != DWARF_ITEM_SUM && number != 0))
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    if (top->kind == DWARF_ITEM_CONSTANT || top->kind == DWARF_ITEM_ADDRESS)
        top->constant += number;
    else
        top->offset = (int64_t)((uint64_t)top->offset + number);
    return true;
}

/* Keeps the low `bits` and extends them. False if the result has no such form. */
static bool narrow(struct dwarf_item *item, unsigned bits, bool sign_extended)
{
    if (bits > item->bits) /* the bits above are zeros or copies of the highest */
        return !item->extended || !item->sign_extended || sign_extended;
    if (bits == 64)
        return true;
    item->bits = bits;
    item->extended = true;
    item->sign_extended = sign_extended;
    return true;
}

/* Combines two operands, the upper one a constant. */
static bool combine(struct dwarf_evaluation *evaluation, unsigned code)
{
    if (evaluation->depth < 2 ||
        evaluation->stack[evaluation->depth - 1].kind != DWARF_ITEM_CONSTANT)
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    uint64_t number = evaluation->stack[--evaluation->depth].constant;
    struct dwarf_item *top = &evaluation->stack[evaluation->depth - 1];
    switch (code) {
    case DW_OP_plus:
        return add(evaluation, number);
    case DW_OP_minus:
        return add(evaluation, 0 - number);
    case DW_OP_and:
        if (number == 0 || (number & (number + 1)) != 0 || top->shifted != 0)
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
        return narrow(top, number == UINT64_MAX ? 64 : (unsigned)__builtin_ctzll(~number), false) ||
               dwarf_give_up(evaluation, PLACE_COMPLEX);
    case DW_OP_shl:
        if (number >= 64 || top->shifted != 0)
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
        top->shifted = (unsigned)number;
        break;
    case DW_OP_shr:
    case DW_OP_shra:
        if (number >= 64 || top->shifted != number)
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
        top->shifted = 0;
        return narrow(top, 64 - (unsigned)number, code == DW_OP_shra) ||
               dwarf_give_up(evaluation, PLACE_COMPLEX);
    default:
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    }
    return true;
}

/* Runs operations that dwarf_operation.h does not name. */
static bool run_other(struct dwarf_evaluation *evaluation, unsigned code)
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
        dwarf_take_unsigned(cursor); /* the type: the part of the register that counts */
        return push_register(evaluation, number);
    }
    default:
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    }
}

static bool run(struct dwarf_evaluation *evaluation, const struct dwarf_operation *operation)
{
    switch (operation->kind) {
    case DWARF_PUSH_CONSTANT:
        return push_number(evaluation, DWARF_ITEM_CONSTANT, operation->number);
    case DWARF_PUSH_ADDRESS:
        return push_number(evaluation, DWARF_ITEM_ADDRESS, operation->number);
    case DWARF_PUSH_SUM:
        return push_sum(evaluation, operation->number, operation->offset, false);
    case DWARF_PUSH_FRAME:
        return push_frame_base(evaluation, operation->offset);
    case DWARF_PUSH_CFA:
        return push_frame_address(evaluation);
    case DWARF_ADD:
        return add(evaluation, operation->number);
    case DWARF_LOAD:
        if (operation->number == 0 || operation->number > 8 || !load(evaluation))
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
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
        return push_number(evaluation, DWARF_ITEM_CONSTANT, operation->number);
    case DWARF_AT_ENTRY:
        return dwarf_give_up(evaluation, PLACE_OVERWRITTEN);
    case DWARF_TAKEN_APART:
        return dwarf_give_up(evaluation, PLACE_OPTIMISED);
    case DWARF_OTHER:
        return run_other(evaluation, operation->code);
    case DWARF_MALFORMED:
        break;
    }
    return dwarf_give_up(evaluation, PLACE_COMPLEX);
}

bool dwarf_evaluate(struct dwarf_evaluation *evaluation)
{
    struct dwarf_cursor *cursor = &evaluation->cursor;
    while (dwarf_in_piece(cursor)) {
        if (evaluation->is_register || evaluation->is_value)
            return dwarf_give_up(evaluation, PLACE_COMPLEX); /* must be last */
        struct dwarf_operation operation = dwarf_take_operation(cursor, evaluation->context->unit);
        if (!run(evaluation, &operation))
            return false;
        if (cursor->failed)
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
    }
    return true;
}
