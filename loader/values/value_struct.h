/* A struct that was passed by value, as text: {a = 1, b = {x = 0.5, y = 2}}. */
#ifndef FISQL_LOADER_VALUES_VALUE_STRUCT_H
#define FISQL_LOADER_VALUES_VALUE_STRUCT_H

#include "loader/log/values.h"
#include "debuginfo/expressions/parameters.h"

#define VALUE_STRUCT_TEXT_MAX 1024

/* The value is VALUE_BYTES. type: NULL = not known. Where its members are not known, do not lie within its
 * bytes, or would take too much text, it is x and the bytes in hexadecimal. */
void value_struct_text(const struct value *value, const struct parameter_type *type,
                       char text[VALUE_STRUCT_TEXT_MAX]);

#endif
