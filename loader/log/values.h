/*
 * Reads the values of ARGUMENTS and RESULT events, one after another (formats/log.h, "Values").
 * They describe themselves; what they mean to a reader, such as the name of an enumerator, is
 * another's business (loader/values).
 *
 * Nothing is trusted: an unknown tag, or a length beyond the end, is refused. event_next() has read
 * the values of the events that it gives once, so whoever reads those again meets neither.
 */
#ifndef FISQL_LOADER_LOG_VALUES_H
#define FISQL_LOADER_LOG_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_type {
    VALUE_INTEGER,    /* bits: an int64_t */
    VALUE_UNSIGNED,   /* bits: above INT64_MAX */
    VALUE_POINTER,    /* bits; NULL is 0 */
    VALUE_FLOAT,      /* data: 4, 8, 10 (x87's) or 16 bytes (IEEE quad), the low byte first */
    VALUE_BYTES,      /* data: a struct by value */
    VALUE_TEXT,       /* data, not terminated; it may hold any bytes */
    VALUE_TEXT_CUT,   /* data: the first bytes of a longer text */
    VALUE_ABSENT,     /* its place was not known */
    VALUE_UNREADABLE, /* its address could not be read */
    VALUE_NO_ROOM     /* there was no room for it */
};

struct value {
    enum value_type type;
    uint32_t bytes;
    uint64_t bits;
    const unsigned char *data; /* borrowed from the event */
};

/* Reads the value at *at and moves *at behind it. False: there is no value. */
bool value_read(const unsigned char **at, const unsigned char *end, struct value *value);

static inline bool value_is_missing(const struct value *value)
{
    return value->type >= VALUE_ABSENT;
}

/* A float as a double. False where no double is the same (nan, too), and *out is not set. */
bool value_double(const struct value *value, double *out);

/* A float as text that reads back the same: "nan", "-inf", "1.5e-3000". */
#define VALUE_FLOAT_TEXT_MAX 64
void value_float_text(const struct value *value, char text[VALUE_FLOAT_TEXT_MAX]);

#endif
