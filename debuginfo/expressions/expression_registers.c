/*
 * Registers as expressions: `--value 'f: rdi, (char*)rsi, xmm0, rax'` of a function whose entry is
 * patched and that no debug information describes. At its first instruction the registers hold what
 * the calling convention puts there (System V ABI, AMD64, 3.2.3): six integers or pointers, eight
 * floating-point numbers. Which of them are arguments, and of which types, the user must know. rax
 * has the result when the function has returned. The integers are arg1 to arg6, too; `registers` is
 * short for all six.
 */
#include <stdio.h>
#include <string.h>

#include "debuginfo/expressions/expression_format.h"
#include "debuginfo/expressions/expression_parts.h"

#define WORDS_MAX 32u                /* bytes of a register's text without its spaces, ... */
#define EXPRESSION_REGISTER_MAX 128u /* ... and with them */

struct form {
    const char *before, *type_name;
    enum fisql_recipe_what what;
    uint8_t size;
    struct parameter_type type;
};

static const struct form as_register = {
    "", "register", FISQL_WHAT_POINTER, 8, {.kind = PARAMETER_POINTER, .size_bytes = 8}};
static const struct form casts[] = {
    {"(char*)", "char *", FISQL_WHAT_TEXT, 8, {.kind = PARAMETER_TEXT, .size_bytes = 8}},
    {"(int)", "int", FISQL_WHAT_SIGNED, 4, {PARAMETER_SIGNED, .size_bytes = 4, .is_signed = true}},
    {"(unsigned)", "unsigned", FISQL_WHAT_UNSIGNED, 4, {PARAMETER_UNSIGNED, .size_bytes = 4}},
    {"(long)",
     "long",
     FISQL_WHAT_SIGNED,
     8,
     {PARAMETER_SIGNED, .size_bytes = 8, .is_signed = true}},
    {"(size_t)", "size_t", FISQL_WHAT_UNSIGNED, 8, {PARAMETER_UNSIGNED, .size_bytes = 8}},
    {"(bool)", "bool", FISQL_WHAT_UNSIGNED, 1, {.kind = PARAMETER_BOOL, .size_bytes = 1}},
};
static const struct form as_double = {
    "", "double", FISQL_WHAT_FLOAT, 8, {.kind = PARAMETER_FLOAT, .size_bytes = 8}};
static const struct form as_float = {
    "(float)", "float", FISQL_WHAT_FLOAT, 4, {.kind = PARAMETER_FLOAT, .size_bytes = 4}};

static const struct {
    const char *name;
    uint8_t number; /* DWARF's */
} generals[] = {{"rdi", 5},  {"rsi", 4},  {"rdx", 1},  {"rcx", 2},  {"r8", 8},
                {"r9", 9},   {"rax", 0},  {"arg1", 5}, {"arg2", 4}, {"arg3", 1},
                {"arg4", 2}, {"arg5", 8}, {"arg6", 9}};
#define RESULT 0u

static size_t without_spaces(const char *text, char words[WORDS_MAX])
{
    size_t used = 0;
    for (; *text != 0 && used + 1 < WORDS_MAX; text++)
        if (*text != ' ' && *text != '\t')
            words[used++] = *text;
    words[used] = 0;
    return *text == 0 ? used : 0;
}

/* Takes the cast off the front of the text. */
static const struct form *cast_of(const char **text)
{
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        size_t bytes = strlen(casts[i].before);
        if (strncmp(*text, casts[i].before, bytes) == 0) {
            *text += bytes;
            return &casts[i];
        }
    }
    return &as_register;
}

static const struct form *vector_read(const char *text, struct fisql_recipe_value *value)
{
    size_t cast = strlen(as_float.before);
    const struct form *form = strncmp(text, as_float.before, cast) == 0 ? &as_float : &as_double;
    const char *name = text + strlen(form->before);
    if (strncmp(name, "xmm", 3) != 0 || name[3] < '0' || name[3] > '7' || name[4] != 0)
        return NULL;
    value->where = FISQL_WHERE_VECTOR;
    value->base = (uint8_t)(name[3] - '0');
    return form;
}

