/*
 * Who may ask. A request has to know the token that fisql prints: in the address that it prints
 * (?token=), which sets a cookie for the browser, or as `Authorization: Bearer TOKEN`. Host has to be
 * the address that we listen on, so a foreign name that leads here (DNS rebinding) does not help a
 * page of somebody else; Origin, where it is sent, has to be our own page.
 */
#ifndef FISQL_CLI_SERVE_GUARD_H
#define FISQL_CLI_SERVE_GUARD_H

#include "cli/serve/mhd_library.h"

#include <stdbool.h>

enum { GUARD_TOKEN_MAX = 33 };

struct guard {
    char token[GUARD_TOKEN_MAX];
    char cookie[32]; /* its name: cookies of all ports of a host go to each of them */
    char host[160];  /* the address, as in a URL; empty: a UNIX socket, which has none */
    int port;
    bool loopback; /* it is reached from this machine alone */
    bool any;      /* it listens on all addresses of the machine */
};

/* Makes the token. Returns 0, or 2 after saying what is wrong. */
int guard_begin(struct guard *guard);

enum guard_answer { GUARD_PASS, GUARD_BY_ADDRESS, GUARD_FOREIGN, GUARD_STRANGER };

/* GUARD_BY_ADDRESS: it passes by the token in its address. GUARD_FOREIGN: for another host, or from
 * another page. GUARD_STRANGER: it does not know the token. */
enum guard_answer guard_check(const struct guard *guard, struct MHD_Connection *connection);

#endif
