/* From a place and a type to a value of a recipe: see formats/recipe.h. */
#include "debuginfo/recipes/recipe_parts.h"

#include <elf.h>

#include <string.h>

#include "base/array.h"
#include "debuginfo/x86/x86_result.h"

/* Sets the form in which a scalar or struct is written; false for types that are not recorded. */
static bool what_of(const struct dwarf_type *type, struct fisql_recipe_value *value)
{
    value->size = (uint8_t)type->size_bytes;
    switch (type->kind) {
    case DWARF_TYPE_SIGNED:
    case DWARF_TYPE_UNSIGNED:
    case DWARF_TYPE_BOOL:
    case DWARF_TYPE_CHAR:
    case DWARF_TYPE_ENUM:
        value->what = type->is_signed ? FISQL_WHAT_SIGNED : FISQL_WHAT_UNSIGNED;
        return true;
    case DWARF_TYPE_FLOAT:
        value->what = FISQL_WHAT_FLOAT;
        return true;
    case DWARF_TYPE_COMPLEX:
    case DWARF_TYPE_WIDE:
    case DWARF_TYPE_STRUCT:
        value->what = FISQL_WHAT_BYTES;
        return true;
    case DWARF_TYPE_MEMBER:
        value->what = type->size_bytes == 8 ? FISQL_WHAT_SIGNED : FISQL_WHAT_BYTES;
        return true;
    case DWARF_TYPE_POINTER:
    case DWARF_TYPE_FUNCTION:
    case DWARF_TYPE_REFERENCE:
    case DWARF_TYPE_ARRAY:
        value->what = FISQL_WHAT_POINTER;
        value->size = 8;
        return true;
    case DWARF_TYPE_TEXT:
        value->what = (uint8_t)place_text(type);
        return true;
    default:
        value->object = dwarf_kind_is_string(type->kind);
        if (value->object)
            value->what = (uint8_t)place_string(type->kind);
        return value->object;
    }
}

unsigned recipe_bytes(const struct dwarf_type *type, enum place_reason *reason)
{
    struct fisql_recipe_value value = {.object = 0};
    *reason = PLACE_TYPE;
    if (!what_of(type, &value))
        return 0;
    if (type->kind == DWARF_TYPE_ARRAY)
        return 8;
    *reason = type->size_bytes > FISQL_RECIPE_BYTES_MAX ? PLACE_TOO_LARGE : PLACE_TYPE;
    return type->size_bytes > FISQL_RECIPE_BYTES_MAX ? 0 : (unsigned)type->size_bytes;
}

/* The text that a pointer points to, as a type. */
static struct dwarf_type text_of(const struct dwarf_type *pointer)
{
    return (struct dwarf_type){.kind = pointer->text,
                               .size_bytes = pointer->text == DWARF_TYPE_BUFFER ? 24 : 16};
}

/* Writes what a reference or a pointer leads to, if that is a scalar, a string or a text. */
static void see_through(const struct dwarf_type *target, struct fisql_recipe_value *value)
{
    struct fisql_recipe_value seen = {.object = 0};
    bool known = what_of(target, &seen);
    if (!known || seen.what == FISQL_WHAT_BYTES || target->kind == DWARF_TYPE_ARRAY ||
        target->kind == DWARF_TYPE_REFERENCE)
        return;
    value->what = seen.what;
    value->size = seen.size;
    value->through = seen.object == 0;
    value->object = 0;
}

/* Is an address found, whatever the size of what is there? */
static bool is_pointer(const struct fisql_recipe_value *value)
{
    return value->through || (value->what >= FISQL_WHAT_STRING && !value->object);
}

