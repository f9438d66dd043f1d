/*
 * Adding up a log: see log_totals.h.
 *
 * A chunk is whole if its length leads to the next chunk or to the log's end. Otherwise a write
 * failed in the middle: the checksum decides about the chunk, and we search what follows for the
 * next header. Where writes failed, a chunk that was cut may lead to one that was written behind
 * it later: the checksum decides about each.
 */
#include "cli/record/log_totals.h"
#include "formats/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool header_at(int log, uint64_t offset, uint64_t run_id, struct fisql_chunk *chunk)
{
    return pread(log, chunk, sizeof *chunk, (off_t)offset) == (ssize_t)sizeof *chunk &&
           chunk->magic == FISQL_CHUNK_MAGIC && chunk->version == FISQL_LOG_VERSION &&
           chunk->run_id == run_id && chunk->length >= sizeof *chunk &&
           chunk->length <= FISQL_CHUNK_LENGTH_MAX && chunk->length % 8 == 0;
}

static bool checksum_right(int log, uint64_t offset, const struct fisql_chunk *head)
{
    struct fisql_chunk *chunk = malloc(head->length);
    bool right =
        chunk != NULL && pread(log, chunk, head->length, (off_t)offset) == (ssize_t)head->length;
    if (right) {
        chunk->checksum = 0;
        right = fisql_checksum(chunk, head->length) == head->checksum;
    }
    free(chunk);
    return right;
}

/* The offset of the next header from `offset` on, or the size of the log. */
static uint64_t find_header(int log, uint64_t offset, uint64_t size, uint64_t run_id)
{
    static const unsigned char magic[4] = {'F', 'S', 'Q', 'L'};
    unsigned char bytes[65536];
    struct fisql_chunk chunk;
    while (offset < size) {
        ssize_t got = pread(log, bytes, sizeof bytes, (off_t)offset);
        if (got < (ssize_t)sizeof magic)
            return size;
        const unsigned char *hit = memmem(bytes, (size_t)got, magic, sizeof magic);
        if (hit == NULL) {
            offset += (uint64_t)got - (sizeof magic - 1);
            continue;
        }
        offset += (uint64_t)(hit - bytes);
        if (header_at(log, offset, run_id, &chunk))
            return offset;
        offset++;
    }
    return size;
}

void log_totals(int log, uint64_t run_id, bool doubtful, struct log_totals *totals)
{
    struct fisql_chunk chunk, next;
    struct stat status;
    uint64_t size = fstat(log, &status) == 0 ? (uint64_t)status.st_size : 0;
    uint64_t offset = find_header(log, 0, size, run_id);
    totals->bytes = size;
    if (offset >= size || !header_at(log, offset, run_id, &chunk))
        return;
    while (offset < size) {
        uint64_t end = offset + chunk.length;
        bool followed = end < size && header_at(log, end, run_id, &next);
        bool leads = followed || end == size;
        bool whole = (leads && !doubtful) || (end <= size && checksum_right(log, offset, &chunk));
        if (whole) {
            totals->chunks++;
            totals->calls += chunk.calls; /* 0 but in chunks of events */
            totals->processes |= chunk.kind == FISQL_CHUNK_PROCESS;
            totals->events |= chunk.kind == FISQL_CHUNK_EVENTS;
        }
        offset = whole || leads ? end : offset + 1;
        if (!followed) {
            offset = find_header(log, offset, size, run_id);
            if (offset < size && !header_at(log, offset, run_id, &next))
                return;
        }
        chunk = next;
    }
}
