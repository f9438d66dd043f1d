/*
 * Makes the values of an event (formats/events.h, "Values"), one behind another: of arguments, a
 * result, a counter or a mark. What does not fit is cut, or is there as "there was no room for it".
 */
#ifndef FISQL_LOADER_FOREIGN_PUT_VALUES_H
#define FISQL_LOADER_FOREIGN_PUT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/log.h"

#define PUT_VALUES_MAX 30u      /* in ARGUMENTS */
#define PUT_VALUE_TEXT_MAX 500u /* bytes of a text */

struct put_values {
    unsigned count;
    size_t bytes;
    unsigned char data[FISQL_VALUES_BYTES_MAX + 1];
};

static inline void put_values_clear(struct put_values *values)
{
    values->count = 0;
    values->bytes = 0;
}

/* Each is dropped where there are PUT_VALUES_MAX already. */
void put_integer(struct put_values *values, int64_t value);
void put_unsigned(struct put_values *values, uint64_t value);
void put_pointer(struct put_values *values, uint64_t value);
void put_float(struct put_values *values, double value);
/* A float of 4, 8, 10 or 16 bytes, or with `is_struct` any bytes, 255 at most. */
void put_data(struct put_values *values, const void *data, size_t bytes, bool is_struct);
void put_text(struct put_values *values, const char *text, size_t bytes);
void put_absent(struct put_values *values);

#endif
