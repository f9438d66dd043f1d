/* The socket: see listen.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/listen.h"

#include "cli/out/say.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static int listen_unix(struct listening *listening, const char *path, struct guard *guard)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (path[0] == '\0' || strlen(path) >= sizeof name.sun_path)
        return fail("--listen unix:%s: wants a path of 1 to %zu bytes", path,
                    sizeof name.sun_path - 1);
    memcpy(name.sun_path, path, strlen(path));
    mode_t before = umask(0177); /* the socket is its owner's alone */
    int result = bind(listening->socket, (const struct sockaddr *)&name, sizeof name);
    int problem = errno;
    umask(before);
    if (result != 0)
        return fail("--listen unix:%s: %s%s", path, strerror(problem),
                    problem == EADDRINUSE ? ": remove it if no server uses it" : "");
    listening->path = strdup(path);
    guard->loopback = true;
    snprintf(guard->cookie, sizeof guard->cookie, "fisql");
    snprintf(listening->address, sizeof listening->address, "unix:%s?token=%s", path, guard->token);
    return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)address;
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = (const void *)address;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static bool is_any(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)address;
        return four->sin_addr.s_addr == htonl(INADDR_ANY);
    }
    const struct sockaddr_in6 *six = (const void *)address;
    return IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

static int port_of(int socket)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } name = {.six = {0}};
    socklen_t length = sizeof name;
    if (getsockname(socket, &name.any, &length) != 0)
        return 0;
    return ntohs(name.any.sa_family == AF_INET ? name.four.sin_port : name.six.sin6_port);
}

/* Names the address as a URL has it. */
static void name_host(struct listening *listening, const struct sockaddr *address, socklen_t length,
                      struct guard *guard)
{
    char text[100] = "";
    bool six = address->sa_family == AF_INET6;
    int port = port_of(listening->socket);
    guard->port = port;
    guard->loopback = is_loopback(address);
    guard->any = is_any(address);
    if (getnameinfo(address, length, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0)
        snprintf(text, sizeof text, "127.0.0.1");
    snprintf(guard->host, sizeof guard->host, six ? "[%s]" : "%s", text);
    snprintf(guard->cookie, sizeof guard->cookie, "fisql-%d", port);
    snprintf(listening->address, sizeof listening->address, "http://%s:%d/?token=%s",
             guard->any ? "127.0.0.1" : guard->host, port, guard->token);
}

static int listen_address(struct listening *listening, const struct server_options *options,
                          struct guard *guard, const struct addrinfo *found)
{
    int yes = 1;
    setsockopt(listening->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listening->socket, found->ai_addr, found->ai_addrlen) != 0)
        return fail("serve: port %d of %s: %s%s", options->port, options->listen, strerror(errno),
                    errno == EADDRINUSE ? ": choose another one with --port, or none" : "");
    name_host(listening, found->ai_addr, found->ai_addrlen, guard);
    return 0;
}

int listen_begin(struct listening *listening, const struct server_options *options,
                 struct guard *guard)
{
    const char *path = strncmp(options->listen, "unix:", 5) == 0 ? options->listen + 5 : NULL;
    struct addrinfo *found = NULL;
    char port[16];
    snprintf(port, sizeof port, "%d", options->port);
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV | AI_NUMERICHOST,
                                    .ai_socktype = SOCK_STREAM};
    const char *address = strcmp(options->listen, "localhost") == 0 ? "127.0.0.1" : options->listen;
    if (path == NULL && getaddrinfo(address, port, &wanted, &found) != 0)
        return fail("--listen %s: wants an address of this machine, as 127.0.0.1 or ::1, or "
                    "unix:PATH",
                    options->listen);
    listening->socket =
        socket(path != NULL ? AF_UNIX : found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int status = listening->socket < 0 ? fail("serve: %s", strerror(errno))
                 : path != NULL        ? listen_unix(listening, path, guard)
                                       : listen_address(listening, options, guard, found);
    if (found != NULL)
        freeaddrinfo(found);
    if (status == 0 && listen(listening->socket, BACKLOG) != 0)
        status = fail("serve: %s", strerror(errno));
    return status;
}

void listen_end(struct listening *listening)
{
    if (listening->socket >= 0)
        close(listening->socket);
    if (listening->path != NULL)
        unlink(listening->path);
    free(listening->path);
    *listening = (struct listening){.socket = -1};
}

void listen_say(const struct server *server)
{
    if (!server->guard->loopback)
        note("serve: other machines can reach it: whoever knows the address with its token can "
             "read the databases and the sources that they name, and nothing on the way is "
             "encrypted");
    note("serve: Ctrl-C ends it");
}
#else
extern const int listen_is_not_built_in; /* ISO C forbids an empty file */
#endif
