/*
 * Compressing chunks of events. A packed chunk has its header as it was, but for length, flag and
 * checksum, so that it is found and counted without unpacking it, and decodes on its own.
 */
#ifndef FISQL_CLI_RECORD_CHUNK_PACK_H
#define FISQL_CLI_RECORD_CHUNK_PACK_H

#include "formats/log.h"

#include <stdbool.h>

struct chunk_packer {
    void *context; /* NULL = nothing is packed */
    struct fisql_chunk *packed;
};

/* False without memory: nothing is packed then. */
bool chunk_packer_make(struct chunk_packer *packer);
void chunk_packer_release(struct chunk_packer *packer);

/* The chunk packed and signed, in memory of the packer's; NULL where that would not make it smaller,
 * or where it is none of events. `length` is that of the chunk, whose memory another process may be
 * changing: what is packed may then be wrong, but nothing else happens. */
const struct fisql_chunk *chunk_pack(struct chunk_packer *packer, const struct fisql_chunk *chunk,
                                     uint32_t length);

#endif
