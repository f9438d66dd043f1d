/*
 * The databases that are served, and their read-only connections. One thread at a time has a
 * connection; a few are kept open, with little memory each. A database that another file replaced is
 * opened anew; one that is gone is said to be.
 */
#ifndef FISQL_CLI_SERVE_BASES_H
#define FISQL_CLI_SERVE_BASES_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "cli/serve/server.h"

enum { BASE_CONNECTIONS = 6 }; /* kept open of each database, and made at most */

struct base {
    char *path;       /* owned; absolute */
    const char *name; /* its last part */
    pthread_mutex_t lock;
    pthread_cond_t given; /* a connection came back */
    sqlite3 *idle[BASE_CONNECTIONS];
    int idle_count, taken;
    struct stat file; /* that the idle connections read */
    int64_t version;  /* raised when another file took its place, or it was loaded anew */
    pid_t loader;     /* of a log (follow.h); 0 = none runs */
};

/* Opens each once, to check it; of a log, it is loaded first. Returns 0, or 2 after saying what is wrong. Close in any case. */
int bases_open(struct server *server, const char *const *paths, int count);
void bases_close(struct server *server);

/* A connection, to be given back. NULL: *problem says why, a literal. */
sqlite3 *base_take(struct base *base, const char **problem);
void base_give(struct base *base, sqlite3 *database);

/* Which file it is: a number that changes when another one takes its place, or its log was loaded
 * anew. */
int64_t base_version(struct base *base);

/* Is its log being followed? */
bool base_is_live(struct base *base);

#endif
