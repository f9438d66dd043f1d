/*
 * Reads a log chunk by chunk, sound ones and holes, front to back.
 *
 * A chunk is sound when its header makes sense (log_chunk_is_sane) and its checksum is right. Where
 * no sound chunk starts, the reader looks for the next place where one does, byte by byte, and
 * reports what lies between as a hole. A hostile log may be full of headers whose checksums are
 * wrong and each cost a checksum of 16 MiB: the bytes spent on those are limited to some multiples
 * of the log's size; beyond the limit the rest of the log is one hole.
 *
 * Memory: one window of the log, as large as the largest chunk (at most 16 MiB and a bit). The log
 * is read with pread, not mapped, so that it may shrink meanwhile without harm.
 */
#ifndef FISQL_LOADER_LOG_LOG_READER_H
#define FISQL_LOADER_LOG_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

/* A part of an open file, read through a buffer. */
struct log_window {
    int fd;
    const char *path; /* for messages; borrowed */
    uint64_t size_bytes;
    unsigned char *buffer;
    uint64_t buffer_offset; /* in the file */
    uint64_t buffer_bytes;
    uint64_t buffer_capacity;
};

struct log_reader {
    struct log_window window;
    uint64_t offset; /* where the next item starts */
    uint64_t wasted_bytes;
    uint16_t newer_version; /* of a header at the log's start that is not ours; 0 = none */
};

enum log_item_kind {
    LOG_ITEM_CHUNK,
    LOG_ITEM_HOLE,
};

struct log_item {
    enum log_item_kind kind;
    uint64_t offset;
    uint64_t bytes;
    const struct fisql_chunk *chunk; /* CHUNK: with its payload; borrowed until the next call */
    bool truncated;                  /* HOLE: a chunk that the end of the log cuts */
    struct fisql_chunk head;         /* HOLE: its first bytes as a header; not trusted */
};

/* Opens a log. Not a regular file, not readable, empty: -1, and *error says so. */
MUST_CHECK int log_reader_open(struct log_reader *reader, const char *path, struct error *error);
void log_reader_close(struct log_reader *reader);

/* 1: *item is the next chunk or hole; 0: the end of the log; -1: reading failed. */
MUST_CHECK int log_reader_next(struct log_reader *reader, struct log_item *item,
                               struct error *error);

/* The bytes [offset, offset + bytes) of the file, borrowed until the next call; *out is NULL where
 * they reach over its end. 8-byte aligned where the offset is. */
MUST_CHECK int log_window_at(struct log_window *window, uint64_t offset, uint64_t bytes,
                             const unsigned char **out, struct error *error);

/* The same for a chunk: always 8-byte aligned. */
MUST_CHECK int log_window_chunk(struct log_window *window, uint64_t offset, uint64_t bytes,
                                struct fisql_chunk **out, struct error *error);

void log_window_close(struct log_window *window);

/* Whether a header's numbers agree with each other: magic, version, kind, length, and for an EVENTS
 * chunk the sizes of its snapshot and units and the number of its calls. */
bool log_chunk_is_sane(const struct fisql_chunk *chunk);

/* Whether the checksum is right. The whole chunk must be there; its field is 0 meanwhile. */
bool log_chunk_is_sound(struct fisql_chunk *chunk);

#endif
