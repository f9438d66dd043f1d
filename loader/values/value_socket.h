/* A socket's address (struct sockaddr) as text: {AF_INET, 127.0.0.1:80}, {AF_INET6, [::1]:80},
 * {AF_UNIX, "/run/x"}, {AF_UNIX, @abstract}. */
#ifndef FISQL_LOADER_VALUES_VALUE_SOCKET_H
#define FISQL_LOADER_VALUES_VALUE_SOCKET_H

#include "loader/log/values.h"
#include "loader/values/value_struct.h"

/* value: VALUE_BYTES, of which all may be there, or only the first; none: NULL. Bytes that make no
 * address are shown in hexadecimal. */
void value_socket_text(const struct value *value, char text[VALUE_STRUCT_TEXT_MAX]);

#endif
