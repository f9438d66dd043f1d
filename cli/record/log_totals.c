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

bool log_header_at(int log, uint64_t offset, uint64_t run_id, struct fisql_chunk *chunk)
{
    return pread(log, chunk, sizeof *chunk, (off_t)offset) == (ssize_t)sizeof *chunk &&
           chunk->magic == FISQL_CHUNK_MAGIC && chunk->version == FISQL_LOG_VERSION &&
           chunk->run_id == run_id && chunk->length >= sizeof *chunk &&
           chunk->length <= FISQL_CHUNK_LENGTH_MAX && chunk->length % 8 == 0;
}

bool log_checksum_right(int log, uint64_t offset, const struct fisql_chunk *head)
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

uint64_t log_header_find(int log, uint64_t offset, uint64_t size, uint64_t run_id)
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
        if (log_header_at(log, offset, run_id, &chunk))
            return offset;
        offset++;
    }
    return size;
}

void log_walk(int log, uint64_t run_id, bool doubtful, log_visit *visit, void *context)
{
    struct fisql_chunk chunk, next;
    struct stat status;
    uint64_t size = fstat(log, &status) == 0 ? (uint64_t)status.st_size : 0;
    uint64_t offset = log_header_find(log, 0, size, run_id);
    if (offset >= size || !log_header_at(log, offset, run_id, &chunk))
        return;
    while (offset < size) {
        uint64_t end = offset + chunk.length, start = offset;
        bool followed = end < size && log_header_at(log, end, run_id, &next);
        bool leads = followed || end == size;
        bool whole =
            (leads && !doubtful) || (end <= size && log_checksum_right(log, offset, &chunk));
        offset = whole || leads ? end : offset + 1;
        if (!followed)
            offset = log_header_find(log, offset, size, run_id);
        const struct log_place_of_chunk place = {.log = log,
                                                 .offset = start,
                                                 .bytes = (whole ? end : offset) - start,
                                                 .head = &chunk,
                                                 .whole = whole};
        visit(&place, context);
        if (!followed && offset < size && !log_header_at(log, offset, run_id, &next))
            return;
        chunk = next;
    }
}

static void add_up(const struct log_place_of_chunk *place, void *context)
{
    struct log_totals *totals = context;
    totals->torn |= !place->whole;
    if (!place->whole)
        return;
    totals->chunks++;
    totals->calls += place->head->calls; /* 0 but in chunks of events */
    totals->processes |= place->head->kind == FISQL_CHUNK_PROCESS;
    totals->events |= place->head->kind == FISQL_CHUNK_EVENTS;
}

void log_totals(int log, uint64_t run_id, bool doubtful, struct log_totals *totals)
{
    struct stat status;
    totals->bytes = fstat(log, &status) == 0 ? (uint64_t)status.st_size : 0;
    log_walk(log, run_id, doubtful, add_up, totals);
}
