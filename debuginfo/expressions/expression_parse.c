/* Parses an expression: operators with C's precedence and types. Makes steps as it reads, operands
 * first. See expression_make_parts.h. */
#include "debuginfo/expressions/expression_make_parts.h"

#include <string.h>

#define NESTING_MAX 64

static bool read_unary(struct maker *maker, struct operand *operand);
static bool read_binary(struct maker *maker, unsigned least, struct operand *left);

/* ---- words ---- */

static void next(struct maker *maker)
{
    maker->taken = maker->word.from + maker->word.bytes;
    maker->word = word_read(maker->text, maker->taken, maker->end);
}

static bool is_mark(const struct word *word, const char *mark)
{
    return word->kind == WORD_MARK && strcmp(word->mark, mark) == 0;
}

static bool enter(struct maker *maker)
{
    return maker->nesting++ < NESTING_MAX ||
           make_wrong(maker, maker->word.from, maker->word.from + maker->word.bytes,
                      "too many brackets and operators within one another");
}

/* Reads the bracket that closes the one at `from`. */
static bool close_bracket(struct maker *maker, const char *open, const char *close, size_t from)
{
    const struct word *word = &maker->word;
    if (is_mark(word, close)) {
        next(maker);
        return true;
    }
    if (word->kind == WORD_END)
        return make_wrong(maker, from, from + 1, "`%s` is not closed", open);
    return make_wrong(maker, word->from, word->from + word->bytes,
                      "`%s` or an operator is missing before `%.*s`", close, (int)word->bytes,
                      maker->text + word->from);
}

/* ---- operands ---- */

static bool read_name(struct maker *maker, struct operand *operand)
{
    const struct prototype *prototype = maker->place->prototype;
    const struct word word = maker->word;
    const char *text = maker->text + word.from;
    char names[400];
    next(maker);
    for (unsigned i = 0; i < prototype->count; i++) {
        Dwarf_Die die = dwarf_die_at(maker->types->debug, prototype->parameters[i].offset);
        bool same = die != NULL && dwarf_die_is_named(maker->types->debug, die, text, word.bytes);
        dwarf_die_release(die);
        if (same)
            return make_parameter(maker, i, operand);
    }
    size_t count =
        expression_parameters_list(maker->types, prototype, text, word.bytes, names, sizeof names);
    return make_wrong(maker, word.from, word.from + word.bytes, "there is no parameter `%.*s`%s%s",
                      (int)word.bytes, text, count > 0 ? "; there is " : "", names);
}

static bool read_primary(struct maker *maker, struct operand *operand)
{
    const struct word word = maker->word;
    *operand = (struct operand){.from = word.from, .end = word.from + word.bytes};
    if (word.kind == WORD_NAME)
        return read_name(maker, operand);
    if (word.kind == WORD_NUMBER) {
        next(maker);
        operand_result(operand, word.is_long ? 8 : 4, !word.is_unsigned);
        return make_constant(maker, word.number);
    }
    if (is_mark(&word, "(")) {
        next(maker);
        bool read = enter(maker) && read_binary(maker, 1, operand) &&
                    close_bracket(maker, "(", ")", word.from);
        maker->nesting--;
        operand->from = word.from;
        operand->end = maker->taken;
        operand->counted = false;
        return read;
    }
    if (word.kind == WORD_END)
        return make_wrong(maker, maker->taken > 0 ? maker->taken - 1 : 0, maker->taken,
                          "something is missing after this");
    return make_wrong(maker, word.from, word.from + word.bytes,
                      "before `%.*s` something is missing", (int)word.bytes,
                      maker->text + word.from);
}

/* Reads what is within [ and ]. */
static bool read_element(struct maker *maker, struct operand *operand, size_t open)
{
    struct operand index;
    unsigned size;
    bool is_signed, array = operand->type.kind == DWARF_TYPE_ARRAY;
    struct word number = maker->word;
    struct word after = word_read(maker->text, number.from + number.bytes, maker->end);
    if (!operand_is_pointer(operand))
        return make_wrong_type(maker, operand, "it has no elements");
    if (number.kind == WORD_NUMBER && is_mark(&after, "]")) {
        next(maker);
        next(maker);
        return make_element(maker, operand, &number.number);
    }
    bool placed = array && operand->where != OPERAND_OBJECT && operand->offset == 0;
    if (array ? !placed && !make_address(maker, operand) : !make_word(maker, operand))
        return false;
    if (!read_binary(maker, 1, &index) || !close_bracket(maker, "[", "]", open))
        return false;
    if (!operand_number(&index, &size, &is_signed))
        return make_wrong_type(maker, &index, "an index is an integer");
    return make_word(maker, &index) && make_element(maker, operand, NULL);
}