/* Sets the place of a whole value. */
static enum place_reason put_place(const struct place *place, struct fisql_recipe_value *value)
{
    bool bytes = value->what == FISQL_WHAT_BYTES, is_float = value->what == FISQL_WHAT_FLOAT;
    bool pointer = is_pointer(value);
    value->base = place->number;
    value->offset = (int32_t)place->offset;
    switch (place->kind) {
    case PLACE_IN_REGISTER:
        value->where = FISQL_WHERE_REGISTER;
        return value->object || (!pointer && value->size > 8) ? PLACE_COMPLEX : PLACE_FOUND;
    case PLACE_IN_VECTOR:
        value->where = FISQL_WHERE_VECTOR;
        value->offset = 0;
        return !pointer && ((is_float && value->size != 10) || (bytes && value->size <= 16) ||
                            (!is_float && !bytes && !value->object && value->size <= 8))
                   ? PLACE_FOUND
                   : PLACE_COMPLEX;
    case PLACE_IN_MEMORY:
    case PLACE_BEHIND:
        value->where = FISQL_WHERE_MEMORY;
        value->anywhere = !place->stack;
        if (place->kind == PLACE_IN_MEMORY)
            return PLACE_FOUND;
        if (value->through)
            return PLACE_COMPLEX;
        if (value->object)
            value->object = 0;
        else
            value->through = 1;
        return PLACE_FOUND;
    case PLACE_SUM:
        value->where = FISQL_WHERE_SUM;
        return value->object || (!pointer && (is_float || bytes)) ? PLACE_COMPLEX : PLACE_FOUND;
    case PLACE_CONSTANT:
    case PLACE_ADDRESS:
        value->where = place->kind == PLACE_CONSTANT ? FISQL_WHERE_CONSTANT : FISQL_WHERE_ADDRESS;
        value->constant = place->constant;
        value->base = 0;
        value->offset = 0;
        if (place->kind == PLACE_CONSTANT)
            return value->object || pointer || value->size > 8 ? PLACE_COMPLEX : PLACE_FOUND;
        return value->object || (!pointer && (value->size != 8 || is_float || bytes))
                   ? PLACE_COMPLEX
                   : PLACE_FOUND;
    case PLACE_COMPUTED:
    case PLACE_PIECES:
        break;
    }
    return PLACE_COMPLEX;
}

/* Appends the steps of a computation to the recipes' values, and `more` unless NULL. */
static int put_steps(struct recipes *recipes, const struct places *places,
                     const struct place *place, const struct fisql_recipe_value *more,
                     struct fisql_recipe_value *value, struct error *error)
{
    size_t first = recipes->values_count, count = place->steps_count;
    if (count + (more != NULL) > FISQL_RECIPE_STEPS_MAX)
        return PLACE_COMPLEX;
    if (array_reserve(&recipes->values, &recipes->values_capacity, first + count + 1, error) != 0)
        return -1;
    memcpy(recipes->values + first, places->steps + place->first_step,
           count * sizeof *recipes->values);
    if (more != NULL)
        recipes->values[first + count++] = *more;
    recipes->values_count += count;
    value->where = FISQL_WHERE_EXPRESSION;
    value->base = (uint8_t)count;
    value->offset = 0;
    value->constant = first;
    return PLACE_FOUND;
}

static struct fisql_recipe_value load_step(unsigned size_bytes)
{
    return (struct fisql_recipe_value){.where = FISQL_WHERE_STEP,
                                       .what = FISQL_WHAT_UNSIGNED,
                                       .size = (uint8_t)size_bytes,
                                       .base = FISQL_STEP_LOAD};
}

/* Puts a value that is computed, or is at a computed address. */
static int put_computed(struct recipes *recipes, size_t index, const struct dwarf_type *type,
                        const struct places *places, struct error *error)
{
    const struct place *place = &places->whole;
    struct fisql_recipe_value value = recipes->values[index];
    const struct fisql_recipe_value load = load_step(8);
    bool array = type->kind == DWARF_TYPE_ARRAY;
    bool pointer = is_pointer(&value);
    unsigned bytes = pointer ? 8 : value.size;
    int result;
    if (!place->at_address &&
        (array || value.object || value.what == FISQL_WHAT_FLOAT || bytes > place->value_bytes))
        return PLACE_COMPLEX;
    result = put_steps(recipes, places, place, place->at_address && pointer ? &load : NULL, &value,
                       error);
    if (place->at_address && !array && !pointer) {
        value.through = value.object == 0;
        value.object = 0;
    }
    if (result == PLACE_FOUND)
        recipes->values[index] = value;
    return result;
}

