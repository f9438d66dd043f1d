/*
 * Of store_clickhouse.c and store_clickhouse_answers.c alone: asking the server, with temporary tables of `local` sent
 * along, and answers that become rows of tables of `local`. Each returns 0, or 2 after saying what is wrong.
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

/* SQL whose answer says nothing. */
int clickhouse_tell(struct store *store, const char *sql, bool without_database);

/* What an answer may be. */
struct clickhouse_expected {
    const char *table; /* of `local` that gets the rows */
    bool makes;        /* the table is made, by the answer's types */
    const char
        *names_sql; /* a SELECT whose column `local` has the names that the answer has to have */
    size_t rows_max;
};

/* More are not needed of runs that one machine can ask about. */
#define CLICKHOUSE_ROWS_MAX ((size_t)100000000)

/* Puts the answer into a table of `local`. The tables are sent along. */
int clickhouse_receive(struct store *store, const struct clickhouse_expected *expected,
                       const char *sql, const struct http_table *tables, size_t tables_count);

/* The same with the temporary table `sent` alone. */
int clickhouse_receive_with(struct store *store, const struct clickhouse_expected *expected,
                            const char *sql, const char *sent);

/* The temporary table as it is sent along: its rows, and its columns of integers and of text. Release both. */
int clickhouse_pack(struct store *store, const char *name, struct row_binary *rows,
                    char **structure);

#endif
