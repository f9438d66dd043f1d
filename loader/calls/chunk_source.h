/*
 * Gives a decoder its chunks: read from the log and unpacked, or salvaged. A helper (helpers.h)
 * reads and unpacks the next chunk while the decoder works on this one: unpacking took a tenth of a
 * decoding thread's time.
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
    struct log_unpacker unpackers[2]; /* one has the decoder's chunk, the other one the next */
    unsigned turn;                    /* the next chunk's */
    struct {
        struct errand errand;
        bool asked;
        struct log_chunk place;
        const struct fisql_chunk *chunk;
        struct error error;
        int result;
    } ahead;
};

/* The index is borrowed; helpers: NULL = none. */
void chunk_source_init(struct chunk_source *source, const struct log_index *index,
                       struct helpers *helpers);
/* The chunk at this place, borrowed until the next call. next: the place that the next call will
 * probably ask for; NULL = none. ERROR_DAMAGE: the chunk cannot be unpacked. */
int chunk_source_get(struct chunk_source *source, const struct log_chunk *place,
                     const struct log_chunk *next, const struct fisql_chunk **chunk,
                     struct error *error);
/* The last chunk was taken: no helper uses the source when this returns. */
void chunk_source_end(struct chunk_source *source);
void chunk_source_release(struct chunk_source *source);

#endif
