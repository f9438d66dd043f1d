/*
 * Writes small logs, chunk by chunk, for unit tests of what reads logs. A log begins with
 * log_begin(), gets chunks with log_add() and log_add_facts(), and is written by log_write().
 */
#ifndef FISQL_TESTS_UNIT_LOG_BUILDER_H
#define FISQL_TESTS_UNIT_LOG_BUILDER_H

#include <stdio.h>
#include <string.h>

#include "formats/log.h"

#define LOG_BYTES_MAX 65536
#define LOG_RUN 7u

struct log_builder {
    _Alignas(8) unsigned char data[LOG_BYTES_MAX];
    size_t bytes;
};

/* An EVENTS chunk of process 1, thread 0, without events; its fields are then changed. */
static inline struct fisql_chunk log_events(uint32_t sequence, uint64_t first_call, uint32_t calls)
{
    return (struct fisql_chunk){.kind = FISQL_CHUNK_EVENTS,
                                .run_id = LOG_RUN,
                                .process_key = 1,
                                .pid = 100,
                                .tid = 100,
                                .sequence = sequence,
                                .first_call = first_call,
                                .calls = calls,
                                .units = 2 * calls};
}

/* Appends the chunk with this payload, finished; where it lies in `data`. Zeros take the place of
 * units that the header claims. */
static inline size_t log_add(struct log_builder *log, struct fisql_chunk chunk, const void *payload,
                             size_t bytes)
{
    size_t start = log->bytes;
    size_t claimed = chunk.open_calls * sizeof(struct fisql_open_call) + 2 * (size_t)chunk.units;
    size_t length = sizeof chunk + (bytes > claimed ? bytes : claimed);
    length = (length + 7) / 8 * 8;
    if (start + length > sizeof log->data)
        return start;
    chunk.magic = FISQL_CHUNK_MAGIC;
    chunk.version = chunk.version == 0 ? FISQL_LOG_VERSION : chunk.version;
    chunk.length = (uint32_t)length;
    chunk.checksum = 0;
    memset(log->data + start, 0, length);
    memcpy(log->data + start, &chunk, sizeof chunk);
    if (bytes > 0)
        memcpy(log->data + start + sizeof chunk, payload, bytes);
    uint64_t checksum = fisql_checksum(log->data + start, length);
    memcpy(log->data + start + offsetof(struct fisql_chunk, checksum), &checksum, sizeof checksum);
    log->bytes += length;
    return start;
}

/* A chunk of facts of a process (0: of the run): "key\0value\0..." without the last NUL. */
#define log_add_facts(log, chunk_kind, process, facts)                                             \
    log_add((log),                                                                                 \
            (struct fisql_chunk){.kind = (chunk_kind),                                             \
                                 .run_id = LOG_RUN,                                                \
                                 .process_key = (process),                                         \
                                 .pid = 99 + (uint32_t)(process),                                  \
                                 .tid = 99 + (uint32_t)(process)},                                 \
            (facts), sizeof(facts))

static inline void log_write(const struct log_builder *log, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(log->data, 1, log->bytes, file) != log->bytes || fclose(file) != 0)
        printf("not ok - %s is written\n", path);
}

#endif