/* An array's value is its address. */
static enum place_reason put_array(const struct place *place, struct fisql_recipe_value *value)
{
    struct place address = *place;
    if (place->kind == PLACE_BEHIND)
        address.kind = PLACE_IN_MEMORY;
    else if (place->kind == PLACE_IN_MEMORY)
        address.kind = PLACE_SUM;
    else
        return PLACE_COMPLEX;
    return put_place(&address, value);
}

/* An integer in fewer bytes than its type has: the number is the same. */
static enum place_reason put_narrow(const struct place *place, const struct dwarf_type *type,
                                    struct fisql_recipe_value *value)
{
    bool integer = value->what == FISQL_WHAT_SIGNED || value->what == FISQL_WHAT_UNSIGNED;
    if (!integer || value->through || place->kind == PLACE_CONSTANT ||
        place->kind == PLACE_ADDRESS || place->kind == PLACE_IN_VECTOR ||
        (place->narrow_signed && !type->is_signed))
        return PLACE_COMPLEX;
    value->what = place->narrow_signed ? FISQL_WHAT_SIGNED : FISQL_WHAT_UNSIGNED;
    value->size = place->narrow;
    return PLACE_FOUND;
}

static int put_pieces(struct recipes *recipes, size_t index, const struct places *places,
                      struct error *error)
{
    size_t first = recipes->values_count;
    int result = PLACE_FOUND;
    if (recipes->values[index].what != FISQL_WHAT_BYTES && !recipes->values[index].object)
        return PLACE_COMPLEX;
    if (array_reserve(&recipes->values, &recipes->values_capacity,
                      recipes->values_count + places->pieces_count, error) != 0)
        return -1;
    recipes->values_count += places->pieces_count;
    for (unsigned i = 0; i < places->pieces_count && result == PLACE_FOUND; i++) {
        const struct place *place = &places->pieces[i];
        struct fisql_recipe_value piece = {.what = FISQL_WHAT_BYTES,
                                           .size = (uint8_t)place->size_bytes};
        const struct fisql_recipe_value load = load_step(place->size_bytes);
        if (place->kind == PLACE_COMPUTED) {
            result = piece.size > (place->at_address ? 8 : place->value_bytes)
                         ? (int)PLACE_COMPLEX
                         : put_steps(recipes, places, place, place->at_address ? &load : NULL,
                                     &piece, error);
        } else if (place->kind == PLACE_SUM && piece.size <= 8 && place->narrow == 0) {
            piece.where = FISQL_WHERE_SUM;
            piece.base = place->number;
            piece.offset = (int32_t)place->offset;
        } else if (piece.size > 16 || put_place(place, &piece) != PLACE_FOUND || piece.through ||
                   place->narrow != 0) {
            result = PLACE_COMPLEX;
        }
        recipes->values[first + i] = piece;
    }
    if (result != PLACE_FOUND) {
        recipes->values_count = first;
        return result;
    }
    recipes->values[index].where = FISQL_WHERE_PIECES;
    recipes->values[index].base = (uint8_t)places->pieces_count;
    recipes->values[index].constant = first;
    return PLACE_FOUND;
}

