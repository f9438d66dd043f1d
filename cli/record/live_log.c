/* Appending to the log, on the side of `fisql record`: see live.h and live_parts.h. */
#include "cli/record/live_parts.h"
#include "cli/record/live_relief.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put(const struct live *live, int log, const void *chunk, size_t size_bytes)
{
    live_relief_writes(live->relief, true);
    ssize_t written = write(log, chunk, size_bytes);
    int error = written == (ssize_t)size_bytes ? 0 : written < 0 ? errno : ENOSPC;
    live_relief_writes(live->relief, false);
    off_t end = log == live->log ? lseek(log, 0, SEEK_CUR) : 0;
    if (end > 0)
        __atomic_store_n(&live->area->writer.log_end, (uint64_t)end, __ATOMIC_RELAXED);
    return error;
}

static int put_left(const struct live *live, const struct fisql_chunk *chunk, size_t size_bytes,
                    uint32_t epoch)
{
    bool before = live->log_before >= 0 && epoch / 2 != live->log_epoch / 2;
    bool facts = chunk->kind != FISQL_CHUNK_EVENTS && chunk->kind != FISQL_CHUNK_LOSS;
    int error = !before || facts ? put(live, live->log, chunk, size_bytes) : 0;
    if (before && error == 0)
        error = put(live, live->log_before, chunk, size_bytes);
    return error;
}

void live_log_append_kept(const struct live *live)
{
    struct kept *kept;
    while (live->relief != NULL && (kept = live_relief_take(live->relief)) != NULL) {
        const struct fisql_chunk *chunk = (const void *)kept->chunk;
        int error = put_left(live, chunk, kept->bytes, kept->epoch);
        if (error != 0)
            live_count_lost(live, chunk, error);
        free(kept);
    }
}

static int append(const struct live *live, int log, const void *chunk, size_t size_bytes)
{
    live_log_append_kept(live);
    return put(live, log, chunk, size_bytes);
}

int live_log_append(const struct live *live, const void *chunk, size_t size_bytes)
{
    return append(live, live->log, chunk, size_bytes);
}

int live_log_append_left(const struct live *live, const struct fisql_chunk *chunk,
                         size_t size_bytes, uint32_t epoch)
{
    live_log_append_kept(live);
    return put_left(live, chunk, size_bytes, epoch);
}

/* A chunk of facts of at least size_min bytes; the caller frees it. NULL without memory. facts may
 * be NULL. */
static struct fisql_chunk *facts_chunk(const struct live *live, enum fisql_chunk_kind kind,
                                       uint64_t process_key, pid_t pid,
                                       const struct live_fact *facts, size_t size_min)
{
    size_t size_bytes = sizeof(struct fisql_chunk) + 8;
    for (const struct live_fact *fact = facts; fact != NULL && fact->value != NULL; fact++)
        size_bytes += strlen(fisql_fact_key(fact->fact)) + strlen(fact->value) + 2;
    size_bytes = (size_bytes > size_min ? size_bytes : size_min) & ~(size_t)7;
    struct fisql_chunk *chunk = calloc(1, size_bytes);
    if (chunk == NULL)
        return NULL;
    char *at = (char *)(chunk + 1);
    for (const struct live_fact *fact = facts; fact != NULL && fact->value != NULL; fact++) {
        at = stpcpy(at, fisql_fact_key(fact->fact)) + 1;
        at = stpcpy(at, fact->value) + 1;
    }
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = (uint16_t)kind;
    chunk->run_id = live->area->run_id;
    chunk->process_key = process_key;
    chunk->pid = chunk->tid = (uint32_t)pid;
    fisql_chunk_seal(chunk, (uint32_t)size_bytes, 0, 0);
    return chunk;
}

int live_log_append_facts(const struct live *live, int log, const struct live_fact *facts)
{
    struct fisql_chunk *chunk = facts_chunk(live, FISQL_CHUNK_RUN, 0, getpid(), facts, 0);
    if (chunk == NULL)
        return ENOMEM;
    int error = append(live, log, chunk, chunk->length);
    free(chunk);
    return error;
}

int live_append_facts(struct live *live, enum fisql_chunk_kind kind, uint64_t process_key,
                      pid_t pid, const struct live_fact *facts)
{
    struct fisql_chunk *chunk = facts_chunk(live, kind, process_key, pid, facts, 0);
    if (chunk == NULL)
        return ENOMEM;
    pthread_mutex_lock(&live->lock);
    int error = live_log_append(live, chunk, chunk->length);
    pthread_mutex_unlock(&live->lock);
    free(chunk);
    return error;
}

int live_append_fact(struct live *live, enum fisql_fact fact, const char *value)
{
    const struct live_fact facts[] = {{fact, value}, {0, NULL}};
    return value != NULL ? live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), facts) : 0;
}

#define RESERVE_BYTES 512u

int live_reserve(struct live *live)
{
    struct fisql_chunk *chunk =
        facts_chunk(live, FISQL_CHUNK_RUN, 0, getpid(), NULL, RESERVE_BYTES);
    if (chunk == NULL)
        return ENOMEM;
    int error = live_log_append(live, chunk, chunk->length);
    off_t end = lseek(live->log, 0, SEEK_CUR);
    if (error == 0 && end >= (off_t)chunk->length)
        live->reserve_offset = (uint64_t)end - chunk->length;
    free(chunk);
    return error;
}

int live_tell(struct live *live, enum fisql_chunk_kind kind, pid_t pid,
              const struct live_fact *facts)
{
    struct fisql_chunk *chunk = facts_chunk(live, kind, 0, pid, facts, RESERVE_BYTES);
    if (chunk == NULL)
        return ENOMEM;
    int error = EINVAL;
    if (chunk->length == RESERVE_BYTES && live->reserve_offset != 0) {
        /* With O_APPEND pwrite() would append. */
        pthread_mutex_lock(&live->lock);
        int flags = fcntl(live->log, F_GETFL);
        ssize_t written = -1;
        if (flags >= 0 && fcntl(live->log, F_SETFL, flags & ~O_APPEND) == 0)
            written = pwrite(live->log, chunk, chunk->length, (off_t)live->reserve_offset);
        error = written == (ssize_t)chunk->length ? 0 : written < 0 ? errno : ENOSPC;
        fcntl(live->log, F_SETFL, flags);
        pthread_mutex_unlock(&live->lock);
        live->reserve_offset = 0;
    }
    free(chunk);
    return error == 0 ? 0 : live_append_facts(live, kind, 0, pid, facts);
}