/* Returns how the register is read, after setting where it is; NULL: it is none. */
static const struct form *register_read(const char *text, struct fisql_recipe_value *value)
{
    char words[WORDS_MAX] = "";
    const char *name = words;
    if (without_spaces(text, words) == 0)
        return NULL;
    const struct form *form = vector_read(words, value);
    if (form != NULL)
        return form;
    form = cast_of(&name);
    for (size_t i = 0; i < sizeof generals / sizeof *generals; i++)
        if (strcmp(name, generals[i].name) == 0) {
            bool result = generals[i].number == RESULT;
            value->where = result ? FISQL_WHERE_RESULT : FISQL_WHERE_REGISTER;
            value->base = result ? 0 : generals[i].number;
            return form;
        }
    return NULL;
}

const char *expression_registers_nth(unsigned n)
{
    static const char *const names[] = {"arg1", "arg2", "arg3", "arg4", "arg5", "arg6"};
    return n < sizeof names / sizeof names[0] ? names[n] : NULL;
}

/* Makes two steps of the register and of the number of bytes where it points to. */
static void put_dump(struct expression_code *code, unsigned bytes)
{
    const struct fisql_recipe_value steps[] = {
        code->value,
        {.where = FISQL_WHERE_CONSTANT, .what = FISQL_WHAT_UNSIGNED, .size = 8, .constant = bytes}};
    code->value = (struct fisql_recipe_value){
        .where = FISQL_WHERE_EXPRESSION, .what = FISQL_WHAT_DUMP, .size = 16};
    for (code->count = 0; code->count < 2; code->count++)
        code->steps[code->count] =
            (struct expression_step){.source = EXPRESSION_STEP, .step = steps[code->count]};
    code->steps[0].step.what = FISQL_WHAT_POINTER;
    code->steps[0].step.size = 8;
}

/* Gives a register's value the format; false if it is no integer. */
static bool put_format(struct expression_code *code, const struct expression_format *format,
                       struct parameter *out)
{
    struct fisql_recipe_value *value = &code->value;
    bool whole = value->what == FISQL_WHAT_POINTER || value->what == FISQL_WHAT_TEXT;
    if (format->dump_bytes != 0) {
        if (!whole || value->where != FISQL_WHERE_REGISTER)
            return false;
        put_dump(code, format->dump_bytes);
        out->type = &format->dump;
        return true;
    }
    if (value->what > FISQL_WHAT_POINTER)
        return false;
    if (value->what == FISQL_WHAT_POINTER)
        value->what = FISQL_WHAT_UNSIGNED;
    out->type = expression_format_type(format, value->size);
    return out->type != NULL;
}

bool expression_register(const struct expression *expression, const char *text,
                         struct parameter *out, struct expression_code *code)
{
    struct fisql_recipe_value *value = &code->value;
    *value = (struct fisql_recipe_value){.where = FISQL_WHERE_ABSENT};
    char words[EXPRESSION_REGISTER_MAX];
    snprintf(words, sizeof words, "%.*s", (int)expression->bytes, text);
    const struct form *form = expression->bytes < sizeof words && !expression->at_exit
                                  ? register_read(words, value)
                                  : NULL;
    if (form == NULL)
        return false;
    value->what = (uint8_t)form->what;
    value->size = form->size;
    out->name = value->where == FISQL_WHERE_RESULT ? "" : text;
    out->type_name = form->type_name;
    out->type = &form->type;
    code->registers = true;
    return expression->format == NULL || put_format(code, expression->format, out);
}

bool expression_register_of(const struct expression_code *code, struct fisql_recipe_value *value)
{
    *value = code->value;
    return code->registers && value->where != FISQL_WHERE_EXPRESSION;
}

bool expression_is_of_registers(const struct expression_code *code)
{
    return code->registers;
}
