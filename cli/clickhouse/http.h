/*
 * HTTP to a ClickHouse server, by libcurl. We open the library when it is first needed: commands
 * that use no server start as fast as before and work without libcurl.
 *
 * User and password come from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, else from a netrc file
 * ($NETRC, else ~/.netrc), else we use ClickHouse's default user. We verify https by the system's
 * certificates or those in SSL_CERT_FILE. If we cannot reach a server, we try again for some
 * seconds.
 *
 * Every request ends, whatever the server does. We bound the answer's bytes, its headers' bytes and
 * its time: the server may be (almost) silent for FISQL_SERVER_SECONDS (300), and request and
 * answer together may take HTTP_WHOLE_FACTOR times as long. We follow no redirects and unpack
 * nothing.
 */
#ifndef FISQL_CLI_CLICKHOUSE_HTTP_H
#define FISQL_CLI_CLICKHOUSE_HTTP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;

/* Does not connect yet. `url`: http://HOST:PORT/DATABASE, or https. Returns NULL with the error. */
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

/* The largest answer with rows, and the largest that only reports success. */
#define HTTP_ANSWER_BYTES_MAX ((int64_t)8 << 30)
#define HTTP_SHORT_BYTES_MAX ((int64_t)1 << 20)

enum { HTTP_WHOLE_FACTOR = 12 };

struct http_request {
    const char *query;     /* SQL, made from no data */
    bool without_database; /* for the query that makes the database */
    const char *settings;  /* NAME=VALUE&..., NULL = none */
    const void *body;      /* of an INSERT, NULL = none. http_send() packs it */
    size_t body_bytes;
    const struct http_table *tables;
    size_t tables_count;
    /* Takes the answer piece by piece. Returns 0, or -1 with the error. NULL = we want no
     * answer. */
    int (*take)(void *context, const char *bytes, size_t size_bytes, struct error *error);
    void *context;
};

/* Sends the request and waits for the answer. Returns 0, or -1 with the error. *code becomes the
 * number of ClickHouse's exception, 0 for any other error. */
int http_send(struct http *http, const struct http_request *request, int *code,
              struct error *error);

#endif
