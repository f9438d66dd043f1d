/* A struct passed by value as text: {a = 1, b = {x = 0.5, y = 2}}. */
#ifndef FISQL_LOADER_VALUES_VALUE_STRUCT_H
#define FISQL_LOADER_VALUES_VALUE_STRUCT_H

#include "loader/log/values.h"
#include "debuginfo/expressions/parameters.h"

#define VALUE_STRUCT_TEXT_MAX 1024

/* value: VALUE_BYTES; type: NULL = not known. If the members are not known, lie outside of the
 * bytes, or take too much text, the text is x and the bytes in hexadecimal. */
void value_struct_text(const struct value *value, const struct parameter_type *type,
                       char text[VALUE_STRUCT_TEXT_MAX]);

#endif
