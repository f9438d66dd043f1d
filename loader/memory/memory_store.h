/*
 * Where encoded events are kept until memory_pair: in memory up to a limit over all threads, then
 * in a temporary file without a name in the database's folder.
 *
 * Zero-initialised is empty and may be released. memory_store_put is safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_STORE_H
#define FISQL_LOADER_MEMORY_MEMORY_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct memory_store {
    char *folder;
    size_t kept_bytes_max;
    pthread_mutex_t lock; /* guards what follows */
    size_t kept_bytes;    /* of pieces in memory */
    bool spilled;         /* there is a file */
    int file;
    uint64_t file_bytes;
};

/* A piece of a thread's encoded events. */
struct memory_piece {
    unsigned char *data; /* malloc'ed; NULL: it is in the temporary file */
    uint64_t offset;
    uint32_t bytes;
};

/* kept_bytes_max: what all pieces in memory may take together. The folder's name is copied. */
int memory_store_init(struct memory_store *store, const char *folder, size_t kept_bytes_max,
                      struct error *error);
void memory_store_release(struct memory_store *store);

/* Keeps a copy of `bytes` bytes, more than 0. The caller frees piece->data. */
int memory_store_put(struct memory_store *store, const void *data, uint32_t bytes,
                     struct memory_piece *piece, struct error *error);

/* Reads a piece that is in the temporary file. */
int memory_store_read(const struct memory_store *store, const struct memory_piece *piece,
                      void *data, struct error *error);

#endif
