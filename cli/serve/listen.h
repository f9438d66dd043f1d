/* The socket that `fisql serve` listens on, and what it says of it. */
#ifndef FISQL_CLI_SERVE_LISTEN_H
#define FISQL_CLI_SERVE_LISTEN_H

#include "cli/serve/guard.h"
#include "cli/serve/server.h"

struct listening {
    int socket;        /* -1 = none */
    char *path;        /* of a UNIX socket, to be removed; owned; NULL = none */
    char address[256]; /* with the token */
};

/* Listens, and fills in the guard's host, port and cookie. Returns 0, or 2 after saying what is
 * wrong. End in any case. */
int listen_begin(struct listening *listening, const struct server_options *options,
                 struct guard *guard);
void listen_end(struct listening *listening);

/* Says who can reach it, where that is not this machine alone, and how to end it. */
void listen_say(const struct server *server);

#endif
