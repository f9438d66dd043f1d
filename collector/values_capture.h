/* Turns what a recipe names into the bytes that stand in the log. */
#ifndef FISQL_COLLECTOR_VALUES_CAPTURE_H
#define FISQL_COLLECTOR_VALUES_CAPTURE_H

#include "collector/value_encode.h"
#include "collector/values_read.h"
#include "collector/values_recipes.h"

#define VALUES_RETURNED_VECTORS 4u

/* Registers as a function returns with them. */
struct values_returned {
    unsigned char vector[VALUES_RETURNED_VECTORS][16]; /* x86-64: two of them */
    uint64_t general[2];
};

/* Where values are taken from. */
struct capture {
    const uint64_t *general;                 /* by DWARF's numbers */
    const unsigned char *vector;             /* 16 bytes each */
    const struct values_returned *returned;  /* of a result, else NULL */
    const struct fisql_recipe_value *values; /* the module's */
    struct read_stack stack; /* of a result: from the stack pointer after the return */
};

/* The word at a register's distance. */
static inline uint64_t capture_sum(const uint64_t *general, const struct fisql_recipe_value *value)
{
    return general[value->base] + (uint64_t)(int64_t)value->offset;
}

/* Is it in a word, to be had without a look at memory that may not be there? general: of a result those
 * that a function returns with. */
static inline bool capture_word(const uint64_t *general, const struct fisql_recipe_value *value,
                                uint64_t *word)
{
    uint32_t where = value->where;
    if (LIKELY(where == FISQL_WHERE_REGISTER)) {
        *word = general[value->base];
        return true;
    }
    if (LIKELY(where == FISQL_WHERE_MEMORY)) {
        if (UNLIKELY(value->anywhere))
            return false;
        /* Not more than its size: the stack may end there. */
        const unsigned char *at = (const unsigned char *)(uintptr_t)capture_sum(general, value);
        *word = 0;
        if (LIKELY(value->size == 8))
            memcpy(word, at, 8);
        else if (LIKELY(value->size == 4))
            memcpy(word, at, 4);
        else
            for (uint32_t i = 0; i < value->size; i++)
                *word |= (uint64_t)at[i] << 8 * i;
        return true;
    }
    if (where == FISQL_WHERE_RESULT)
        *word = general[0];
    else if (where == FISQL_WHERE_SUM)
        *word = capture_sum(general, value);
    else if (where == FISQL_WHERE_CONSTANT)
        *word = value->constant;
    else
        return false;
    return true;
}

/* A number of at most 8 bytes, in the low ones of a word. */
static inline void capture_put(struct value_writer *writer, const struct fisql_recipe_value *value,
                               uint64_t word)
{
    uint32_t unused = 64 - 8u * value->size;
    switch (value->what) {
    case FISQL_WHAT_SIGNED:
        value_put_signed(writer, (int64_t)(word << unused) >> unused);
        break;
    case FISQL_WHAT_UNSIGNED:
        value_put_unsigned(writer, word << unused >> unused);
        break;
    case FISQL_WHAT_POINTER:
        value_put_pointer(writer, word);
        break;
    default:
        value_put_number(writer, value->size == 4 ? FISQL_VALUE_FLOAT_4 : FISQL_VALUE_FLOAT_8, word,
                         value->size);
    }
}

/* Puts a value if it is a number in a word. */
static inline bool capture_number(struct value_writer *writer, const uint64_t *general,
                                  const struct fisql_recipe_value *value)
{
    uint64_t word;
    if (UNLIKELY(value->what > FISQL_WHAT_FLOAT || value->size - 1u >= 8 || value->through != 0 ||
                 value_room(writer) < VALUE_SCALAR_BYTES) ||
        UNLIKELY(!capture_word(general, value, &word)))
        return false;
    capture_put(writer, value, word);
    return true;
}

/* Puts any other. Returns where it ends; up to 8 more bytes may be spoiled. */
unsigned char *capture_other(struct value_writer writer, const struct capture *capture,
                             const struct fisql_recipe_value *value);

#endif
