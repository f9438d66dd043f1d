/*
 * The databases that are served, and their read-only connections. One thread at a time has a
 * connection. All databases together have at most CONNECTIONS: each takes some 4.5 MiB for the
 * schema and up to 2 MiB for pages, and what SQLite may have in all (server.c) must hold them and
 * the largest view's making besides (31 MiB, findings), or every answer fails from then on. One that
 * nobody uses gives its pages back; it is closed when another database needs one. A database that
 * another file replaced is opened anew; one that is gone is said to be.
 */
#ifndef FISQL_CLI_SERVE_BASES_H
#define FISQL_CLI_SERVE_BASES_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "cli/serve/server.h"

enum { CONNECTIONS = 4 }; /* open at most, of all databases */

struct base {
    char *path;       /* owned; absolute */
    const char *name; /* its last part */
    sqlite3 *idle[CONNECTIONS];
    int idle_count;
    struct stat file; /* that the idle connections read */
    int64_t version;  /* raised when another file took its place, or it was loaded anew */
    pid_t loader;     /* of a log (follow.h); 0 = none runs */
    struct {          /* what api_about.c keeps of it */
        pthread_mutex_t lock;
        char *text; /* owned; JSON; NULL = not made yet */
        size_t length;
        int64_t version; /* of the base when it was made */
    } schema;
};

/* Opens each once, to check it; of a log, it is loaded first. Returns 0, or 2 after saying what is wrong. Close in any case. */
int bases_open(struct server *server, const char *const *paths, int count);
void bases_close(struct server *server);

/* A connection, to be given back. NULL: *problem says why, a literal. */
sqlite3 *base_take(struct base *base, const char **problem);
void base_give(struct base *base, sqlite3 *database);

/* To be called around taking and giving one for a statement that may take long: it waits while all
 * but one connection are taken so, and leaves that one to quick answers. */
void bases_begin_long(void);
void bases_end_long(void);

/* Which file it is: a number that changes when another one takes its place, or its log was loaded
 * anew. */
int64_t base_version(struct base *base);

/* Is its log being followed? */
bool base_is_live(struct base *base);

#endif
