/* From operands to the steps that compute them: see expression_make_parts.h. */
#include "debuginfo/expressions/expression_make_parts.h"

#include <stdarg.h>
#include <stdio.h>

#define OFFSET_MAX ((uint64_t)INT32_MAX)

bool make_wrong(struct maker *maker, size_t from, size_t end, const char *format, ...)
{
    struct expression_problem *problem = maker->problem;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->words, sizeof problem->words, format, arguments);
    va_end(arguments);
    problem->from = from;
    problem->bytes = end - from;
    return false;
}

/* An operand's words, and the name of its type. */
#define SHOWN "`%.*s`"
#define SHOWN_WORDS(maker, operand)                                                                \
    (int)((operand)->end - (operand)->from), (maker)->text + (operand)->from

const char *operand_type_name(struct maker *maker, const struct operand *operand)
{
    unsigned size = (unsigned)operand->type.size_bytes;
    if (operand->typed_by == 0)
        return operand->type.is_signed ? (size == 8 ? "long" : "int")
                                       : (size == 8 ? "unsigned long" : "unsigned int");
    Dwarf_Die die = prototype_typed_entry(maker->types->debug, operand->typed_by);
    const char *name = die != NULL ? parameter_type_name(maker->place->reader, die) : "?";
    dwarf_die_release(die);
    return name;
}

bool make_wrong_type(struct maker *maker, const struct operand *operand, const char *words)
{
    return make_wrong(maker, operand->from, operand->end, SHOWN " is %s%s: %s",
                      SHOWN_WORDS(maker, operand), operand_type_name(maker, operand),
                      operand->suffix != NULL ? operand->suffix : "", words);
}

/* ---- steps ---- */

static bool add(struct maker *maker, const struct expression_step *step)
{
    struct expression_code *code = maker->code;
    if (code->count == FISQL_RECIPE_STEPS_MAX)
        return make_wrong(maker, maker->text[maker->end] == 0 ? 0 : maker->end, maker->end,
                          "too long: it takes more than %u steps", FISQL_RECIPE_STEPS_MAX);
    code->steps[code->count++] = *step;
    return true;
}

static bool push(struct maker *maker, const struct expression_step *step)
{
    if (maker->depth == FISQL_RECIPE_STACK_MAX)
        return make_wrong(maker, maker->taken, maker->taken,
                          "too deep: it needs more than %u words", FISQL_RECIPE_STACK_MAX);
    maker->depth++;
    return add(maker, step);
}

bool make_step(struct maker *maker, enum fisql_recipe_step step, uint64_t size_bytes,
               bool is_signed, int64_t offset)
{
    const struct expression_step made = {
        .source = EXPRESSION_STEP,
        .step = {.where = FISQL_WHERE_STEP,
                 .what = is_signed ? FISQL_WHAT_SIGNED : FISQL_WHAT_UNSIGNED,
                 .size = (uint8_t)size_bytes,
                 .base = (uint8_t)step,
                 .offset = (int32_t)offset}};
    maker->depth -= step >= FISQL_STEP_ADD;
    return add(maker, &made);
}

bool make_constant(struct maker *maker, uint64_t number)
{
    const struct expression_step made = {.source = EXPRESSION_STEP,
                                         .step = {.where = FISQL_WHERE_CONSTANT,
                                                  .what = FISQL_WHAT_UNSIGNED,
                                                  .size = 8,
                                                  .constant = number}};
    return push(maker, &made);
}

/* ---- words ---- */

static bool is_address(const struct dwarf_type *type)
{
    return type->kind == DWARF_TYPE_POINTER || type->kind == DWARF_TYPE_TEXT ||
           type->kind == DWARF_TYPE_FUNCTION || type->kind == DWARF_TYPE_REFERENCE;
}

/* Lets the next step start at the operand. */
static bool begin_at(struct maker *maker, const struct operand *operand)
{
    const struct expression_step made = {.source = EXPRESSION_ADDRESS,
                                         .parameter = operand->parameter};
    return operand->where != OPERAND_OBJECT || push(maker, &made);
}

bool make_address(struct maker *maker, struct operand *operand)
{
    bool object = operand->where == OPERAND_OBJECT;
    if (operand->where == OPERAND_WORD)
        return operand->type.kind == DWARF_TYPE_ARRAY ||
               make_wrong_type(maker, operand, "it has no address");
    if (operand->bits != 0)
        return make_wrong_type(maker, operand, "a bit field has no address");
    if (!begin_at(maker, operand) ||
        ((object || operand->offset != 0) &&
         !make_step(maker, FISQL_STEP_OFFSET, 8, false, (int64_t)operand->offset)))
        return false;
    operand->where = OPERAND_AT;
    operand->offset = 0;
    return true;
}

