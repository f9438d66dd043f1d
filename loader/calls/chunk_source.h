/*
 * Where a decoder's chunks come from: the log, read and unpacked, or what was salvaged. Where there are helpers
 * (helpers.h), one of them reads and unpacks the next chunk while this one is decoded: unpacking is a tenth of a
 * decoding thread's time otherwise.
 */
#ifndef FISQL_LOADER_CALLS_CHUNK_SOURCE_H
#define FISQL_LOADER_CALLS_CHUNK_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "loader/calls/helpers.h"
#include "loader/log/log_index.h"
#include "loader/log/log_reader.h"
#include "loader/log/log_unpack.h"

struct chunk_source {
    const struct log_index *index;
    struct log_reader reader; /* of the log; opened with the first chunk */
    bool open;
    struct log_unpacker
        unpackers[2]; /* one holds the chunk that is decoded, the other one the next */
    unsigned turn;    /* the next chunk's */
    struct {
        struct errand errand;
        bool asked;
        struct log_chunk place;
        const struct fisql_chunk *chunk;
        struct error error;
        int result;
    } ahead;
};

/* The index is borrowed; helpers: NULL where there are none. */
void chunk_source_init(struct chunk_source *source, const struct log_index *index,
                       struct helpers *helpers);
/* The chunk at this place, until the next call. next: where the one is that will probably be asked for
 * then; NULL = there is none. ERROR_DAMAGE: what is packed in it cannot be unpacked. */
int chunk_source_get(struct chunk_source *source, const struct log_chunk *place,
                     const struct log_chunk *next, const struct fisql_chunk **chunk,
                     struct error *error);
/* No chunk is asked for any more: helpers are not at it when this returns. */
void chunk_source_end(struct chunk_source *source);
void chunk_source_release(struct chunk_source *source);

#endif
