/* Compressing chunks: see chunk_pack.h. */
#include "cli/record/chunk_pack.h"

#include "formats/live.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Logs repeat themselves at short distances: on the logs of Lua and fib, level 1 is as fast as the
 * levels below it, and 1.5 times as small. */
#define LEVEL 1

bool chunk_packer_make(struct chunk_packer *packer)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    *packer = (struct chunk_packer){context, malloc(FISQL_LIVE_CHUNK_BYTES)};
    if (context == NULL || packer->packed == NULL ||
        ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)))
        chunk_packer_release(packer);
    return packer->context != NULL;
}

void chunk_packer_release(struct chunk_packer *packer)
{
    ZSTD_freeCCtx(packer->context);
    free(packer->packed);
    *packer = (struct chunk_packer){0};
}

const struct fisql_chunk *chunk_pack(struct chunk_packer *packer, const struct fisql_chunk *chunk,
                                     uint32_t length)
{
    struct fisql_chunk *packed = packer->packed;
    if (packer->context == NULL || length > FISQL_LIVE_CHUNK_BYTES)
        return NULL;
    memcpy(packed, chunk, sizeof *packed);
    uint64_t payload =
        (uint64_t)packed->open_calls * sizeof(struct fisql_open_call) + (uint64_t)packed->units * 2;
    if (packed->kind != FISQL_CHUNK_EVENTS || payload > length - sizeof *packed)
        return NULL;
    size_t room = (length - sizeof *packed) & ~(size_t)7;
    size_t size = ZSTD_compress2(packer->context, packed + 1, room, chunk + 1, payload);
    if (ZSTD_isError(size))
        return NULL; /* not enough room */
    size_t padded = (size + 7) & ~(size_t)7;
    memset((unsigned char *)(packed + 1) + size, 0, padded - size);
    packed->length = (uint32_t)(sizeof *packed + padded);
    packed->flags |= FISQL_FLAG_PACKED;
    fisql_chunk_sign(packed);
    return packed;
}