int recipe_value_put(struct recipes *recipes, size_t index, const struct dwarf_type *type,
                     const struct dwarf_type *target, const struct places *places,
                     struct error *error)
{
    struct fisql_recipe_value *value = &recipes->values[index];
    int reason = PLACE_TYPE;
    if (what_of(type, value)) {
        const struct dwarf_type text = text_of(type);
        if (type->kind == DWARF_TYPE_REFERENCE)
            see_through(target, value);
        else if (type->text != DWARF_TYPE_UNKNOWN)
            see_through(&text, value);
        if (places->whole.kind == PLACE_PIECES) {
            reason = put_pieces(recipes, index, places, error);
        } else if (places->whole.kind == PLACE_COMPUTED) {
            reason = put_computed(recipes, index, type, places, error);
        } else {
            reason = (int)(type->kind == DWARF_TYPE_ARRAY ? put_array(&places->whole, value)
                                                          : put_place(&places->whole, value));
        }
    }
    value = &recipes->values[index]; /* they may have moved */
    if (reason == PLACE_FOUND && places->whole.kind != PLACE_PIECES && places->whole.narrow != 0)
        reason = (int)put_narrow(&places->whole, type, value);
    if (reason != PLACE_FOUND)
        *value = (struct fisql_recipe_value){.where = FISQL_WHERE_ABSENT};
    return reason;
}

/* ---- comparing ---- */

static bool same_value(const struct recipes *recipes, const struct fisql_recipe_value *one,
                       const struct fisql_recipe_value *other)
{
    struct fisql_recipe_value like = *other;
    bool parts = one->where == FISQL_WHERE_PIECES || one->where == FISQL_WHERE_EXPRESSION;
    if (parts)
        like.constant = one->constant;
    bool same = memcmp(one, &like, sizeof *one) == 0;
    for (unsigned i = 0; same && parts && i < one->base; i++)
        same = same_value(recipes, &recipes->values[one->constant + i],
                          &recipes->values[other->constant + i]);
    return same;
}

bool recipes_are_same(const struct recipes *recipes, const struct fisql_recipe_hook *one,
                      const struct fisql_recipe_hook *other)
{
    bool same = one->count == other->count && one->exit == other->exit &&
                one->cfa_register == other->cfa_register && one->cfa_offset == other->cfa_offset &&
                one->return_offset == other->return_offset;
    for (unsigned i = 0; same && i < one->count; i++)
        same = same_value(recipes, &recipes->values[one->first + i],
                          &recipes->values[other->first + i]);
    return same;
}

/* ---- results ---- */

/* The result is a class, or comes back as one does. */
static enum place_reason result_struct(struct dwarf_types *types, const struct dwarf_type *type,
                                       struct fisql_recipe_value *value)
{
    struct dwarf_return way;
    if (type->by_reference) {
        value->where = FISQL_WHERE_RESULT_MEMORY;
        return types->machine == EM_X86_64 ? PLACE_FOUND : PLACE_CONVENTION;
    }
    dwarf_type_return(types, type, &way);
    if (way.unknown)
        return PLACE_CONVENTION;
    if (types->machine == EM_AARCH64) {
        value->where = way.floats > 0 ? FISQL_WHERE_RESULT_VECTOR : FISQL_WHERE_RESULT;
        value->base = (uint8_t)way.float_bytes;
        return way.floats > 0 || type->size_bytes <= 16 ? PLACE_FOUND : PLACE_CONVENTION;
    }
    value->where = FISQL_WHERE_RESULT_MEMORY;
    if (type->size_bytes > 16)
        return PLACE_FOUND;
    if (way.eight[0] == DWARF_RETURN_NONE || way.eight[0] == DWARF_RETURN_OTHER ||
        way.eight[1] == DWARF_RETURN_OTHER)
        return PLACE_CONVENTION;
    bool first = way.eight[0] == DWARF_RETURN_VECTOR;
    bool second = way.eight[1] == DWARF_RETURN_NONE ? first : way.eight[1] == DWARF_RETURN_VECTOR;
    value->where = first != second ? FISQL_WHERE_RESULT_MIXED
                   : first         ? FISQL_WHERE_RESULT_VECTOR
                                   : FISQL_WHERE_RESULT;
    value->base = first != second ? first : first ? 8 : 0;
    return PLACE_FOUND;
}

