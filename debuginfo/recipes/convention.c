/* The calling convention of x86-64: see convention.h. */
#include "debuginfo/recipes/convention.h"

#include <string.h>

#include "base/must.h"

#define NO_STACK INT64_MAX /* where the next argument lies is not known */

/* Where arguments go, in their order: rdi, rsi, rdx, rcx, r8, r9. */
static const uint8_t general_registers[CONVENTION_GENERALS] = {5, 4, 1, 2, 8, 9};

/* ---- classes ---- */

static enum passing passing_of(enum dwarf_return_class class)
{
    return class == DWARF_RETURN_GENERAL  ? PASSED_GENERAL
           : class == DWARF_RETURN_VECTOR ? PASSED_VECTOR
                                          : PASSED_NOT;
}

static struct way on_stack(uint64_t size_bytes, uint64_t align_bytes)
{
    return (struct way){
        .eight = {PASSED_STACK}, .size_bytes = size_bytes, .align_bytes = align_bytes};
}

static struct way way_of_parts(const struct dwarf_return *classes, uint64_t size_bytes)
{
    struct way way = {.size_bytes = size_bytes, .align_bytes = 8};
    way.eight[0] = passing_of(classes->eight[0]);
    way.eight[1] = passing_of(classes->eight[1]);
    way.unknown = classes->unknown || classes->eight[0] == DWARF_RETURN_OTHER ||
                  classes->eight[1] == DWARF_RETURN_OTHER ||
                  (way.eight[0] == PASSED_NOT && way.eight[1] != PASSED_NOT);
    return way;
}

/* A class, a string's object, a complex number. */
static struct way way_of_struct(struct dwarf_types *types, const struct dwarf_type *type)
{
    struct dwarf_type known = *type;
    struct dwarf_return classes;
    if (types->is_cxx && type->kind != DWARF_TYPE_COMPLEX)
        dwarf_type_passing(types, &known);
    else
        known.by_value_known = true;
    if (!known.by_value_known || type->size_bytes == 0)
        return (struct way){.unknown = !known.by_value_known || types->is_cxx};
    if (known.by_reference)
        return (struct way){
            .by_address = true, .eight = {PASSED_GENERAL}, .size_bytes = 8, .align_bytes = 8};
    dwarf_type_return(types, &known, &classes);
    if (type->kind == DWARF_TYPE_COMPLEX && type->size_bytes == 32)
        return on_stack(32, 16);
    if (type->size_bytes <= 16)
        return way_of_parts(&classes, type->size_bytes);
    struct way way = on_stack(type->size_bytes, 8);
    /* one that holds a vector alone may go into a vector register */
    way.unknown = classes.unknown && type->size_bytes <= 64;
    way.align_unknown = type->size_bytes % 16 == 0 && (classes.unknown || classes.aligned);
    return way;
}

bool convention_splits_wide(const struct dwarf_types *types)
{
    return types->clang != 0 && types->clang < 18;
}

static struct way way_of_wide(const struct dwarf_types *types)
{
    bool split = convention_splits_wide(types);
    return (struct way){.eight = {PASSED_GENERAL, PASSED_GENERAL},
                        .size_bytes = 16,
                        .align_bytes = split ? 8 : 16,
                        .split = split,
                        .may_split = !types->is_gnu && !split && types->clang < 20};
}

struct way convention_way(struct dwarf_types *types, const struct dwarf_type *type)
{
    static const struct way word = {.eight = {PASSED_GENERAL}, .size_bytes = 8, .align_bytes = 8};
    struct way way = {.unknown = true};
    switch (type->kind) {
    case DWARF_TYPE_SIGNED:
    case DWARF_TYPE_UNSIGNED:
    case DWARF_TYPE_BOOL:
    case DWARF_TYPE_CHAR:
    case DWARF_TYPE_ENUM:
        return type->size_bytes >= 1 && type->size_bytes <= 8 ? word : way;
    case DWARF_TYPE_POINTER:
    case DWARF_TYPE_FUNCTION:
    case DWARF_TYPE_TEXT:
    case DWARF_TYPE_REFERENCE:
        return word;
    case DWARF_TYPE_ARRAY: /* Fortran passes its address; a vector type of C is one, too */
        return types->cxx || types->is_cxx || !types->is_fortran ? way : word;
    case DWARF_TYPE_FLOAT:
        if (type->size_bytes == 10)
            return on_stack(16, 16);
        return (struct way){.eight = {PASSED_VECTOR},
                            .size_bytes = type->size_bytes,
                            .align_bytes = type->size_bytes > 8 ? 16 : 8};
    case DWARF_TYPE_WIDE:
        if (type->size_bytes == 2) /* _Float16 */
            return (struct way){.eight = {PASSED_VECTOR}, .size_bytes = 2, .align_bytes = 8};
        if (type->size_bytes == 16 && type->is_integer)
            return way_of_wide(types);
        return way;
    case DWARF_TYPE_MEMBER:
        if (type->size_bytes == 16)
            return (struct way){
                .eight = {PASSED_GENERAL, PASSED_GENERAL}, .size_bytes = 16, .align_bytes = 8};
        return type->size_bytes == 8 ? word : way;
    case DWARF_TYPE_STRUCT:
    case DWARF_TYPE_COMPLEX:
        return way_of_struct(types, type);
    default:
        return dwarf_kind_is_string(type->kind) ? way_of_struct(types, type) : way;
    }
}