bool make_word(struct maker *maker, struct operand *operand)
{
    const struct dwarf_type *type = &operand->type;
    bool is_float =
        type->kind == DWARF_TYPE_FLOAT && (type->size_bytes == 4 || type->size_bytes == 8);
    bool is_signed = dwarf_kind_is_integer(type->kind) && type->is_signed;
    uint64_t size = type->size_bytes;
    operand->whole = 0;
    if (operand->where == OPERAND_WORD)
        return true;
    if (type->kind == DWARF_TYPE_ARRAY) {
        bool made = make_address(maker, operand);
        operand->where = OPERAND_WORD;
        return made;
    }
    if (!dwarf_kind_is_integer(type->kind) && !is_address(type) && !is_float &&
        !(type->kind == DWARF_TYPE_MEMBER && size == 8))
        return make_wrong_type(maker, operand,
                               type->kind == DWARF_TYPE_STRUCT
                                   ? "name a member of it"
                                   : "values of this type are not read");
    if (is_address(type))
        size = 8;
    if (operand->bits != 0)
        size = ((uint64_t)operand->bits_from + operand->bits + 7) / 8;
    if (size > 8)
        return make_wrong_type(maker, operand, "its bits lie in 9 bytes");
    if (!begin_at(maker, operand) ||
        !make_step(maker, FISQL_STEP_LOAD, size, is_signed && operand->bits == 0,
                   (int64_t)operand->offset))
        return false;
    operand->where = OPERAND_WORD;
    return operand->bits == 0 ||
           make_step(maker, FISQL_STEP_BITS, operand->bits, is_signed, operand->bits_from);
}

bool operand_is_pointer(const struct operand *operand)
{
    return operand->type.kind == DWARF_TYPE_POINTER || operand->type.kind == DWARF_TYPE_TEXT ||
           operand->type.kind == DWARF_TYPE_ARRAY;
}

bool operand_number(const struct operand *operand, unsigned *size_bytes, bool *is_signed)
{
    const struct dwarf_type *type = &operand->type;
    if (!dwarf_kind_is_integer(type->kind))
        return false;
    bool small = type->size_bytes < 4 || (operand->bits != 0 && operand->bits < 32);
    *size_bytes = type->size_bytes == 8 && !small ? 8 : 4;
    *is_signed = small || type->is_signed;
    return true;
}

void operand_result(struct operand *operand, unsigned size_bytes, bool is_signed)
{
    size_t from = operand->from, end = operand->end;
    *operand =
        (struct operand){.where = OPERAND_WORD,
                         .type = {.kind = is_signed ? DWARF_TYPE_SIGNED : DWARF_TYPE_UNSIGNED,
                                  .is_signed = is_signed,
                                  .size_bytes = size_bytes},
                         .from = from,
                         .end = end};
}

/* ---- parameters ---- */

static bool is_object(enum dwarf_type_kind kind)
{
    return kind == DWARF_TYPE_STRUCT || kind == DWARF_TYPE_COMPLEX || kind == DWARF_TYPE_WIDE ||
           dwarf_kind_is_string(kind);
}

/* Lets a reference's target be read at the exit: its address is what the call keeps. */
static bool make_referred(struct maker *maker, unsigned index, struct operand *operand)
{
    const struct expression_step address = {.source = EXPRESSION_ADDRESS, .parameter = index};
    operand->where = OPERAND_AT;
    operand->whole = 0;
    return push(maker, &address) && make_step(maker, FISQL_STEP_OFFSET, 8, false, 0);
}

