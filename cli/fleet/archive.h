/*
 * A run's database as it is kept beside many others: copied without what no query of its rollups needs,
 * and packed by zstd. Memory does not grow with the run.
 */
#ifndef FISQL_CLI_FLEET_ARCHIVE_H
#define FISQL_CLI_FLEET_ARCHIVE_H

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ARCHIVE_PART_BYTES = 1 << 20 };

struct archive {
    char path[PATH_MAX]; /* of the copy, empty where there is none */
    int lock;            /* descriptor that holds its lock, while there is one */
    int64_t bytes;       /* its size */
};

/* Copies the tables of the database into a temporary file. Without `calls`
 * the tables calls, call_values and valued_calls are left empty, as in a database that was loaded with
 * --summary, and of allocs only the blocks stay that other tables name. Returns 0, or 2 after saying what
 * is wrong. Release in both cases. Copies that killed pushes have left are removed. */
int archive_make(struct archive *archive, sqlite3 *database, bool calls);
void archive_release(struct archive *archive);

/* Packs the copy and gives it piece by piece to `put`, numbers from 0 on; *parts becomes how many. */
int archive_pack(const struct archive *archive,
                 int (*put)(void *context, int64_t number, const void *bytes, size_t size_bytes),
                 void *context, int64_t *parts);

/* Unpacks so many parts, which `get` gives (the bytes are freed), into the stream; together they have to
 * give `bytes` bytes. `what` names the run. */
int archive_unpack(int (*get)(void *context, int64_t number, void **bytes, size_t *size_bytes),
                   void *context, int64_t parts, int64_t bytes, const char *what, FILE *out);

/* Makes the views of schema.sql and of the queries in the unpacked file. */
int archive_add_views(const char *path);

#endif
