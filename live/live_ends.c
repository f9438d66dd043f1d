/* Ended threads: see live_ends.h. */
#include "live/live_ends.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/log/facts.h"
#include "loader/log/log_reader.h"

#define FACTS_BYTES_MAX (1u << 20)

static bool says_end(const struct fisql_chunk *chunk)
{
    struct facts facts = facts_begin(chunk + 1, chunk->length - sizeof *chunk);
    const char *key, *value;
    while (facts_next(&facts, &key, &value))
        if (fact_find(FISQL_CHUNK_THREAD, key) == FISQL_FACT_THREAD_END_TICK)
            return true;
    return false;
}

/* Is the chunk at the offset the end of a thread? *written: all of it is there. */
static bool is_end(const struct live_ends *ends, const struct fisql_chunk *head, bool *written)
{
    bool facts = head->kind == FISQL_CHUNK_THREAD && head->length <= FACTS_BYTES_MAX;
    size_t bytes = facts ? head->length : 1;
    struct fisql_chunk *chunk = malloc(bytes);
    if (chunk == NULL)
        return false;
    off_t from = (off_t)(ends->offset + (facts ? 0 : head->length - 1));
    *written = pread(ends->log, chunk, bytes, from) == (ssize_t)bytes;
    bool end = facts && *written && memcmp(chunk, head, sizeof *head) == 0 &&
               log_chunk_is_sound(chunk) && says_end(chunk);
    free(chunk);
    return end;
}

void live_ends_read(struct live_ends *ends,
                    void (*ended)(void *context, uint32_t pid, uint32_t tid), void *context)
{
    struct fisql_chunk head;
    while (pread(ends->log, &head, sizeof head, (off_t)ends->offset) == (ssize_t)sizeof head &&
           log_chunk_is_sane(&head)) {
        bool written = false;
        bool end = is_end(ends, &head, &written);
        if (!written)
            return; /* not yet */
        if (end && head.run_id == ends->run_id)
            ended(context, head.pid, head.tid);
        ends->offset += head.length;
    }
}