/* ---- places ---- */

static struct place place_in(struct convention *convention, enum passing passing,
                             unsigned size_bytes)
{
    struct place place = {.size_bytes = size_bytes};
    if (passing == PASSED_GENERAL) {
        must(convention->general < CONVENTION_GENERALS);
        place.kind = PLACE_IN_REGISTER;
        place.number = general_registers[convention->general++];
    } else {
        must(convention->vector < CONVENTION_VECTORS);
        place.kind = PLACE_IN_VECTOR;
        place.number = (uint8_t)convention->vector++;
    }
    return place;
}

/* Takes memory for a value. False if it is not known which. */
static bool take_stack(struct convention *convention, const struct way *way, struct place *place)
{
    uint64_t align = way->align_bytes > 8 ? way->align_bytes : 8;
    if (convention->stack == NO_STACK)
        return false;
    uint64_t from = (uint64_t)convention->stack - STACK_START,
             at = (from + align - 1) & ~(align - 1);
    uint64_t most = way->size_bytes & (0 - way->size_bytes);
    if (way->align_unknown && at % (most < 64 ? most : 64) != 0) {
        convention->stack = NO_STACK;
        return false;
    }
    *place = (struct place){.kind = PLACE_IN_MEMORY,
                            .number = STACK_POINTER,
                            .stack = true,
                            .offset = (int64_t)at + STACK_START};
    convention->stack = (int64_t)(at + ((way->size_bytes + 7) & ~(uint64_t)7)) + STACK_START;
    return convention->stack < INT32_MAX;
}

/* Takes a register for each vector part, and for a general one while there are some; else a word of
 * memory. */
static bool take_split(struct convention *convention, const struct way *way, struct places *places)
{
    const struct way word = on_stack(8, 8);
    bool known = true;
    places->pieces_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        bool in_memory =
            way->eight[i] == PASSED_GENERAL && convention->general == CONVENTION_GENERALS;
        unsigned bytes = i == 0 ? 8 : (unsigned)way->size_bytes - 8;
        if (in_memory)
            known = take_stack(convention, &word, &places->pieces[i]) && known;
        else
            places->pieces[i] = place_in(convention, way->eight[i], bytes);
        places->pieces[i].size_bytes = bytes;
    }
    return known;
}

bool convention_take(struct convention *convention, const struct way *way, struct places *places)
{
    unsigned general = 0, vector = 0;
    places->pieces_count = places->steps_count = 0;
    places->whole = (struct place){.kind = PLACE_PIECES};
    if (way->eight[0] == PASSED_NOT)
        return false;
    if (way->may_split && convention->general + 2 > CONVENTION_GENERALS) {
        convention->general = CONVENTION_GENERALS;
        convention->stack = NO_STACK;
        return false;
    }
    if (way->split && convention->general + 1 == CONVENTION_GENERALS) {
        convention->one_believed = true;
        return take_split(convention, way, places);
    }
    for (unsigned i = 0; i < 2; i++) {
        general += way->eight[i] == PASSED_GENERAL;
        vector += way->eight[i] == PASSED_VECTOR;
    }
    if (convention->one_believed && general == 1 &&
        convention->vector + vector <= CONVENTION_VECTORS) {
        convention->one_believed = false;
        if (vector == 1)
            return take_split(convention, way, places);
    }
    if (way->eight[0] == PASSED_STACK || convention->general + general > CONVENTION_GENERALS ||
        convention->vector + vector > CONVENTION_VECTORS) {
        if (!take_stack(convention, way, &places->whole))
            return false;
        if (way->by_address)
            places->whole.kind = PLACE_BEHIND;
        return true;
    }
    if (general + vector == 1) {
        places->whole = place_in(convention, way->eight[0], 0);
        if (way->by_address) {
            places->whole.kind = PLACE_IN_MEMORY;
            places->whole.stack = false;
        }
        return true;
    }
    places->pieces_count = 2;
    places->pieces[0] = place_in(convention, way->eight[0], 8);
    places->pieces[1] = place_in(convention, way->eight[1], (unsigned)way->size_bytes - 8);
    return true;
}

bool convention_is_register(const struct place *place)
{
    return place->kind == PLACE_IN_VECTOR
               ? place->number < CONVENTION_VECTORS
               : place->kind == PLACE_IN_REGISTER &&
                     memchr(general_registers, place->number, sizeof general_registers) != NULL;
}
