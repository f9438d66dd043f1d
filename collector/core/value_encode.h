/*
 * Encodes values for the log ("Values" in formats/log.h). A writer has room up to a limit. For a
 * value that does not fit, put NO_ROOM: each value to come has a byte reserved for that.
 */
#ifndef FISQL_COLLECTOR_CORE_VALUE_ENCODE_H
#define FISQL_COLLECTOR_CORE_VALUE_ENCODE_H

#include "formats/log.h"

#include <stdbool.h>
#include <string.h>

struct value_writer {
    unsigned char *at;
    unsigned char *limit; /* for the current value */
};

#define VALUE_SCALAR_BYTES 17u /* the longest: an IEEE quad */

static inline size_t value_room(const struct value_writer *writer)
{
    return (size_t)(writer->limit - writer->at);
}

static inline void value_put_tag(struct value_writer *writer, uint32_t tag)
{
    *writer->at++ = (unsigned char)tag;
}

/* Puts a tag and a number's low bytes. This and those below need VALUE_SCALAR_BYTES of room. */
static inline void value_put_number(struct value_writer *writer, uint32_t tag, uint64_t value,
                                    uint32_t bytes)
{
    writer->at[0] = (unsigned char)tag;
    memcpy(writer->at + 1, &value, sizeof value);
    writer->at += 1 + bytes;
}

/* A mostly predicted branch selects small numbers. No processor would predict the other lengths: we
 * compute them. */
static inline void value_put_signed(struct value_writer *writer, int64_t value)
{
    uint64_t small = (uint64_t)value + FISQL_VALUE_INTEGER_BASE;
    if (small <= FISQL_VALUE_INTEGER_LAST) {
        value_put_tag(writer, (uint32_t)small);
        return;
    }
    uint32_t wide = (uint32_t)(value != (int16_t)value) + (uint32_t)(value != (int32_t)value);
    value_put_number(writer, FISQL_VALUE_INTEGER_2 + wide, (uint64_t)value, 2u << wide);
}
_Static_assert(FISQL_VALUE_INTEGER_4 == FISQL_VALUE_INTEGER_2 + 1 &&
                   FISQL_VALUE_INTEGER_8 == FISQL_VALUE_INTEGER_2 + 2,
               "tags follow one another by size");

static inline void value_put_unsigned(struct value_writer *writer, uint64_t value)
{
    if (value > INT64_MAX)
        value_put_number(writer, FISQL_VALUE_UNSIGNED_8, value, 8);
    else
        value_put_signed(writer, (int64_t)value);
}

static inline void value_put_pointer(struct value_writer *writer, uint64_t value)
{
    if (value == 0)
        value_put_tag(writer, FISQL_VALUE_NULL);
    else if (value >> 48 == 0)
        value_put_number(writer, FISQL_VALUE_POINTER_6, value, 6);
    else
        value_put_number(writer, FISQL_VALUE_POINTER_8, value, 8);
}

/* bytes: 4, 8, 10 or 16. */
static inline void value_put_float(struct value_writer *writer, const void *value, uint32_t bytes)
{
    value_put_tag(writer, bytes == 4    ? FISQL_VALUE_FLOAT_4
                          : bytes == 8  ? FISQL_VALUE_FLOAT_8
                          : bytes == 10 ? FISQL_VALUE_FLOAT_10
                                        : FISQL_VALUE_FLOAT_16);
    for (uint32_t i = 0; i < bytes; i++)
        *writer->at++ = ((const unsigned char *)value)[i];
}

static inline void value_put_bytes(struct value_writer *writer, const unsigned char *value,
                                   uint32_t bytes)
{
    if (value_room(writer) < 2 + bytes) {
        value_put_tag(writer, FISQL_VALUE_NO_ROOM);
        return;
    }
    value_put_tag(writer, FISQL_VALUE_BYTES);
    value_put_tag(writer, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        *writer->at++ = value[i];
}

/* Where to write a text, before its length is known. */
#define VALUE_TEXT_SHORT_MAX 63u
#define VALUE_TEXT_HEAD 3u
static inline unsigned char *value_text(struct value_writer *writer)
{
    return writer->at + 1;
}

/* Completes the text written at value_text(). */
static inline void value_put_text(struct value_writer *writer, uint32_t length, bool cut)
{
    if (length <= VALUE_TEXT_SHORT_MAX && !cut) {
        writer->at[0] = (unsigned char)(FISQL_VALUE_TEXT_SHORT + length);
        writer->at += 1 + length;
        return;
    }
    memmove(writer->at + VALUE_TEXT_HEAD, writer->at + 1, length);
    writer->at[0] = cut ? FISQL_VALUE_TEXT_CUT : FISQL_VALUE_TEXT;
    writer->at[1] = (unsigned char)length;
    writer->at[2] = (unsigned char)(length >> 8);
    writer->at += VALUE_TEXT_HEAD + length;
}

#endif
