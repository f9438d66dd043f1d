/*
 * Where many runs are kept: an SQLite file (cli/fleet/schema_fleet.sql), or a ClickHouse server. The same tables
 * with the same columns; what is asked of them is SQL that both understand.
 *
 * Asking: store_open() makes `local`, an SQLite connection in which `runs` can be read, and `labels` from
 * store_look_labels() on.
 * store_gather() runs SQL where the rows are and puts the result into a temporary table of `local`;
 * what comes of that is worked out there.
 *
 * Pushing: store_begin(), rows, parts, store_commit(). Until that, nothing of the run is seen by anybody.
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

/* The file, or the server where `url` begins with http:// or https://; writes: make it and its tables
 * where they are missing, over the `cluster` of that name, if one is given. Close in any case. */
int store_open(struct store *store, const char *url, const char *cluster, bool writes);
void store_close(struct store *store);

/* Only makes the file, or the tables on this server: on each shard of a cluster, before anything is pushed
 * over it. Close in any case. */
int store_make(struct store *store, const char *url, const char *cluster);

/* While writing: `runs` and `labels` have what there is of that run. */
int store_look(struct store *store, const char *run);

/* No other push comes in between, where the engine can see to it; run_id is a new one. */
int store_begin(struct store *store);

/* All rows of the statement become rows of the run in that table; columns by name. The statement is
 * reset. */
int store_rows(struct store *store, const char *table, sqlite3_stmt *rows);

/* A row of the table parts. */
int store_part(struct store *store, int64_t number, const void *bytes, size_t size_bytes);

/* The run is there, whole. */
int store_commit(struct store *store);

/* It is not: nothing of it is seen. Does nothing where no push was begun. */
void store_abandon(struct store *store);

/* While writing: `runs`, `labels` and `batches` have all that there is. */
int store_look_all(struct store *store);

/* While asking: `labels` has all labels; or those too whose VALUE or KEY=VALUE the set is. */
int store_look_labels(struct store *store);
int store_look_set(struct store *store, const char *set);

/* Sums up the runs of the temporary table folding(run_id) as that batch (queries/fold/). They are read
 * from the moment on when all is there. */
int store_fold(struct store *store, int64_t batch_id);

/* Makes the temporary table `name` of the rows that the SQL gives. It may read the tables of many runs,
 * and the temporary tables that `uses` names, words separated by spaces. Where the first of these is
 * empty the SQL has to give no rows. */
int store_gather(struct store *store, const char *name, const char *sql, const char *uses);

/* The bytes of a part; the caller frees. */
int store_read_part(struct store *store, int64_t run_id, int64_t number, void **bytes,
                    size_t *size_bytes);

/* The engines. */
extern const struct store_engine store_sqlite, store_clickhouse;

/* The version of the tables, in both. */
enum { STORE_VERSION = 2 };

/* Are the table's rows not one run's? One that is there already stays. */
bool store_is_common(const char *table);

#endif
