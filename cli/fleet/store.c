/* Many runs, wherever they are: see store.h. */
#include "cli/fleet/store.h"

int store_open(struct store *store, const char *url, bool writes)
{
    *store = (struct store){.engine = &store_sqlite, .url = url};
    return store->engine->open(store, writes);
}

void store_close(struct store *store)
{
    if (store->engine != NULL)
        store->engine->close(store);
    *store = (struct store){0};
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
