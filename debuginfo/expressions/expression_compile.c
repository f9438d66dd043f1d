/* An expression's code and type: see expression_parts.h. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "debuginfo/dwarf/dwarf_places.h"
#include "debuginfo/expressions/expression_format.h"
#include "debuginfo/expressions/expression_make_parts.h"

/* The type of a result of arithmetic or &. */
static const struct parameter_type *made_type(const struct operand *operand)
{
    static const struct parameter_type types[2][2] = {
        {{.kind = PARAMETER_UNSIGNED, .size_bytes = 4},
         {.kind = PARAMETER_SIGNED, .size_bytes = 4, .is_signed = true}},
        {{.kind = PARAMETER_UNSIGNED, .size_bytes = 8},
         {.kind = PARAMETER_SIGNED, .size_bytes = 8, .is_signed = true}}};
    static const struct parameter_type pointer = {.kind = PARAMETER_POINTER, .size_bytes = 8};
    if (operand->type.kind == DWARF_TYPE_POINTER)
        return &pointer;
    return &types[operand->type.size_bytes == 8][operand->type.is_signed];
}

/* Gives the operand's type its name and form. */
static bool describe(struct maker *maker, const struct operand *operand, struct parameter *out)
{
    static const struct parameter_type text = {.kind = PARAMETER_TEXT, .size_bytes = 8};
    struct type_reader *reader = maker->place->reader;
    char name[640];
    bool chars =
        maker->code->value.what == FISQL_WHAT_TEXT && operand->type.kind == DWARF_TYPE_ARRAY;
    bool counted = maker->code->value.what == FISQL_WHAT_COUNTED;
    out->type = chars || counted            ? &text
                : operand->type.offset == 0 ? made_type(operand)
                                            : parameter_type_of(reader, &operand->type);
    const char *of = out->type_name = operand_type_name(maker, operand);
    if (operand->typed_by == 0)
        return true;
    const char *suffix = counted ? " *" : operand->suffix != NULL ? operand->suffix : "";
    bool after = suffix[0] == ' ' && of[0] != 0 && of[strlen(of) - 1] == '*';
    snprintf(name, sizeof name, "%s%s", of, after ? suffix + 1 : suffix);
    out->type_name = type_reader_keep(reader, name, strlen(name));
    return !reader->failed;
}

/* Reads a text in an array up to its end. */
static bool finish_chars(struct maker *maker, struct operand *operand)
{
    unsigned rank;
    uint64_t count = array_dimension(maker->types, operand->type.offset, operand->dimension, &rank);
    maker->code->value.what = FISQL_WHAT_TEXT;
    maker->code->value.size = 8;
    maker->code->value.text_max = (uint32_t)count;
    return make_address(maker, operand);
}

/* Reads as many bytes as the index of `pointer[index]` says: leaves these two words. */
static bool finish_counted(struct maker *maker)
{
    struct expression_code *code = maker->code;
    must(code->count > 0 && code->steps[code->count - 1].step.base == FISQL_STEP_ADD);
    code->count--;
    code->value.what = FISQL_WHAT_COUNTED;
    code->value.size = 16;
    return true;
}

static bool is_chars(struct maker *maker, const struct operand *operand)
{
    struct operand element;
    uint64_t stride;
    return operand->type.kind == DWARF_TYPE_ARRAY && operand->where != OPERAND_WORD &&
           make_target(maker, operand, &element, &stride) && element.type.kind == DWARF_TYPE_CHAR &&
           element.suffix == NULL;
}

/* Reads from memory what is more than a word. */
static bool finish_object(struct maker *maker, struct operand *operand)
{
    struct fisql_recipe_value *value = &maker->code->value;
    enum dwarf_type_kind kind = operand->type.kind;
    if (dwarf_kind_is_string(kind)) {
        value->what = (uint8_t)place_string(kind);
        value->size = (uint8_t)operand->type.size_bytes;
        return make_address(maker, operand);
    }
    if (kind == DWARF_TYPE_UNKNOWN || kind == DWARF_TYPE_VOID || operand->type.size_bytes == 0)
        return make_wrong_type(maker, operand, "values of this type are not read");
    if (operand->type.size_bytes > FISQL_RECIPE_BYTES_MAX)
        return make_wrong_type(maker, operand, "it has more than 64 bytes: name a member of it");
    value->what = kind == DWARF_TYPE_FLOAT ? FISQL_WHAT_FLOAT : FISQL_WHAT_BYTES;
    value->size = (uint8_t)operand->type.size_bytes;
    value->through = 1;
    return make_address(maker, operand);
}

