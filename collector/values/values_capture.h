/* Turns the value that a recipe names into the bytes of the log. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_CAPTURE_H
#define FISQL_COLLECTOR_VALUES_VALUES_CAPTURE_H

#include "collector/core/value_encode.h"
#include "collector/values/values.h"
#include "collector/values/values_read.h"
#include "collector/values/values_recipes.h"

struct kept_call;

/* Where values are taken from. */
struct capture {
    const uint64_t *general;                /* by DWARF's numbers */
    const unsigned char *vector;            /* 16 bytes each */
    const struct values_returned *returned; /* of a result, else NULL */
    const struct recipe_module *module;
    const struct kept_call *kept; /* at an exit, else NULL */
    struct read_stack stack;      /* for a result: begins at the stack pointer after the return */
};

/* The word at a register's distance. */
static inline uint64_t capture_sum(const uint64_t *general, const struct fisql_recipe_value *value)
{
    return general[value->base] + (uint64_t)(int64_t)value->offset;
}

/* Puts a value if it is a number in a word. general: for a result, the registers with which the
 * function returned. */
static inline bool capture_number(struct value_writer *writer, const uint64_t *general,
                                  const struct recipe_number *number)
{
    uint64_t word =
        general[number->base & (VALUES_GENERAL - 1)] + (uint64_t)(int64_t)number->offset;
    if (UNLIKELY(number->where == RECIPE_OTHER || value_room(writer) < VALUE_SCALAR_BYTES))
        return false;
    if (number->where == FISQL_WHERE_MEMORY) { /* not beyond its size: the stack may end there */
        const void *at = (const void *)(uintptr_t)word;
        uint32_t half;
        if (number->unused == 0) {
            memcpy(&word, at, sizeof word);
        } else {
            memcpy(&half, at, sizeof half);
            word = half;
        }
    }
    word <<= number->unused;
    if (number->what == FISQL_WHAT_POINTER)
        value_put_pointer(writer, word);
    else if (number->what == FISQL_WHAT_SIGNED)
        value_put_signed(writer, (int64_t)word >> number->unused);
    else
        value_put_unsigned(writer, word >> number->unused);
    return true;
}

/* What reading a value gave. */
enum found { FOUND, FOUND_NULL, FOUND_ABSENT, FOUND_UNREADABLE };

/* Reads a number of at most 8 bytes, extended by its sign or by zeros. */
enum found capture_word(const struct capture *capture, const struct fisql_recipe_value *value,
                        uint64_t *word);

/* Puts any other value. Returns its end; up to 8 more bytes may be overwritten. */
unsigned char *capture_other(struct value_writer writer, const struct capture *capture,
                             const struct fisql_recipe_value *value);

#endif