bool make_parameter(struct maker *maker, unsigned index, struct operand *operand)
{
    const struct dwarf_type *type = &maker->place->prototype->parameters[index].type;
    struct expression_step word = {.source = EXPRESSION_PARAMETER, .parameter = index};
    operand->type = *type;
    operand->typed_by = maker->place->prototype->parameters[index].offset;
    operand->parameter = index;
    operand->whole = index + 1;
    operand->where = OPERAND_WORD;
    if (type->kind == DWARF_TYPE_UNKNOWN || type->kind == DWARF_TYPE_VOID)
        return make_wrong_type(maker, operand, "values of this type are not recorded");
    if (is_object(type->kind)) {
        operand->where = OPERAND_OBJECT;
        if (maker->at_exit)
            return make_wrong_type(maker, operand,
                                   "a copy of the caller's, of which nothing is left at the exit");
        return true;
    }
    if (type->kind == DWARF_TYPE_ARRAY)
        operand->where = OPERAND_AT;
    if (type->kind == DWARF_TYPE_REFERENCE) {
        operand->type = dwarf_type_at(maker->types, type->target);
        operand->where = dwarf_kind_is_integer(operand->type.kind) || is_address(&operand->type) ||
                                 operand->type.kind == DWARF_TYPE_FLOAT ||
                                 operand->type.kind == DWARF_TYPE_MEMBER
                             ? OPERAND_WORD /* the recipe followed it */
                             : OPERAND_AT;
        if (maker->at_exit &&
            (operand->where == OPERAND_WORD || dwarf_kind_is_string(operand->type.kind)))
            return make_referred(maker, index, operand);
        if (dwarf_kind_is_string(operand->type.kind)) {
            word.source = EXPRESSION_ADDRESS;
            return push(maker, &word) && make_step(maker, FISQL_STEP_OFFSET, 8, false, 0);
        }
    }
    return push(maker, &word);
}

/* ---- members, elements, targets ---- */

/* Replaces a reference by its target. */
static bool follow_reference(struct maker *maker, struct operand *operand)
{
    if (operand->type.kind != DWARF_TYPE_REFERENCE)
        return true;
    Dwarf_Off target = operand->type.target;
    if (!make_word(maker, operand))
        return false;
    operand->where = OPERAND_AT;
    operand->offset = 0;
    operand->type = dwarf_type_at(maker->types, target);
    return true;
}

static bool move(struct maker *maker, struct operand *operand, uint64_t bytes)
{
    if (bytes > OFFSET_MAX || operand->offset > OFFSET_MAX - bytes)
        return make_wrong_type(maker, operand, "too far behind its start");
    operand->offset += bytes;
    return true;
}

/* Finds the class if the unit only declares it. */
static bool need_class(struct maker *maker, struct operand *operand, Dwarf_Off entry)
{
    struct dwarf_type *type = &operand->type;
    if (type->offset != 0 && type->kind != DWARF_TYPE_UNKNOWN)
        return is_object(type->kind) || make_wrong_type(maker, operand, "it has no members");
    Dwarf_Off defined = entry != 0 ? class_definition(maker->types, entry) : 0;
    if (defined == 0)
        return make_wrong_type(maker, operand,
                               "it is only declared there, and nowhere defined in one way");
    *type = dwarf_type_at(maker->types, defined);
    return type->kind == DWARF_TYPE_STRUCT ||
           make_wrong_type(maker, operand, "its members are not known");
}

/* The entry of an entry's type; 0 = none. */
static Dwarf_Off type_entry(struct maker *maker, Dwarf_Off of)
{
    Dwarf_Off entry = 0;
    Dwarf_Die die = prototype_typed_entry(maker->types->debug, of);
    if (die == NULL || !dwarf_die_refers(maker->types->debug, die, DW_AT_type, &entry))
        entry = 0;
    dwarf_die_release(die);
    return entry;
}

bool make_member(struct maker *maker, struct operand *operand, const struct word *name, bool arrow)
{
    struct expression_member member;
    char names[400];
    const char *text = maker->text + name->from;
    bool pointer =
        operand->type.kind == DWARF_TYPE_POINTER || operand->type.kind == DWARF_TYPE_TEXT;
    if (pointer && !arrow)
        return make_wrong_type(maker, operand, "it is a pointer: write -> for the .");
    if (!pointer && arrow && is_object(operand->type.kind))
        return make_wrong_type(maker, operand, "it is no pointer: write . for the ->");
    if (arrow && !make_dereference(maker, operand))
        return false;
    if (arrow)
        operand->end = name->from;
    if (!need_class(maker, operand,
                    operand->typed_by != 0 ? type_entry(maker, operand->typed_by) : 0))
        return false;
    if (!expression_member_find(maker->types, operand->type.offset, text, name->bytes, &member)) {
        size_t count = expression_members_list(maker->types, operand->type.offset, text,
                                               name->bytes, names, sizeof names);
        return make_wrong(maker, name->from, name->from + name->bytes,
                          "%s has no member `%.*s`%s%s", operand_type_name(maker, operand),
                          (int)name->bytes, text, count > 0 ? "; it has " : "", names);
    }
    Dwarf_Die die = dwarf_die_at(maker->types->debug, member.entry);
    if (die == NULL || !move(maker, operand, member.offset_bytes)) {
        dwarf_die_release(die);
        return false;
    }
    operand->type = dwarf_type_of(maker->types, die);
    dwarf_die_release(die);
    operand->typed_by = member.entry;
    operand->suffix = NULL;
    operand->dimension = 0;
    operand->whole = 0;
    operand->bits_from = member.bits_from;
    operand->bits = member.bits;
    operand->end = name->from + name->bytes;
    return follow_reference(maker, operand);
}

