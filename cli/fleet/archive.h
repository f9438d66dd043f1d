/*
 * A run's database as we keep it beside many others: copied without the rows that no query over
 * rollups needs, and packed with zstd. Memory use does not grow with the run.
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
    char path[PATH_MAX]; /* of the copy; empty = there is none */
    int lock;            /* descriptor that holds the lock on the copy */
    int64_t bytes;       /* the copy's size */
};

/* Copies the tables of the database into a temporary file. Without `calls`, leaves calls,
 * call_values and valued_calls empty, as `--summary` does, and keeps of allocs only the blocks
 * that other tables name. Also removes the copies of killed pushes. Returns 0, or 2 after saying
 * what is wrong. Release in both cases. */
int archive_make(struct archive *archive, sqlite3 *database, bool calls);
void archive_release(struct archive *archive);

/* Packs the copy and gives it piece by piece to `put`, numbered from 0. *parts becomes their
 * count. */
int archive_pack(const struct archive *archive,
                 int (*put)(void *context, int64_t number, const void *bytes, size_t size_bytes),
                 void *context, int64_t *parts);

/* Unpacks `parts` parts from `get` into the stream and frees their bytes. Fails unless they give
 * `bytes` bytes together. `what` names the run. */
int archive_unpack(int (*get)(void *context, int64_t number, void **bytes, size_t *size_bytes),
                   void *context, int64_t parts, int64_t bytes, const char *what, FILE *out);

/* Makes the views of schema.sql and of the queries in the unpacked file. */
int archive_add_views(const char *path);

#endif