static bool read_postfix(struct maker *maker, struct operand *operand)
{
    bool read = read_primary(maker, operand);
    while (read) {
        const struct word word = maker->word;
        bool arrow = is_mark(&word, "->");
        if (is_mark(&word, "[")) {
            next(maker);
            read = enter(maker) && read_element(maker, operand, word.from);
            maker->nesting--;
        } else if (arrow || is_mark(&word, ".")) {
            next(maker);
            const struct word name = maker->word;
            if (name.kind != WORD_NAME)
                return make_wrong(maker, word.from, word.from + word.bytes,
                                  "after `%s` a member's name is missing", word.mark);
            next(maker);
            read = make_member(maker, operand, &name, arrow);
        } else {
            break;
        }
        operand->end = maker->taken;
    }
    return read;
}

/* ---- operators on one operand ---- */

static bool take_address(struct maker *maker, struct operand *operand)
{
    if (operand->suffix != NULL || operand->typed_by == 0)
        return make_wrong_type(maker, operand, "it has no address");
    if (!make_address(maker, operand))
        return false;
    operand->where = OPERAND_WORD;
    operand->pointed = operand->type;
    operand->type = (struct dwarf_type){.kind = DWARF_TYPE_POINTER, .size_bytes = 8};
    operand->suffix = " *";
    operand->whole = 0;
    operand->counted = false;
    return true;
}

/* Makes a condition, 0 or 1, of a number or a pointer. */
static bool make_condition(struct maker *maker, struct operand *operand,
                           enum fisql_recipe_step step)
{
    unsigned size;
    bool is_signed;
    if (!operand_number(operand, &size, &is_signed) && !operand_is_pointer(operand) &&
        operand->type.kind != DWARF_TYPE_FUNCTION)
        return make_wrong_type(maker, operand, "a condition is an integer or a pointer");
    if (!make_word(maker, operand) || !make_step(maker, step, 4, true, 0))
        return false;
    operand_result(operand, 4, true);
    return true;
}

static bool need_number(struct maker *maker, struct operand *operand, unsigned *size,
                        bool *is_signed)
{
    return operand_number(operand, size, is_signed) ||
           make_wrong_type(maker, operand, "arithmetic is on integers alone");
}

static bool apply_unary(struct maker *maker, const struct word *mark, struct operand *operand)
{
    unsigned size = 0;
    bool is_signed = false;
    switch (mark->mark[0]) {
    case '*':
        return make_dereference(maker, operand);
    case '&':
        return take_address(maker, operand);
    case '!':
        return make_condition(maker, operand, FISQL_STEP_IS_ZERO);
    default:
        break;
    }
    if (!need_number(maker, operand, &size, &is_signed) || !make_word(maker, operand))
        return false;
    if (!make_step(maker,
                   mark->mark[0] == '-'   ? FISQL_STEP_NEGATE
                   : mark->mark[0] == '~' ? FISQL_STEP_INVERT
                                          : FISQL_STEP_CONVERT,
                   size, is_signed, 0))
        return false;
    operand_result(operand, size, is_signed);
    return true;
}

static bool read_unary(struct maker *maker, struct operand *operand)
{
    const struct word word = maker->word;
    if (word.kind != WORD_MARK || word.bytes != 1 || strchr("*&!-~+", word.mark[0]) == NULL)
        return read_postfix(maker, operand);
    next(maker);
    bool read = enter(maker) && read_unary(maker, operand) && apply_unary(maker, &word, operand);
    maker->nesting--;
    operand->from = word.from;
    return read;
}

/* ---- operators on two ---- */

struct binary {
    const char *mark;
    unsigned precedence;
    enum fisql_recipe_step step;
    bool negated, compares;
};

static const struct binary *binary_of(const struct word *word)
{
    static const struct binary known[] = {{"*", 10, FISQL_STEP_MULTIPLY, false, false},
                                          {"/", 10, FISQL_STEP_DIVIDE, false, false},
                                          {"%", 10, FISQL_STEP_REMAINDER, false, false},
                                          {"+", 9, FISQL_STEP_ADD, false, false},
                                          {"-", 9, FISQL_STEP_SUBTRACT, false, false},
                                          {"<<", 8, FISQL_STEP_SHIFT_LEFT, false, false},
                                          {">>", 8, FISQL_STEP_SHIFT_RIGHT, false, false},
                                          {"<", 7, FISQL_STEP_LESS, false, true},
                                          {"<=", 7, FISQL_STEP_LESS_OR_EQUAL, false, true},
                                          {">", 7, FISQL_STEP_LESS_OR_EQUAL, true, true},
                                          {">=", 7, FISQL_STEP_LESS, true, true},
                                          {"==", 6, FISQL_STEP_EQUAL, false, true},
                                          {"!=", 6, FISQL_STEP_EQUAL, true, true},
                                          {"&", 5, FISQL_STEP_AND, false, false},
                                          {"^", 4, FISQL_STEP_EXCLUSIVE_OR, false, false},
                                          {"|", 3, FISQL_STEP_OR, false, false},
                                          {"&&", 2, FISQL_STEP_AND_THEN, false, false},
                                          {"||", 1, FISQL_STEP_OR_ELSE, false, false}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_mark(word, known[i].mark))
            return &known[i];
    return NULL;
}

/* C's usual conversions. */
static void common_type(unsigned *size, bool *is_signed, unsigned other_size, bool other_signed)
{
    if (other_size == *size)
        *is_signed = *is_signed && other_signed;
    else if (other_size > *size)
        *is_signed = other_signed;
    if (other_size > *size)
        *size = other_size;
}

