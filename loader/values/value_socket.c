/* See value_socket.h. The bytes are from the program, and may be any. */
#include "loader/values/value_socket.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "debuginfo/expressions/flag_names.h"
#include "formats/recipe.h"

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

static const char *family_name(sa_family_t family)
{
    for (const struct flag_name *at = flag_names; at->name != NULL; at++)
        if (at->value == family && strncmp(at->name, "AF_", 3) == 0)
            return at->name;
    return NULL;
}

/* The path, of which the log has the first bytes alone. */
static void unix_text(const struct value *value, char *text)
{
    const unsigned char *path = value->data + PATH_AT;
    size_t bytes = value->bytes > PATH_AT ? value->bytes - PATH_AT : 0;
    bool abstract = bytes > 0 && path[0] == 0;
    bool cut = value->bytes == FISQL_RECIPE_BYTES_MAX;
    size_t used = (size_t)sprintf(text, "{AF_UNIX, %s", abstract ? "@" : "\"");
    for (size_t i = abstract; i < bytes; i++) {
        if (!abstract && path[i] == 0) {
            cut = false;
            break;
        }
        bool plain = path[i] >= ' ' && path[i] < 0x7f && path[i] != '"' && path[i] != '\\';
        used += (size_t)sprintf(text + used, plain ? "%c" : "\\x%02x", path[i]);
    }
    sprintf(text + used, "%s%s}", abstract ? "" : "\"", cut ? "..." : "");
}

void value_socket_text(const struct value *value, char text[VALUE_STRUCT_TEXT_MAX])
{
    _Static_assert(4 * FISQL_RECIPE_BYTES_MAX + 64 < VALUE_STRUCT_TEXT_MAX, "any path fits");
    char host[INET6_ADDRSTRLEN];
    sa_family_t family = AF_UNSPEC;
    if (value->bytes == 0) {
        strcpy(text, "NULL");
        return;
    }
    if (value->bytes >= sizeof family)
        memcpy(&family, value->data, sizeof family);
    if (family == AF_INET && value->bytes >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in address;
        memcpy(&address, value->data, sizeof address);
        inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
        sprintf(text, "{AF_INET, %s:%u}", host, ntohs(address.sin_port));
    } else if (family == AF_INET6 && value->bytes >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 address;
        memcpy(&address, value->data, sizeof address);
        inet_ntop(AF_INET6, &address.sin6_addr, host, sizeof host);
        sprintf(text, "{AF_INET6, [%s]:%u}", host, ntohs(address.sin6_port));
    } else if (family == AF_UNIX && value->bytes <= FISQL_RECIPE_BYTES_MAX) {
        unix_text(value, text);
    } else if (family_name(family) != NULL && value->bytes >= sizeof family) {
        sprintf(text, "{%s}", family_name(family));
    } else {
        value_struct_text(value, NULL, text);
    }
}
