/* Unpacking chunks: see log_unpack.h. */
#include "loader/log/log_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static int reserve(struct log_unpacker *unpacker, size_t bytes, struct error *error)
{
    if (bytes <= unpacker->capacity)
        return 0;
    unsigned char *buffer = malloc(bytes);
    if (buffer == NULL)
        return error_set(error, "out of memory");
    free(unpacker->buffer);
    unpacker->buffer = buffer;
    unpacker->capacity = bytes;
    return 0;
}

int log_unpack(struct log_unpacker *unpacker, const struct fisql_chunk **chunk, struct error *error)
{
    const struct fisql_chunk *packed = *chunk;
    if (packed->kind != FISQL_CHUNK_EVENTS || (packed->flags & FISQL_FLAG_PACKED) == 0)
        return 0;
    size_t payload = (size_t)packed->open_calls * sizeof(struct fisql_open_call) +
                     (size_t)packed->units * sizeof(uint16_t);
    if (unpacker->context == NULL)
        unpacker->context = ZSTD_createDCtx();
    if (unpacker->context == NULL)
        return error_set(error, "out of memory");
    if (reserve(unpacker, sizeof *packed + payload, error) != 0)
        return -1;
    size_t frame = ZSTD_findFrameCompressedSize(packed + 1, packed->length - sizeof *packed);
    size_t got = ZSTD_isError(frame)
                     ? frame
                     : ZSTD_decompressDCtx(unpacker->context, unpacker->buffer + sizeof *packed,
                                           payload, packed + 1, frame);
    if (ZSTD_isError(got) || got != payload)
        return error_set_kind(error, ERROR_DAMAGE,
                              "what is packed in the chunk cannot be unpacked");
    memcpy(unpacker->buffer, packed, sizeof *packed);
    *chunk = (const void *)unpacker->buffer;
    return 0;
}

int log_unpack_or_copy(struct log_unpacker *unpacker, const struct fisql_chunk **chunk,
                       struct error *error)
{
    const struct fisql_chunk *found = *chunk;
    if (log_unpack(unpacker, chunk, error) != 0)
        return -1;
    if (*chunk != found)
        return 0;
    if (reserve(unpacker, found->length, error) != 0)
        return -1;
    *chunk = memcpy(unpacker->buffer, found, found->length);
    return 0;
}

void log_unpacker_release(struct log_unpacker *unpacker)
{
    ZSTD_freeDCtx(unpacker->context);
    free(unpacker->buffer);
    *unpacker = (struct log_unpacker){0};
}
