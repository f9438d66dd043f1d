/*
 * HTTP to a ClickHouse server, by libcurl. The library is opened when it is first needed: what speaks to
 * no server starts as fast as before, and works where libcurl is not installed.
 *
 * User and password: CLICKHOUSE_USER and CLICKHOUSE_PASSWORD of the environment, else a netrc file
 * ($NETRC, else ~/.netrc), else ClickHouse's default user. https is verified, by the system's
 * certificates or those in SSL_CERT_FILE. A server that cannot be reached is tried again, for some seconds.
 *
 * Whatever a server does, a request ends: its answer is bounded in bytes, in the bytes of its headers and in
 * time. FISQL_SERVER_SECONDS (300) is how long it may be silent or all but silent, HTTP_WHOLE_FACTOR times
 * as long it may take from being sent to its answer's end. Redirects are not followed, nothing is unpacked.
 */
#ifndef FISQL_CLI_CLICKHOUSE_HTTP_H
#define FISQL_CLI_CLICKHOUSE_HTTP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;

/* Opens nothing yet. `url`: http://HOST:PORT/DATABASE, or https. Returns NULL with the error. */
struct http *http_open(const char *url, struct error *error);
void http_close(struct http *http);

/* The database of the URL. */
const char *http_database(const struct http *http);

/* Rows that a query can read as a table. */
struct http_table {
    const char *name, *structure; /* "run_id Int64, side Int64" */
    const void *bytes;            /* in RowBinary */
    size_t size_bytes;
};

/* All rows that may be asked for; an answer that is only to say that all is well. */
#define HTTP_ANSWER_BYTES_MAX ((int64_t)8 << 30)
#define HTTP_SHORT_BYTES_MAX ((int64_t)1 << 20)

enum { HTTP_WHOLE_FACTOR = 12 };

struct http_request {
    const char *query;     /* SQL; nothing of it comes from data */
    bool without_database; /* it makes it */
    const char *settings;  /* NAME=VALUE&..., NULL = none */
    const void *body;      /* of an INSERT, NULL = none. It is sent packed */
    size_t body_bytes;
    const struct http_table *tables;
    size_t tables_count;
    /* Takes the answer piece by piece; returns 0, or -1 with the error. NULL = no answer is wanted. */
    int (*take)(void *context, const char *bytes, size_t size_bytes, struct error *error);
    void *context;
};

/* Sends the request and waits for the answer. Returns 0, or -1 with the error; *code becomes the number of
 * ClickHouse's exception, 0 where it is another error. */
int http_send(struct http *http, const struct http_request *request, int *code,
              struct error *error);

#endif
