/*
 * Compressing chunks of events. A packed chunk keeps its header but for length, flag and checksum,
 * so we can find and count it without unpacking it, and it decodes on its own.
 */
#ifndef FISQL_CLI_RECORD_CHUNK_PACK_H
#define FISQL_CLI_RECORD_CHUNK_PACK_H

#include "formats/log.h"

#include <stdbool.h>

struct chunk_packer {
    void *context; /* NULL = nothing is packed */
    struct fisql_chunk *packed;
};

/* False without memory: chunk_pack() then packs nothing. */
bool chunk_packer_make(struct chunk_packer *packer);
void chunk_packer_release(struct chunk_packer *packer);

/* The chunk, packed and signed, in the packer's memory; NULL if it holds no events or would not
 * become smaller. Another process may change the chunk's memory, which can only make the packed
 * content wrong. `length` is the chunk's. */
const struct fisql_chunk *chunk_pack(struct chunk_packer *packer, const struct fisql_chunk *chunk,
                                     uint32_t length);

#endif
