/* A copy of the log and of the live area: see incident_copy.h. */
#include "cli/record/incident_copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS_MAX                                                                                 \
    ((off_t)12 << 20) /* of the log, so many bytes of events: packed ones are larger */
#define TRIES 20      /* at a chunk that its thread is changing */

struct copy {
    struct live *live;
    int to;
    unsigned char *buffer; /* FISQL_CHUNK_LENGTH_MAX bytes */
};

static bool put(const struct copy *copy, const void *bytes, size_t count)
{
    return write(copy->to, bytes, count) == (ssize_t)count;
}

static bool get(int file, void *into, size_t count, off_t offset)
{
    return pread(file, into, count, offset) == (ssize_t)count;
}

/* ---- the log ---- */

/* The offset from which on the copy has the log's events. */
static off_t events_from(const struct copy *copy, off_t end)
{
    struct fisql_chunk head;
    off_t bytes = 0, from = 0;
    for (int pass = 0; pass < 2; pass++) {
        off_t left = bytes;
        for (off_t at = 0; at < end && get(copy->live->log, &head, sizeof head, at);
             at += head.length) {
            if (head.magic != FISQL_CHUNK_MAGIC || head.length < sizeof head)
                break;
            if (pass == 0 && head.kind == FISQL_CHUNK_EVENTS)
                bytes += head.length;
            if (pass == 1 && left <= EVENTS_MAX)
                return at;
            if (pass == 1 && head.kind == FISQL_CHUNK_EVENTS)
                left -= head.length;
            from = at + (off_t)head.length;
        }
    }
    return from;
}

static void log_copy(const struct copy *copy, bool *whole)
{
    struct stat status;
    if (fstat(copy->live->log, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    off_t from = events_from(copy, status.st_size);
    struct fisql_chunk head;
    for (off_t at = 0; at < status.st_size && get(copy->live->log, &head, sizeof head, at);
         at += head.length) {
        if (head.magic != FISQL_CHUNK_MAGIC || head.length < sizeof head ||
            head.length > FISQL_CHUNK_LENGTH_MAX)
            break;
        if (head.kind == FISQL_CHUNK_EVENTS && at < from) {
            *whole = false;
            continue;
        }
        if (!get(copy->live->log, copy->buffer, head.length, at) ||
            !put(copy, copy->buffer, head.length))
            break;
    }
}

/* ---- the live area ---- */

static off_t slot_at(uint32_t slot)
{
    return (off_t)FISQL_LIVE_HEADER + (off_t)slot * (off_t)FISQL_LIVE_SLOT_BYTES;
}

static bool slot_read(const struct copy *copy, uint32_t slot, struct fisql_live_slot *head)
{
    return slot < copy->live->slots && get(copy->live->memory, head, sizeof *head, slot_at(slot));
}

static bool chunk_read(const struct copy *copy, uint32_t slot)
{
    return slot < copy->live->slots && get(copy->live->memory, copy->buffer, FISQL_LIVE_CHUNK_BYTES,
                                           slot_at(slot) + FISQL_SLOT_HEADER);
}

/* A chunk that is being filled, as at one moment. The events before the slot's word stay while the
 * thread goes on, unless it begins another chunk or takes an event back. */
static uint32_t live_chunk(const struct copy *copy, uint32_t slot, struct fisql_live_slot *head)
{
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)copy->buffer;
    for (int i = 0; i < TRIES; i++) {
        struct fisql_live_slot after;
        uint32_t with_chunk = head->chunk_slot != 0 ? head->chunk_slot - 1 : slot;
        if (!chunk_read(copy, with_chunk) || !slot_read(copy, slot, &after))
            return 0;
        if (after.state == head->state && after.chunk_slot == head->chunk_slot &&
            after.word >> FISQL_WORD_FLUSH_SHIFT == head->word >> FISQL_WORD_FLUSH_SHIFT &&
            fisql_word_units(after.word) >= fisql_word_units(head->word))
            return fisql_slot_finish(head, chunk, copy->live->area->run_id, 0, 0);
        *head = after;
    }
    return 0;
}

static void slot_copy(const struct copy *copy, uint32_t slot)
{
    struct fisql_live_slot head;
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)copy->buffer;
    uint32_t length = 0;
    if (!slot_read(copy, slot, &head))
        return;
    if (head.state == FISQL_SLOT_LIVE)
        length = live_chunk(copy, slot, &head);
    /* Or a whole one, which is not in the log yet. */
    if (head.state == FISQL_SLOT_WHOLE || head.state == FISQL_SLOT_PACKING) {
        if (!chunk_read(copy, slot) || chunk->magic != FISQL_CHUNK_MAGIC ||
            chunk->length < sizeof *chunk || chunk->length > FISQL_LIVE_CHUNK_BYTES ||
            chunk->length % 8 != 0)
            return;
        length = chunk->length;
        fisql_chunk_sign(chunk);
    }
    if (length != 0)
        put(copy, chunk, length);
}

int incident_copy(struct live *live, bool *whole)
{
    struct copy copy = {.live = live,
                        .to = memfd_create("fisql-incident", MFD_CLOEXEC),
                        .buffer = malloc(FISQL_CHUNK_LENGTH_MAX)};
    *whole = true;
    if (copy.to >= 0 && copy.buffer != NULL) {
        pthread_mutex_lock(&live->lock);
        uint32_t used = __atomic_load_n(&live->area->slots_used, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; i < used && i < live->slots; i++)
            if (fisql_slot_taken(live->area, i))
                slot_copy(&copy, i);
        log_copy(&copy, whole);
        pthread_mutex_unlock(&live->lock);
    } else if (copy.to >= 0) {
        close(copy.to);
        copy.to = -1;
    }
    free(copy.buffer);
    return copy.to;
}