/* Adds to or subtracts from a pointer. */
static bool combine_pointer(struct maker *maker, const struct binary *binary, struct operand *left,
                            struct operand *right)
{
    struct operand target;
    uint64_t stride = 0;
    unsigned size;
    bool is_signed, number = operand_number(right, &size, &is_signed);
    bool adds = binary->step == FISQL_STEP_ADD, subtracts = binary->step == FISQL_STEP_SUBTRACT;
    if (!operand_is_pointer(left) || (!adds && !subtracts) || (adds && !number) ||
        (!number && !operand_is_pointer(right)))
        return make_wrong_type(
            maker, operand_is_pointer(left) ? left : right,
            "of a pointer: pointer + integer, pointer - integer, pointer - pointer");
    if (!make_target(maker, left, &target, &stride))
        return false;
    if (stride == 0)
        return make_wrong_type(maker, left, "how long what it points to is is not known");
    if (!number) {
        operand_result(left, 8, true);
        return make_step(maker, FISQL_STEP_SUBTRACT, 8, true, 0) && make_constant(maker, stride) &&
               make_step(maker, FISQL_STEP_DIVIDE, 8, true, 0);
    }
    return make_constant(maker, stride) && make_step(maker, FISQL_STEP_MULTIPLY, 8, true, 0) &&
           make_step(maker, binary->step, 8, false, 0);
}

static bool is_any_pointer(const struct operand *operand)
{
    return operand_is_pointer(operand) || operand->type.kind == DWARF_TYPE_FUNCTION;
}

/* Applies an operator to two words. */
static bool combine(struct maker *maker, const struct binary *binary, struct operand *left,
                    struct operand *right)
{
    unsigned size = 8, right_size = 8;
    bool is_signed = false, right_signed = false;
    bool pointers = is_any_pointer(left) || is_any_pointer(right);
    bool shifts = binary->step == FISQL_STEP_SHIFT_LEFT || binary->step == FISQL_STEP_SHIFT_RIGHT;
    if (pointers && !binary->compares)
        return combine_pointer(maker, binary, left, right);
    if (!(binary->compares && is_any_pointer(left)) && !need_number(maker, left, &size, &is_signed))
        return false;
    if (!(binary->compares && is_any_pointer(right)) &&
        !need_number(maker, right, &right_size, &right_signed))
        return false;
    if (!shifts)
        common_type(&size, &is_signed, right_size, right_signed);
    if (!make_step(maker, binary->step, size, is_signed, 0))
        return false;
    operand_result(left, binary->compares ? 4 : size, binary->compares || is_signed);
    return !binary->negated || make_step(maker, FISQL_STEP_IS_ZERO, 4, true, 0);
}

/* Makes a word, if it can be one. */
static bool need_word(struct maker *maker, struct operand *operand)
{
    unsigned size;
    bool is_signed;
    return (is_any_pointer(operand) || need_number(maker, operand, &size, &is_signed)) &&
           make_word(maker, operand);
}

/* Skips the right side if the left one decides. */
static bool read_condition(struct maker *maker, const struct binary *binary, struct operand *left)
{
    struct operand right;
    if (!make_condition(maker, left, FISQL_STEP_IS_TRUE) ||
        !make_step(maker, binary->step, 4, true, 0))
        return false;
    unsigned at = maker->code->count;
    maker->depth--;
    if (!read_binary(maker, binary->precedence + 1, &right) ||
        !make_condition(maker, &right, FISQL_STEP_IS_TRUE))
        return false;
    maker->code->steps[at - 1].step.offset = (int32_t)(maker->code->count - at);
    return true;
}

/* Reads operators of at least this precedence. */
static bool read_binary(struct maker *maker, unsigned least, struct operand *left)
{
    bool read = enter(maker) && read_unary(maker, left);
    const struct binary *binary;
    while (read && (binary = binary_of(&maker->word)) != NULL && binary->precedence >= least) {
        struct operand right;
        next(maker);
        if (binary->step == FISQL_STEP_AND_THEN || binary->step == FISQL_STEP_OR_ELSE)
            read = read_condition(maker, binary, left);
        else
            read = need_word(maker, left) && read_binary(maker, binary->precedence + 1, &right) &&
                   need_word(maker, &right) && combine(maker, binary, left, &right);
        left->whole = 0;
        left->counted = false;
        left->end = maker->taken;
    }
    maker->nesting--;
    return read;
}

bool expression_parse(struct maker *maker, struct operand *operand)
{
    maker->word = word_read(maker->text, maker->taken, maker->end);
    if (!read_binary(maker, 1, operand))
        return false;
    const struct word *word = &maker->word;
    if (word->kind == WORD_END)
        return true;
    bool bracket = is_mark(word, ")") || is_mark(word, "]");
    return make_wrong(maker, word->from, word->from + word->bytes,
                      bracket ? "`%.*s` closes nothing" : "before `%.*s` an operator is missing",
                      (int)word->bytes, maker->text + word->from);
}