enum place_reason recipe_result(struct dwarf_types *types, const struct dwarf_type *type,
                                struct fisql_recipe_value *value)
{
    enum place_reason reason = PLACE_FOUND;
    *value = (struct fisql_recipe_value){.where = FISQL_WHERE_ABSENT};
    if (type->kind == DWARF_TYPE_ARRAY)
        return PLACE_CONVENTION;
    if (recipe_bytes(type, &reason) == 0)
        return reason;
    struct dwarf_type known = *type;
    what_of(type, value);
    value->where = FISQL_WHERE_RESULT;
    if (type->kind == DWARF_TYPE_REFERENCE) {
        struct dwarf_type target = dwarf_type_at(types, type->target);
        see_through(&target, value);
        return PLACE_FOUND;
    }
    if (type->text != DWARF_TYPE_UNKNOWN) {
        const struct dwarf_type text = text_of(type);
        see_through(&text, value);
        return PLACE_FOUND;
    }
    if (type->kind == DWARF_TYPE_FLOAT) {
        value->where = type->size_bytes == 10 ? FISQL_WHERE_RESULT_X87 : FISQL_WHERE_RESULT_VECTOR;
        value->base = value->where == FISQL_WHERE_RESULT_VECTOR ? (uint8_t)type->size_bytes : 0;
        return PLACE_FOUND;
    }
    reason = PLACE_FOUND;
    if (value->object || type->kind == DWARF_TYPE_STRUCT) {
        if (types->is_cxx)
            dwarf_type_passing(types, &known);
        reason = known.by_value_known ? result_struct(types, &known, value) : PLACE_CONVENTION;
    } else if (value->what == FISQL_WHAT_BYTES) {
        reason = result_struct(types, &known, value);
    }
    if (reason != PLACE_FOUND)
        *value = (struct fisql_recipe_value){.where = FISQL_WHERE_ABSENT};
    return reason;
}

/* The number of bytes used of the result's register. */
static unsigned result_bytes(const struct fisql_recipe_value *value)
{
    return is_pointer(value) || value->where == FISQL_WHERE_RESULT_MEMORY ||
                   fisql_recipe_unit_bytes(value->what) != 0 || value->what == FISQL_WHAT_POINTER
               ? 8
               : value->size;
}

bool recipe_result_at_hook(const struct elf_file *module, uint64_t after, bool frame_pointer,
                           struct fisql_recipe_value *value)
{
    struct fisql_recipe_value put = *value;
    struct x86_result result;
    bool in_memory = value->where == FISQL_WHERE_RESULT_MEMORY;
    bool vector = value->where == FISQL_WHERE_RESULT_VECTOR && value->what == FISQL_WHAT_FLOAT;
    bool x87 = value->where == FISQL_WHERE_RESULT_X87;
    unsigned bytes = result_bytes(value);
    if (module->machine != EM_X86_64 ||
        !x86_result_find(module, after,
                         vector ? X86_RESULT_XMM0
                         : x87  ? X86_RESULT_X87
                                : X86_RESULT_RAX,
                         frame_pointer, &result) ||
        !(vector || x87 || in_memory || (value->where == FISQL_WHERE_RESULT && bytes <= 8)))
        return false;
    if (result.size_bytes < bytes) { /* a narrower number, which is extended */
        bool number = value->what == FISQL_WHAT_SIGNED ||
                      (value->what == FISQL_WHAT_UNSIGNED && !result.extends_sign);
        if (result.extended_bytes < bytes || !number || value->through)
            return false;
        put.size = result.size_bytes;
        put.what = result.extends_sign ? FISQL_WHAT_SIGNED : FISQL_WHAT_UNSIGNED;
    }
    put.base = result.base;
    put.offset = result.offset;
    put.constant = result.constant;
    put.where = result.how == X86_RESULT_MEMORY     ? FISQL_WHERE_MEMORY
                : result.how == X86_RESULT_CONSTANT ? FISQL_WHERE_CONSTANT
                                                    : FISQL_WHERE_SUM;
    if (in_memory && result.how == X86_RESULT_SUM) {
        put.where = FISQL_WHERE_MEMORY;
        put.anywhere = 1;
    } else if (in_memory) {
        put.through = 1;
    } else if (put.where == FISQL_WHERE_CONSTANT) {
        put.base = 0;
    }
    *value = put;
    return true;
}
