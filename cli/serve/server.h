/*
 * fisql serve: databases in the browser.
 *
 * libmicrohttpd gives each connection a thread, so an answer may wait without holding up others:
 * for the disk, for a slow reader, for a free connection to the database. Quick answers (bases.h)
 * come from read-only connections that are kept open. Those that may take long (query, sql, report)
 * are made by a child, this program again with the arguments of its own commands (child.h): what it
 * prints is the answer, so the two are the same by construction; a limit of its memory and its time
 * bounds it, a damaged database ends the child alone, and a tab that is closed ends it, too.
 *
 * Who may ask (guard.h): whoever knows the token. What is asked for is a line of api.h.
 */
#ifndef FISQL_CLI_SERVE_SERVER_H
#define FISQL_CLI_SERVE_SERVER_H

#include "cli/out/clock.h"
#include <stdbool.h>
#include <stdint.h>

#include "cli/query/query_set.h"

struct base;
struct guard;

struct server {
    struct base *bases; /* owned */
    int bases_count;
    struct guard *guard; /* owned */
    struct query_set queries;
    bool stopping;       /* atomic: answers end */
    int working;         /* atomic: answers that are being made or sent */
    int64_t last_use_ms; /* atomic */
};

struct server_options {
    const char *const *paths; /* of the databases */
    int paths_count;
    const char *listen; /* an address, or unix:PATH */
    int port;           /* 0 = any */
    bool open;          /* the browser */
    int64_t idle_ms;    /* ends when nobody asked for so long; 0 = never */
};

/* Serves until a signal or idleness ends it. Returns 0, or 2 after saying what is wrong. */
int server_run(const struct server_options *options);

/* Milliseconds of a clock that only goes forward. */
static inline int64_t server_now_ms(void)
{
    return clock_ns() / 1000000;
}

#endif
