/* Unpacking chunks of events that were compressed (flag PACKED in formats/log.h). */
#ifndef FISQL_LOADER_LOG_LOG_UNPACK_H
#define FISQL_LOADER_LOG_LOG_UNPACK_H

#include "base/error.h"
#include "formats/log.h"

/* Zeros at first. */
struct log_unpacker {
    void *context;
    unsigned char *buffer;
    size_t capacity;
};

/* *chunk, whose header is sane (log_chunk_is_sane), becomes the unpacked chunk if it is packed: it
 * lies in memory of the unpacker's until the next call. -1: ERROR_DAMAGE where what is packed is
 * none, or not as long as the header says. */
int log_unpack(struct log_unpacker *unpacker, const struct fisql_chunk **chunk,
               struct error *error);
/* The same, and it lies there also where it is not packed. */
int log_unpack_or_copy(struct log_unpacker *unpacker, const struct fisql_chunk **chunk,
                       struct error *error);
void log_unpacker_release(struct log_unpacker *unpacker);

#endif
