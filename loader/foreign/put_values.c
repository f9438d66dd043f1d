/* Makes values: see put_values.h. */
#include "loader/foreign/put_values.h"

#include <string.h>

/* Each value that may still come takes a byte at least. */
static size_t room(const struct put_values *values)
{
    size_t kept = PUT_VALUES_MAX - values->count;
    return FISQL_VALUES_BYTES_MAX - values->bytes - (kept > 0 ? kept - 1 : 0);
}

/* A tag and its bytes; a tag that says so where there is no room. */
static void put(struct put_values *values, unsigned tag, const void *data, size_t bytes)
{
    if (values->count == PUT_VALUES_MAX)
        return;
    if (1 + bytes > room(values)) {
        tag = FISQL_VALUE_NO_ROOM;
        bytes = 0;
    }
    values->data[values->bytes++] = (unsigned char)tag;
    if (bytes > 0)
        memcpy(values->data + values->bytes, data, bytes);
    values->bytes += bytes;
    values->count++;
}

void put_integer(struct put_values *values, int64_t value)
{
    if (value >= -FISQL_VALUE_INTEGER_BASE &&
        value <= (int64_t)FISQL_VALUE_INTEGER_LAST - FISQL_VALUE_INTEGER_BASE)
        put(values, (unsigned)(value + FISQL_VALUE_INTEGER_BASE), NULL, 0);
    else if (value >= INT16_MIN && value <= INT16_MAX)
        put(values, FISQL_VALUE_INTEGER_2, &value, 2);
    else if (value >= INT32_MIN && value <= INT32_MAX)
        put(values, FISQL_VALUE_INTEGER_4, &value, 4);
    else
        put(values, FISQL_VALUE_INTEGER_8, &value, 8);
}

void put_unsigned(struct put_values *values, uint64_t value)
{
    if (value <= INT64_MAX)
        put_integer(values, (int64_t)value);
    else
        put(values, FISQL_VALUE_UNSIGNED_8, &value, 8);
}

void put_pointer(struct put_values *values, uint64_t value)
{
    if (value == 0)
        put(values, FISQL_VALUE_NULL, NULL, 0);
    else
        put(values, FISQL_VALUE_POINTER_8, &value, 8);
}

void put_float(struct put_values *values, double value)
{
    put(values, FISQL_VALUE_FLOAT_8, &value, sizeof value);
}

void put_data(struct put_values *values, const void *data, size_t bytes, bool is_struct)
{
    unsigned char counted[256];
    if (!is_struct) {
        unsigned tag = bytes == 4    ? FISQL_VALUE_FLOAT_4
                       : bytes == 8  ? FISQL_VALUE_FLOAT_8
                       : bytes == 10 ? FISQL_VALUE_FLOAT_10
                       : bytes == 16 ? FISQL_VALUE_FLOAT_16
                                     : FISQL_VALUE_ABSENT;
        put(values, tag, data, tag != FISQL_VALUE_ABSENT ? bytes : 0);
        return;
    }
    if (bytes > 255) {
        put(values, FISQL_VALUE_NO_ROOM, NULL, 0);
        return;
    }
    counted[0] = (unsigned char)bytes;
    memcpy(counted + 1, data, bytes);
    put(values, FISQL_VALUE_BYTES, counted, bytes + 1);
}

void put_text(struct put_values *values, const char *text, size_t bytes)
{
    unsigned char counted[2 + PUT_VALUE_TEXT_MAX];
    size_t left = room(values), kept = bytes;
    if (bytes <= 63 && bytes + 1 <= left) {
        put(values, FISQL_VALUE_TEXT_SHORT + (unsigned)bytes, text, bytes);
        return;
    }
    if (kept > PUT_VALUE_TEXT_MAX)
        kept = PUT_VALUE_TEXT_MAX;
    if (kept + 3 > left)
        kept = left > 3 ? left - 3 : 0;
    counted[0] = (unsigned char)kept;
    counted[1] = (unsigned char)(kept >> 8);
    if (kept > 0)
        memcpy(counted + 2, text, kept);
    put(values, kept < bytes ? FISQL_VALUE_TEXT_CUT : FISQL_VALUE_TEXT, counted, kept + 2);
}

void put_absent(struct put_values *values)
{
    put(values, FISQL_VALUE_ABSENT, NULL, 0);
}
