/*
 * A thread's events about memory, from the decoder until memory_pair reads them again. The spool
 * encodes them in pieces; the store keeps the pieces.
 *
 * An event is a byte of flags and LEB128 numbers, most of them differences from the event before:
 * place, tick, call, address; then an allocation's size, or, if the thread frees a block of its
 * own, the block's number and the owner's call and frame. That is some 13 bytes.
 *
 * The store keeps pieces in memory up to a limit over all threads, then in a temporary file without
 * a name in the database's folder.
 *
 * Zero-initialised is empty and may be released. memory_store_put is safe for threads; one thread
 * at a time uses a spool.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_SPOOL_H
#define FISQL_LOADER_MEMORY_MEMORY_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/memory/memory_blocks.h"

/* ---- the store ---- */

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

/* kept_bytes_max: for all pieces in memory together. Copies the folder's name. */
int memory_store_init(struct memory_store *store, const char *folder, size_t kept_bytes_max,
                      struct error *error);
void memory_store_release(struct memory_store *store);

/* Keeps a copy of `bytes` bytes, more than 0. The caller frees piece->data. */
int memory_store_put(struct memory_store *store, const void *data, uint32_t bytes,
                     struct memory_piece *piece, struct error *error);

/* Reads a piece in the temporary file. */
int memory_store_read(const struct memory_store *store, const struct memory_piece *piece,
                      void *data, struct error *error);

/* ---- the spool ---- */

enum memory_event_type { MEMORY_ALLOC, MEMORY_FREE };

struct memory_event {
    uint64_t tick, address, size;
    uint64_t call;
    struct memory_doers doers;
    uint32_t place;       /* of the thread: see memory_places.h */
    uint32_t owner_frame; /* of a free of an own block */
    uint64_t owner_call;
    uint64_t number; /* of the own block that a free ends; UINT64_MAX = it ends none */
    enum memory_event_type type;
    bool realloc; /* a realloc's part: its free, then its allocation */
};

/* The event before. */
struct memory_code {
    uint64_t tick, address, call, around; /* around: doers.by_level[1] */
};

struct memory_spool {
    struct memory_piece *pieces;
    size_t pieces_count, pieces_capacity;
    unsigned char *buffer; /* the piece being filled */
    size_t buffer_capacity, buffer_used;
    struct memory_code code;
    bool any; /* then of the first event: */
    uint64_t first_tick;
    enum memory_event_type first_type;
};

int memory_spool_add(struct memory_spool *spool, struct memory_store *store,
                     const struct memory_event *event, struct error *error);
/* Gives the rest to the store. No more events may follow. */
int memory_spool_end(struct memory_spool *spool, struct memory_store *store, struct error *error);
void memory_spool_release(struct memory_spool *spool);

/* Reads a spool that has ended, and frees the pieces that it has read. */
struct memory_reader {
    struct memory_spool *spool; /* borrowed */
    const struct memory_store *store;
    const unsigned char *at, *end;
    unsigned char *buffer; /* a piece that was in the file */
    size_t pieces_read;
    struct memory_code code;
    struct memory_event event; /* the last one read */
};

/* Moves to the next event. Returns 1; 0 = there is none; -1. */
int memory_reader_next(struct memory_reader *reader, struct error *error);
void memory_reader_release(struct memory_reader *reader);

#endif
