/* Who may ask: see guard.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/guard.h"

#include "cli/out/say.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

int guard_begin(struct guard *guard)
{
    unsigned char bytes[(GUARD_TOKEN_MAX - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fail("serve: no random numbers for a token: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(guard->token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* In a time that does not tell how much of it is right. */
static bool is_token(const struct guard *guard, const char *text)
{
    size_t length = strlen(guard->token);
    unsigned char differs = 0;
    if (text == NULL || strlen(text) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        differs |= (unsigned char)(text[i] ^ guard->token[i]);
    return differs == 0;
}

/* "name", "name:port" or "[address]:port" to the name. Returns whether the port is ours. */
static bool split_host(const struct guard *guard, const char *host, char *name, size_t size)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
    if (host[0] == '[' && end != NULL)
        end++;
    size_t length = end != NULL ? (size_t)(end - host) : strlen(host);
    char port[16];
    snprintf(port, sizeof port, ":%d", guard->port);
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), host);
    return length < size &&
           (end == NULL || *end == '\0' ? guard->port == 80 : strcmp(end, port) == 0);
}

static bool is_address(const char *name)
{
    struct in6_addr address;
    char plain[256];
    snprintf(plain, sizeof plain, "%s", name[0] == '[' ? name + 1 : name);
    plain[strcspn(plain, "]")] = '\0';
    return inet_pton(name[0] == '[' ? AF_INET6 : AF_INET, plain, &address) == 1;
}

/* Names of others lead here at their owners' will; addresses and our own name do not. */
static bool is_our_host(const struct guard *guard, const char *host)
{
    char name[256], own[256] = "";
    if (guard->host[0] == '\0')
        return true;
    if (host == NULL || !split_host(guard, host, name, sizeof name))
        return false;
    if (strcasecmp(name, guard->host) == 0)
        return true;
    if (guard->loopback || guard->any)
        if (strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
            strcmp(name, "[::1]") == 0)
            return true;
    if (!guard->any)
        return false;
    return is_address(name) ||
           (gethostname(own, sizeof own - 1) == 0 && strcasecmp(name, own) == 0);
}

static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return host != NULL && strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

/* Browsers say where a request comes from: to follow a link of another page to ours is all right. */
static bool is_from_elsewhere(struct MHD_Connection *connection)
{
    const char *site = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    const char *mode = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Mode");
    return site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 &&
           (mode == NULL || strcmp(mode, "navigate") != 0);
}

enum guard_answer guard_check(const struct guard *guard, struct MHD_Connection *connection)
{
    const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    static const char bearer[] = "Bearer ";
    if (!is_our_host(guard, host) || is_from_elsewhere(connection) ||
        (origin != NULL && !is_own_origin(origin, host)))
        return GUARD_FOREIGN;
    const char *given = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (given != NULL && strncmp(given, bearer, sizeof bearer - 1) == 0 &&
        is_token(guard, given + sizeof bearer - 1))
        return GUARD_PASS;
    if (is_token(guard, mhd.lookup_connection_value(connection, MHD_COOKIE_KIND, guard->cookie)))
        return GUARD_PASS;
    if (is_token(guard, mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token")))
        return GUARD_BY_ADDRESS;
    return GUARD_STRANGER;
}
#else
extern const int guard_is_not_built_in; /* ISO C forbids an empty file */
#endif
