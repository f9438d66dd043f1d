/* Ends what is made for clients that have gone: a thread looks at them ten times a second. */
#ifndef FISQL_CLI_SERVE_WATCH_H
#define FISQL_CLI_SERVE_WATCH_H

#include <stdbool.h>

#include "cli/serve/server.h"

enum { WATCHED_MAX = 256 };

/* Starts the thread. Returns 0, or 2 after saying what is wrong. */
int watch_begin(struct server *server);
void watch_end(void);

/* From now on *stop becomes 1, atomically, when the socket's client has gone or the server ends.
 * False: too many are watched. */
bool watch_add(int socket, int *stop);
void watch_remove(const int *stop);

#endif
