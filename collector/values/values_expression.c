/* Expressions on parameters: see values_expression.h. Skips only go forward, so no step is taken
 * twice. */
#include "collector/values/values_expression.h"

#include <string.h>

struct words {
    uint64_t word[FISQL_RECIPE_STACK_MAX];
    uint32_t count;
};

static uint64_t cut(uint64_t word, const struct fisql_recipe_value *step, uint32_t bits)
{
    uint32_t unused = bits - 1u < 64 ? 64 - bits : 0;
    word <<= unused;
    return step->what == FISQL_WHAT_SIGNED ? (uint64_t)((int64_t)word >> unused) : word >> unused;
}

static uint64_t as_number(uint64_t word, const struct fisql_recipe_value *step)
{
    return cut(word, step, 8u * step->size);
}

/* False if there is no quotient: the divisor is 0, or the type cannot hold the result. */
static bool divide(const struct fisql_recipe_value *step, uint64_t *a, uint64_t b)
{
    bool remainder = step->base == FISQL_STEP_REMAINDER;
    if (b == 0)
        return false;
    if (step->what != FISQL_WHAT_SIGNED) {
        *a = remainder ? *a % b : *a / b;
        return true;
    }
    int64_t least = (int64_t)(UINT64_MAX << (8 * step->size - 1));
    if ((int64_t)b == -1 && (int64_t)*a == least)
        return false;
    *a = (uint64_t)(remainder ? (int64_t)*a % (int64_t)b : (int64_t)*a / (int64_t)b);
    return true;
}

static bool shift(const struct fisql_recipe_value *step, uint64_t *a, uint64_t b)
{
    if (b >= 8u * step->size)
        return false;
    if (step->base == FISQL_STEP_SHIFT_LEFT)
        *a <<= b;
    else
        *a = step->what == FISQL_WHAT_SIGNED ? (uint64_t)((int64_t)*a >> b) : *a >> b;
    return true;
}

static bool is_less(const struct fisql_recipe_value *step, uint64_t a, uint64_t b)
{
    return step->what == FISQL_WHAT_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

/* Replaces the first word by the result of both. False if there is none. */
static bool combine(const struct fisql_recipe_value *step, uint64_t *a, uint64_t b)
{
    bool shifts = step->base == FISQL_STEP_SHIFT_LEFT || step->base == FISQL_STEP_SHIFT_RIGHT;
    bool there = true;
    *a = as_number(*a, step);
    b = shifts ? b : as_number(b, step);
    switch (step->base) {
    case FISQL_STEP_ADD:
        *a += b;
        break;
    case FISQL_STEP_SUBTRACT:
        *a -= b;
        break;
    case FISQL_STEP_MULTIPLY:
        *a *= b;
        break;
    case FISQL_STEP_DIVIDE:
    case FISQL_STEP_REMAINDER:
        there = divide(step, a, b);
        break;
    case FISQL_STEP_AND:
        *a &= b;
        break;
    case FISQL_STEP_OR:
        *a |= b;
        break;
    case FISQL_STEP_EXCLUSIVE_OR:
        *a ^= b;
        break;
    case FISQL_STEP_EQUAL:
        *a = *a == b;
        return true;
    case FISQL_STEP_LESS:
        *a = is_less(step, *a, b);
        return true;
    case FISQL_STEP_LESS_OR_EQUAL:
        *a = !is_less(step, b, *a);
        return true;
    default:
        there = shifts && shift(step, a, b);
    }
    *a = as_number(*a, step);
    return there;
}

/* Takes a step on the last word. */
static bool change(const struct capture *capture, const struct fisql_recipe_value *step,
                   uint64_t *word)
{
    uint64_t read = 0, address = *word + (uint64_t)(int64_t)step->offset;
    switch (step->base) {
    case FISQL_STEP_LOAD:
        if (step->size > sizeof read ||
            read_memory(&capture->stack, address, &read, step->size) != step->size)
            return false;
        *word = as_number(read, step);
        return true;
    case FISQL_STEP_OFFSET:
        *word = address;
        return true;
    case FISQL_STEP_BITS:
        *word = cut(*word >> (step->offset & 63), step, step->size);
        return true;
    case FISQL_STEP_CONVERT:
        *word = as_number(*word, step);
        return true;
    case FISQL_STEP_NEGATE:
        *word = as_number(-*word, step);
        return true;
    case FISQL_STEP_INVERT:
        *word = as_number(~*word, step);
        return true;
    case FISQL_STEP_IS_ZERO:
        *word = *word == 0;
        return true;
    case FISQL_STEP_IS_TRUE:
        *word = *word != 0;
        return true;
    default:
        return step->base == FISQL_STEP_NOTHING;
    }
}

/* Takes a step. *skip: how many steps to leave out after it. */
static bool take(const struct capture *capture, const struct fisql_recipe_value *step,
                 struct words *words, uint32_t *skip)
{
    if (words->count == 0)
        return false;
    uint64_t *last = &words->word[words->count - 1];
    if (step->base >= FISQL_STEP_ADD)
        return words->count-- >= 2 && combine(step, last - 1, *last);
    if (step->base != FISQL_STEP_AND_THEN && step->base != FISQL_STEP_OR_ELSE)
        return change(capture, step, last);
    if ((*last == 0) == (step->base == FISQL_STEP_AND_THEN))
        *skip = (uint32_t)step->offset;
    else
        words->count--;
    return true;
}

enum found expression_word(const struct capture *capture, const struct fisql_recipe_value *value,
                           unsigned char bytes[FISQL_RECIPE_BYTES_MAX])
{
    const struct fisql_recipe_value *step = &capture->module->values[value->constant];
    struct words words = {.count = 0};
    for (uint32_t i = 0, skip = 0; i < value->base && i < FISQL_RECIPE_STEPS_MAX; i++, step++) {
        if (skip > 0) {
            skip--;
            continue;
        }
        if (step->where == FISQL_WHERE_STEP) {
            if (!take(capture, step, &words, &skip))
                return FOUND_UNREADABLE;
            continue;
        }
        if (words.count == FISQL_RECIPE_STACK_MAX)
            return FOUND_ABSENT;
        enum found found = capture_word(capture, step, &words.word[words.count++]);
        if (found != FOUND)
            return found;
    }
    bool two = value->what == FISQL_WHAT_COUNTED || value->what == FISQL_WHAT_DUMP;
    uint32_t wanted = two ? 2 : 1;
    if (words.count != wanted)
        return FOUND_ABSENT;
    memcpy(bytes, words.word, wanted * sizeof *words.word);
    return FOUND;
}
