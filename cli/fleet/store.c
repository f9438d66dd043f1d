/* Many runs, wherever they are: see store.h. */
#include "cli/fleet/store.h"

#include "cli/out/say.h"

#include <string.h>

bool store_is_common(const char *table)
{
    return strcmp(table, "names") == 0 || strcmp(table, "stacks") == 0;
}

static int choose_engine(struct store *store, const char *url, const char *cluster)
{
    bool server = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    *store = (struct store){.url = url, .cluster = cluster};
    if (cluster != NULL && !server)
        return fail("--cluster %s: is for a ClickHouse server, http://HOST:PORT/DATABASE", cluster);
    store->engine = server ? &store_clickhouse : &store_sqlite;
    return 0;
}

int store_open(struct store *store, const char *url, const char *cluster, bool writes)
{
    int status = choose_engine(store, url, cluster);
    return status == 0 ? store->engine->open(store, writes) : status;
}

int store_make(struct store *store, const char *url, const char *cluster)
{
    int status = choose_engine(store, url, cluster);
    return status == 0 ? store->engine->make(store) : status;
}

void store_close(struct store *store)
{
    if (store->engine != NULL)
        store->engine->close(store);
    *store = (struct store){0};
}

int store_look(struct store *store, const char *run)
{
    return store->engine->look(store, run);
}

int store_look_all(struct store *store)
{
    return store->engine->look_all(store);
}

int store_look_labels(struct store *store)
{
    return store->engine->look_labels(store);
}

int store_look_set(struct store *store, const char *set)
{
    return store->engine->look_set(store, set);
}

int store_fold(struct store *store, int64_t batch_id)
{
    return store->engine->fold(store, batch_id);
}

int store_begin(struct store *store)
{
    return store->engine->begin(store);
}

int store_rows(struct store *store, const char *table, sqlite3_stmt *rows)
{
    return store->engine->rows(store, table, rows);
}

int store_part(struct store *store, int64_t number, const void *bytes, size_t size_bytes)
{
    return store->engine->part(store, number, bytes, size_bytes);
}

int store_commit(struct store *store)
{
    return store->engine->commit(store);
}

void store_abandon(struct store *store)
{
    if (store->engine != NULL)
        store->engine->abandon(store);
}

int store_gather(struct store *store, const char *name, const char *sql, const char *uses)
{
    return store->engine->gather(store, name, sql, uses);
}

int store_read_part(struct store *store, int64_t run_id, int64_t number, void **bytes,
                    size_t *size_bytes)
{
    return store->engine->read_part(store, run_id, number, bytes, size_bytes);
}