/* Reads bytes of what a pointer points to: leaves it and their number. */
static bool finish_dump(struct maker *maker, struct operand *operand, unsigned bytes)
{
    struct fisql_recipe_value *value = &maker->code->value;
    if (!operand_is_pointer(operand))
        return make_wrong_type(maker, operand, "a dump is of what a pointer points to");
    value->where = FISQL_WHERE_EXPRESSION;
    value->what = FISQL_WHAT_DUMP;
    value->size = 16;
    return make_word(maker, operand) && make_constant(maker, bytes);
}

/* Gives an integer the format. */
static bool put_format(struct maker *maker, const struct expression_format *format,
                       const struct operand *operand, struct parameter *out)
{
    bool pointer = format->kind == PARAMETER_HEX && (operand->type.kind == DWARF_TYPE_POINTER ||
                                                     operand->type.kind == DWARF_TYPE_FUNCTION);
    unsigned size = pointer ? 8 : (unsigned)operand->type.size_bytes;
    if (format->dump_bytes != 0) {
        out->type = &format->dump;
        return true;
    }
    const struct parameter_type *type = expression_format_type(format, size);
    if (type == NULL || !(pointer || dwarf_kind_is_integer(operand->type.kind)))
        return make_wrong_type(maker, operand, "this format is one of integers");
    out->type = type;
    return true;
}

/* Makes the value of the parsed operand. */
static bool finish(struct maker *maker, struct operand *operand)
{
    struct fisql_recipe_value *value = &maker->code->value;
    const struct dwarf_type type = operand->type;
    value->where = FISQL_WHERE_EXPRESSION;
    if (operand->whole != 0 && maker->at_exit) {
        if (type.kind != DWARF_TYPE_TEXT)
            return make_wrong_type(maker, operand,
                                   "it is the same at the exit: ask for what it points to");
        operand->whole = 0;
    }
    if (operand->whole != 0 && type.kind == DWARF_TYPE_STRUCT && operand->where == OPERAND_OBJECT &&
        type.size_bytes > FISQL_RECIPE_BYTES_MAX)
        return finish_object(maker, operand);
    if (operand->whole != 0) {
        maker->code->whole = operand->whole;
        maker->code->count = 0;
        return true;
    }
    if (operand->counted)
        return finish_counted(maker);
    if (is_chars(maker, operand))
        return finish_chars(maker, operand);
    bool is_float = type.kind == DWARF_TYPE_FLOAT && type.size_bytes <= 8;
    if (is_float || dwarf_kind_is_integer(type.kind) ||
        (type.kind == DWARF_TYPE_MEMBER && type.size_bytes == 8)) {
        value->what = is_float         ? FISQL_WHAT_FLOAT
                      : type.is_signed ? FISQL_WHAT_SIGNED
                                       : FISQL_WHAT_UNSIGNED;
        value->size = (uint8_t)type.size_bytes;
        return make_word(maker, operand);
    }
    if (type.kind != DWARF_TYPE_POINTER && type.kind != DWARF_TYPE_FUNCTION &&
        type.kind != DWARF_TYPE_TEXT && type.kind != DWARF_TYPE_ARRAY)
        return finish_object(maker, operand);
    value->what = (uint8_t)(type.kind == DWARF_TYPE_TEXT ? place_text(&type) : FISQL_WHAT_POINTER);
    value->size = 8;
    return make_word(maker, operand);
}

int expression_compile(const struct expression_place *place,
                       const struct expression_request *request,
                       const struct expression *expression, struct expression_code **code,
                       struct parameter *out, struct expression_problem *problem,
                       struct error *error)
{
    struct operand operand;
    *problem = (struct expression_problem){.from = expression->from};
    *code = calloc(1, sizeof **code);
    if (*code == NULL)
        return error_set(error, "out of memory");
    (*code)->if_changed = expression->if_changed;
    struct maker maker = {.place = place,
                          .types = place->reader->types,
                          .text = request->text,
                          .taken = expression->from,
                          .end = expression->from + expression->bytes,
                          .at_exit = expression->at_exit,
                          .code = *code,
                          .problem = problem};
    /* Describe the type that the value had before it became a word. */
    const struct expression_format *format = expression->format;
    unsigned dump = format != NULL ? format->dump_bytes : 0;
    bool made = expression_parse(&maker, &operand);
    struct operand as_read = operand;
    made = made && (dump != 0 ? finish_dump(&maker, &operand, dump) : finish(&maker, &operand)) &&
           describe(&maker, &as_read, out) &&
           (format == NULL || put_format(&maker, format, &as_read, out));
    if (made)
        return 0;
    free(*code);
    *code = NULL;
    return place->reader->failed ? -1 : 1;
}
