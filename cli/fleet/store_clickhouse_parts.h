/*
 * For store_clickhouse.c and store_clickhouse_answers.c only: queries to the server, which carry
 * temporary tables of `local` along, and answers that become rows of tables of `local`. Each
 * function returns 0, or 2 after saying what is wrong.
 */
#ifndef FISQL_CLI_FLEET_STORE_CLICKHOUSE_PARTS_H
#define FISQL_CLI_FLEET_STORE_CLICKHOUSE_PARTS_H

#include "cli/clickhouse/http.h"
#include "cli/clickhouse/row_binary.h"
#include "cli/fleet/store.h"

#include <stdbool.h>
#include <stddef.h>

int clickhouse_local_problem(const struct store *store);

int clickhouse_ask(struct store *store, const struct http_request *request);

/* Runs SQL whose answer we ignore. */
int clickhouse_tell(struct store *store, const char *sql, bool without_database);

/* What we expect of an answer. */
struct clickhouse_expected {
    const char *table; /* the table of `local` that gets the rows */
    bool makes;        /* make the table, with the answer's types */
    /* a SELECT whose columns in `local` have the names that the answer must have */
    const char *names_sql;
    size_t rows_max;
};

/* One machine needs no more rows to ask about its runs. */
#define CLICKHOUSE_ROWS_MAX ((size_t)100000000)

/* Puts the answer into a table of `local`. Sends the tables along. */
int clickhouse_receive(struct store *store, const struct clickhouse_expected *expected,
                       const char *sql, const struct http_table *tables, size_t tables_count);

/* The same, sending along the one temporary table `sent`. */
int clickhouse_receive_with(struct store *store, const struct clickhouse_expected *expected,
                            const char *sql, const char *sent);

/* Packs the temporary table for sending: its rows, and its columns of integers and text. The
 * caller releases both. */
int clickhouse_pack(struct store *store, const char *name, struct row_binary *rows,
                    char **structure);

#endif
