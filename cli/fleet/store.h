/*
 * Where we keep many runs: in an SQLite file (cli/fleet/schema_fleet.sql) or on a ClickHouse
 * server. Both have the same tables and columns, and we ask both with SQL that both understand.
 *
 * Asking: store_open() makes `local`, an SQLite connection that has `runs`, and `labels` after
 * store_look_labels(). store_gather() runs SQL where the rows are and puts the result into a
 * temporary table of `local`, where we work out the rest.
 *
 * Pushing: store_begin(), rows, parts, store_commit(). Before the commit nobody sees anything of
 * the run.
 */
#ifndef FISQL_CLI_FLEET_STORE_H
#define FISQL_CLI_FLEET_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* Each returns 0, or 2 after saying what is wrong. */
struct store_engine {
    int (*open)(struct store *store, bool writes);
    int (*make)(struct store *store);
    int (*look)(struct store *store, const char *run);
    int (*begin)(struct store *store);
    int (*rows)(struct store *store, const char *table, sqlite3_stmt *rows);
    int (*part)(struct store *store, int64_t number, const void *bytes, size_t size_bytes);
    int (*commit)(struct store *store);
    void (*abandon)(struct store *store);
    int (*look_all)(struct store *store);
    int (*look_labels)(struct store *store);
    int (*look_set)(struct store *store, const char *set);
    int (*fold)(struct store *store, int64_t batch_id);
    int (*gather)(struct store *store, const char *name, const char *sql, const char *uses);
    int (*read_part)(struct store *store, int64_t run_id, int64_t number, void **bytes,
                     size_t *size_bytes);
    void (*close)(struct store *store);
};

struct store {
    const struct store_engine *engine;
    const char *url;     /* borrowed: the file or the server */
    const char *cluster; /* of a server, borrowed; NULL = that server alone */
    sqlite3 *local;
    int64_t run_id;   /* of the run that is being pushed */
    void *connection; /* the engine's own */
};

/* Opens the file, or the server if `url` begins with http:// or https://. With `writes`, makes
 * it and its tables if they are missing, on the cluster of that name if one is given. Close in
 * any case. */
int store_open(struct store *store, const char *url, const char *cluster, bool writes);
void store_close(struct store *store);

/* Only makes the file, or the tables on this one server. Each shard of a cluster needs this
 * before the first push to the cluster. Close in any case. */
int store_make(struct store *store, const char *url, const char *cluster);

/* While writing: fills `runs` and `labels` with the rows of that run. */
int store_look(struct store *store, const char *run);

/* Begins a push with a new run_id. Keeps other pushes out if the engine can. */
int store_begin(struct store *store);

/* Adds all rows of the statement to that table as the run's; matches columns by name. Resets the
 * statement. */
int store_rows(struct store *store, const char *table, sqlite3_stmt *rows);

/* Adds a row to the table parts. */
int store_part(struct store *store, int64_t number, const void *bytes, size_t size_bytes);

/* Makes the whole run visible. */
int store_commit(struct store *store);

/* Drops the begun push: nobody sees anything of it. Does nothing if no push was begun. */
void store_abandon(struct store *store);

/* While writing: fills `runs`, `labels` and `batches` with all rows. */
int store_look_all(struct store *store);

/* While asking: fills `labels` with all labels, or adds those that the set means by VALUE or
 * KEY=VALUE. */
int store_look_labels(struct store *store);
int store_look_set(struct store *store, const char *set);

/* Sums up the runs of the temporary table folding(run_id) as that batch (queries/fold/). Queries
 * read the sums only once all of them are stored. */
int store_fold(struct store *store, int64_t batch_id);

/* Makes the temporary table `name` from the rows of the SQL. The SQL may read the tables of many
 * runs and the temporary tables in `uses`, words separated by spaces. It must give no rows if
 * the first of these is empty. */
int store_gather(struct store *store, const char *name, const char *sql, const char *uses);

/* Reads a part; the caller frees its bytes. */
int store_read_part(struct store *store, int64_t run_id, int64_t number, void **bytes,
                    size_t *size_bytes);

/* The engines. */
extern const struct store_engine store_sqlite, store_clickhouse;

/* The version of the tables, in both. */
enum { STORE_VERSION = 2 };

/* Do the rows of the table belong to no single run? A push then keeps a row that is there
 * already. */
bool store_is_common(const char *table);

#endif
