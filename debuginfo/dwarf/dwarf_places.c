/* Places of variables, from the results of their expressions: see dwarf_places.h. */
#include "debuginfo/dwarf/dwarf_places.h"

#include "debuginfo/dwarf/dwarf_evaluation.h"
#include "debuginfo/dwarf/dwarf_steps.h"

/* Is the item's memory in the function's own frame, where clang may store later? */
static bool in_own_frame(const struct dwarf_evaluation *evaluation, const struct dwarf_item *item)
{
    const struct call_frame *frame = evaluation->context->frame;
    if (!item->stack)
        return false;
    return frame == NULL || item->number != frame->cfa_register || item->offset < frame->cfa_offset;
}

/* Replaces a place that is stored after the call by the stored value's source. */
static bool stored_from(const struct place_context *context, struct place *place,
                        unsigned size_bytes)
{
    return context->spills != NULL && x86_spills_find(context->spills, place->number, place->offset,
                                                      size_bytes, &place->offset);
}

/* The same for a struct stored in two parts. */
static bool stored_from_two(const struct dwarf_evaluation *evaluation, struct places *places)
{
    const struct place_context *context = evaluation->context;
    const struct dwarf_item *item = &evaluation->stack[0];
    unsigned size = context->size_bytes;
    if (evaluation->reason != PLACE_NOT_STORED || evaluation->depth != 1 ||
        item->kind != DWARF_ITEM_SUM || size <= 8 || size > 16)
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

/* Makes a place of the result, for a variable or piece of `size_bytes`. */
static bool conclude(struct dwarf_evaluation *evaluation, unsigned size_bytes, struct place *place)
{
    const struct dwarf_item *item = &evaluation->stack[0];
    *place = (struct place){.size_bytes = size_bytes};
    if (evaluation->depth != 1)
        return dwarf_give_up(evaluation, evaluation->depth == 0 ? PLACE_NOT_HERE : PLACE_COMPLEX);
    bool value = evaluation->is_value || evaluation->is_register;
    place->number = item->number;
    place->offset = item->offset;
    place->stack = item->stack;
    place->constant = item->constant;
    if (value && (item->shifted != 0 || item->bits < 8 * size_bytes)) {
        if (item->shifted != 0 || !item->extended ||
            (item->bits != 8 && item->bits != 16 && item->bits != 32))
            return dwarf_give_up(evaluation, PLACE_COMPLEX);
        place->narrow = (uint8_t)(item->bits / 8);
        place->narrow_signed = item->sign_extended;
    }
    if (!value && (item->shifted != 0 || item->bits != 64 || item->kind == DWARF_ITEM_CONSTANT ||
                   item->kind == DWARF_ITEM_ADDRESS))
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    if ((!value || item->kind == DWARF_ITEM_LOADED) && evaluation->context->stores_late &&
        !evaluation->is_list && in_own_frame(evaluation, item) &&
        !stored_from(evaluation->context, place,
                     item->kind == DWARF_ITEM_LOADED && !value ? 8 : size_bytes))
        return dwarf_give_up(evaluation, PLACE_NOT_STORED);
    switch (item->kind) {
    case DWARF_ITEM_CONSTANT:
        place->kind = PLACE_CONSTANT;
        break;
    case DWARF_ITEM_ADDRESS:
        place->kind = PLACE_ADDRESS;
        break;
    case DWARF_ITEM_VECTOR:
        place->kind = PLACE_IN_VECTOR;
        break;
    case DWARF_ITEM_LOADED:
        place->kind = value ? PLACE_IN_MEMORY : PLACE_BEHIND;
        break;
    case DWARF_ITEM_SUM:
        place->kind = !value ? PLACE_IN_MEMORY : item->offset == 0 ? PLACE_IN_REGISTER : PLACE_SUM;
        break;
    }
    return place->offset == (int32_t)place->offset || dwarf_give_up(evaluation, PLACE_COMPLEX);
}

/* Takes DW_OP_piece after an evaluated or computed part. */
static bool take_piece(struct dwarf_evaluation *evaluation, const struct place *computed,
                       struct places *places)
{
    struct dwarf_cursor *cursor = &evaluation->cursor;
    unsigned code = (unsigned)dwarf_take(cursor, 1);
    uint64_t size = dwarf_take_unsigned(cursor);
    if (code != DW_OP_piece || cursor->failed || size == 0 || size > 64 ||
        places->pieces_count == PLACE_PIECES_MAX)
        return dwarf_give_up(evaluation, PLACE_COMPLEX);
    struct place *piece = &places->pieces[places->pieces_count];
    if (computed != NULL)
        *piece = *computed;
    else if (!conclude(evaluation, (unsigned)size, piece))
        return false;
    piece->size_bytes = (unsigned)size;
    places->pieces_count++;
    return true;
}

/* Takes an evaluated or computed part: the whole or a piece. */
static bool take_part(struct dwarf_evaluation *evaluation, const struct place *computed,
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

/* Evaluates up to the end of a piece, or of all; computes what has no simple form. */
static bool find_part(struct dwarf_evaluation *evaluation, struct places *places)
{
    const unsigned char *from = evaluation->cursor.at;
    struct place computed;
    evaluation->depth = 0;
    evaluation->is_register = evaluation->is_value = false;
    evaluation->reason = PLACE_COMPLEX;
    if (!evaluation->context->computed && dwarf_evaluate(evaluation) &&
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
    struct dwarf_evaluation evaluation = {
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

/* The first expression for an address; NULL = none. */
static const unsigned char *expression_at(const struct place_context *context, uint64_t address,
                                          const struct dwarf_value *value)
{
    struct dwarf_location location;
    struct dwarf_expression expression;
    return dwarf_location_begin(&location, context->unit, value) &&
                   dwarf_location_next(&location, address, &expression)
               ? expression.bytes
               : NULL;
}

/* Does another place begin at the return address of the hook's call? clang has one entry for all
 * copies of an unrolled body: the place at the call may be that of the copy before, which ends
 * there. */
static bool changes_behind(const struct place_context *context, const struct dwarf_value *value)
{
    if (context->start != 0 || !context->stores_late)
        return false;
    const unsigned char *at_call = expression_at(context, context->address, value),
                        *behind = expression_at(context, context->after, value);
    return at_call != NULL && behind != NULL && at_call != behind;
}

enum place_reason place_find(const struct place_context *context, const struct dwarf_value *value,
                             struct places *places)
{
    struct place_context behind = *context;
    behind.address = context->after;
    if (value->kind == DWARF_VALUE_NONE)
        return PLACE_NO_LOCATION;
    bool changes = changes_behind(context, value);
    enum place_reason reason = changes ? PLACE_NOT_HERE : find_at(context, value, places);
    if (reason != PLACE_NOT_HERE || (!context->fixed && !changes))
        return reason;
    /* clang gives places of inlined bodies' parameters only after the hook's call. By then a
     * variable that may change perhaps no longer holds the argument. */
    reason = find_at(&behind, value, places);
    return reason == PLACE_FOUND ? reason : PLACE_NOT_HERE;
}