/* The elements of an array's next dimension. */
static bool array_target(struct maker *maker, const struct operand *operand, struct operand *target,
                         uint64_t *stride)
{
    unsigned rank;
    Dwarf_Off array = operand->type.offset;
    Dwarf_Die die = dwarf_die_at(maker->types->debug, array);
    if (die == NULL)
        return make_wrong_type(maker, operand, "its elements are not known");
    struct dwarf_type element = dwarf_type_of(maker->types, die);
    dwarf_die_release(die);
    *stride = type_bytes(maker->types, &element);
    array_dimension(maker->types, array, 0, &rank);
    for (unsigned i = operand->dimension + 1; i < rank; i++)
        *stride *= array_dimension(maker->types, array, i, &rank);
    target->typed_by = array;
    target->suffix = NULL;
    if (operand->dimension + 1 < rank) {
        target->dimension = operand->dimension + 1;
        target->suffix = "[]";
    } else {
        target->dimension = 0;
        target->type = element;
    }
    return true;
}

bool make_target(struct maker *maker, const struct operand *operand, struct operand *target,
                 uint64_t *stride)
{
    *target = *operand;
    target->whole = 0;
    target->counted = false;
    target->bits = 0;
    if (!operand_is_pointer(operand))
        return make_wrong_type(maker, operand,
                               operand->type.kind == DWARF_TYPE_FUNCTION ? "a function has no value"
                                                                         : "it is no pointer");
    if (operand->type.kind == DWARF_TYPE_ARRAY) {
        if (!array_target(maker, operand, target, stride))
            return false;
    } else if (operand->type.offset == 0) {
        target->type = operand->pointed;
        target->suffix = NULL;
        *stride = type_bytes(maker->types, &target->type);
    } else {
        Dwarf_Off entry = type_entry(maker, operand->type.offset);
        if (entry == 0)
            return make_wrong_type(maker, operand, "what it points to has no type");
        target->type = dwarf_type_at(maker->types, entry);
        target->typed_by = operand->type.offset;
        target->suffix = NULL;
        target->dimension = 0;
        *stride = type_bytes(maker->types, &target->type);
    }
    if (target->type.kind == DWARF_TYPE_VOID)
        return make_wrong_type(maker, operand, "what it points to has no type");
    return true;
}

bool make_dereference(struct maker *maker, struct operand *operand)
{
    const uint64_t first = 0;
    return make_element(maker, operand, &first);
}

bool make_element(struct maker *maker, struct operand *operand, const uint64_t *constant)
{
    struct operand element;
    uint64_t stride = 0;
    if (!make_target(maker, operand, &element, &stride))
        return false;
    if (operand->type.kind != DWARF_TYPE_ARRAY || operand->where == OPERAND_WORD) {
        element.where = OPERAND_AT;
        element.offset = 0;
        if (constant != NULL && !make_word(maker, operand))
            return false;
    }
    if (stride == 0 && (constant == NULL || *constant != 0))
        return make_wrong_type(maker, operand, "how long an element of it is is not known");
    if (constant != NULL) {
        if (*constant > OFFSET_MAX || (*constant != 0 && stride > OFFSET_MAX / *constant))
            return make_wrong_type(maker, operand, "too far behind its start");
        *operand = element;
        return move(maker, operand, *constant * stride) && follow_reference(maker, operand);
    }
    *operand = element;
    operand->counted =
        stride == 1 && operand->offset == 0 &&
        (element.type.kind == DWARF_TYPE_CHAR || element.type.kind == DWARF_TYPE_SIGNED ||
         element.type.kind == DWARF_TYPE_UNSIGNED);
    return (stride == 1 ||
            (make_constant(maker, stride) && make_step(maker, FISQL_STEP_MULTIPLY, 8, true, 0))) &&
           make_step(maker, FISQL_STEP_ADD, 8, false, 0) && follow_reference(maker, operand);
}
