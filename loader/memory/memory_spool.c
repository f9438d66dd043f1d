/* A thread's encoded events and where they are kept: see memory_spool.h. */
#include "loader/memory/memory_spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/must.h"
#include "base/temporary_file.h"

/* ---- the store ---- */

int memory_store_init(struct memory_store *store, const char *folder, size_t kept_bytes_max,
                      struct error *error)
{
    *store = (struct memory_store){.kept_bytes_max = kept_bytes_max, .folder = strdup(folder)};
    if (store->folder == NULL)
        return error_set(error, "out of memory");
    pthread_mutex_init(&store->lock, NULL);
    return 0;
}

void memory_store_release(struct memory_store *store)
{
    if (store->spilled)
        close(store->file);
    if (store->folder != NULL)
        pthread_mutex_destroy(&store->lock);
    free(store->folder);
    *store = (struct memory_store){0};
}

static int open_file(struct memory_store *store, struct error *error)
{
    store->file = temporary_file_open(store->folder);
    store->spilled = store->file >= 0;
    return store->spilled ? 0
                          : error_set(error, "%s: cannot make a temporary file: %s", store->folder,
                                      strerror(errno));
}

static int spill(const struct memory_store *store, const unsigned char *data, size_t bytes,
                 uint64_t offset, struct error *error)
{
    return temporary_file_write(store->file, data, bytes, offset) == 0
               ? 0
               : error_set(error, "%s: cannot write the temporary file: %s", store->folder,
                           strerror(errno));
}

int memory_store_put(struct memory_store *store, const void *data, uint32_t bytes,
                     struct memory_piece *piece, struct error *error)
{
    int status = 0;
    pthread_mutex_lock(&store->lock);
    bool keep = store->kept_bytes + bytes <= store->kept_bytes_max;
    if (keep)
        store->kept_bytes += bytes;
    else if (!store->spilled)
        status = open_file(store, error);
    *piece = (struct memory_piece){.bytes = bytes, .offset = store->file_bytes};
    if (!keep)
        store->file_bytes += bytes;
    pthread_mutex_unlock(&store->lock);
    if (status < 0)
        return -1;
    if (!keep)
        return spill(store, data, bytes, piece->offset, error);
    piece->data = malloc(bytes);
    if (piece->data == NULL)
        return error_set(error, "out of memory");
    memcpy(piece->data, data, bytes);
    return 0;
}

int memory_store_read(const struct memory_store *store, const struct memory_piece *piece,
                      void *data, struct error *error)
{
    unsigned char *at = data;
    size_t left = piece->bytes;
    uint64_t offset = piece->offset;
    while (left > 0) {
        ssize_t done = pread(store->file, at, left, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(error, "%s: cannot read the temporary file: %s", store->folder,
                             done < 0 ? strerror(errno) : "it is too short");
        at += done;
        left -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

/* ---- the spool ---- */

enum {
    PIECE_BYTES = 64 * 1024,
    EVENT_BYTES_MAX = 116, /* the longest code of an event */
    FLAG_FREE = 1,
    FLAG_REALLOC = 2,
    FLAG_OWN = 4,
    FLAG_OUTER = 8,   /* the doer is not the innermost call: a recursion's */
    FLAG_AROUND = 16, /* the doer around it is another one than before */
};

/* ---- codes ---- */

static unsigned char *put_number(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

static uint64_t get_number(const unsigned char **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = *(*at)++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Differences are modulo 2^64 and folded: small ones of either sign are short. */
static unsigned char *put_change(unsigned char *at, uint64_t value, uint64_t *before)
{
    int64_t change = (int64_t)(value - *before);
    *before = value;
    return put_number(at, (uint64_t)change << 1 ^ (change < 0 ? UINT64_MAX : 0));
}

static uint64_t get_change(const unsigned char **at, uint64_t *before)
{
    uint64_t folded = get_number(at);
    *before += folded >> 1 ^ -(folded & 1);
    return *before;
}

static unsigned char *encode(unsigned char *at, struct memory_code *code,
                             const struct memory_event *event)
{
    bool is_free = event->type == MEMORY_FREE;
    bool own = is_free && event->number != UINT64_MAX;
    bool outer = event->doers.by_level[0] != event->call;
    bool around = event->doers.by_level[1] != code->around;
    *at++ = (unsigned char)(is_free * FLAG_FREE + event->realloc * FLAG_REALLOC + own * FLAG_OWN +
                            outer * FLAG_OUTER + around * FLAG_AROUND);
    at = put_number(at, event->place);
    at = put_change(at, event->tick, &code->tick);
    at = put_change(at, event->call, &code->call);
    at = put_change(at, event->address, &code->address);
    if (outer)
        at = put_number(at, event->call - event->doers.by_level[0]);
    if (around)
        at = put_change(at, event->doers.by_level[1], &code->around);
    if (!is_free)
        return put_number(at, event->size);
    if (!own)
        return at;
    at = put_number(at, event->number);
    at = put_number(at, event->owner_call);
    return put_number(at, event->owner_frame);
}

static void decode(const unsigned char **at, struct memory_code *code, struct memory_event *event)
{
    unsigned flags = *(*at)++;
    *event = (struct memory_event){.type = flags & FLAG_FREE ? MEMORY_FREE : MEMORY_ALLOC,
                                   .realloc = (flags & FLAG_REALLOC) != 0,
                                   .number = UINT64_MAX};
    event->place = (uint32_t)get_number(at);
    event->tick = get_change(at, &code->tick);
    event->call = get_change(at, &code->call);
    event->address = get_change(at, &code->address);
    event->doers.by_level[0] = event->call - (flags & FLAG_OUTER ? get_number(at) : 0);
    event->doers.by_level[1] = flags & FLAG_AROUND ? get_change(at, &code->around) : code->around;
    if (event->type == MEMORY_ALLOC)
        event->size = get_number(at);
    if (flags & FLAG_OWN) {
        event->number = get_number(at);
        event->owner_call = get_number(at);
        event->owner_frame = (uint32_t)get_number(at);
    }
}

/* ---- writing ---- */

static int seal(struct memory_spool *spool, struct memory_store *store, struct error *error)
{
    uint32_t bytes = (uint32_t)spool->buffer_used;
    if (bytes == 0)
        return 0;
    if (array_reserve(&spool->pieces, &spool->pieces_capacity, spool->pieces_count + 1, error) !=
            0 ||
        memory_store_put(store, spool->buffer, bytes, &spool->pieces[spool->pieces_count], error) !=
            0)
        return -1;
    spool->pieces_count++;
    spool->buffer_used = 0;
    return 0;
}

int memory_spool_add(struct memory_spool *spool, struct memory_store *store,
                     const struct memory_event *event, struct error *error)
{
    if ((spool->buffer_used + EVENT_BYTES_MAX > PIECE_BYTES && seal(spool, store, error) != 0) ||
        array_reserve(&spool->buffer, &spool->buffer_capacity, spool->buffer_used + EVENT_BYTES_MAX,
                      error) != 0)
        return -1;
    if (!spool->any) {
        spool->any = true;
        spool->first_tick = event->tick;
        spool->first_type = event->type;
    }
    unsigned char *end = encode(spool->buffer + spool->buffer_used, &spool->code, event);
    must(end - (spool->buffer + spool->buffer_used) <= EVENT_BYTES_MAX);
    spool->buffer_used = (size_t)(end - spool->buffer);
    return 0;
}

static void free_buffer(struct memory_spool *spool)
{
    free(spool->buffer);
    spool->buffer = NULL;
    spool->buffer_capacity = spool->buffer_used = 0;
}

int memory_spool_end(struct memory_spool *spool, struct memory_store *store, struct error *error)
{
    int status = seal(spool, store, error);
    free_buffer(spool);
    return status;
}

void memory_spool_release(struct memory_spool *spool)
{
    for (size_t i = 0; i < spool->pieces_count; i++)
        free(spool->pieces[i].data);
    free(spool->pieces);
    free_buffer(spool);
    *spool = (struct memory_spool){0};
}

/* ---- reading ---- */

static void free_piece(struct memory_spool *spool, size_t index)
{
    free(spool->pieces[index].data);
    spool->pieces[index].data = NULL;
}

static int next_piece(struct memory_reader *reader, struct error *error)
{
    struct memory_spool *spool = reader->spool;
    if (reader->pieces_read > 0)
        free_piece(spool, reader->pieces_read - 1);
    if (reader->pieces_read == spool->pieces_count)
        return 0;
    const struct memory_piece *piece = &spool->pieces[reader->pieces_read++];
    reader->at = piece->data;
    if (piece->data == NULL) {
        /* Holds one whole piece after the other: no array that grows. */
        unsigned char *buffer = realloc(reader->buffer, piece->bytes);
        if (buffer == NULL)
            return error_set(error, "out of memory");
        reader->at = reader->buffer = buffer;
        if (memory_store_read(reader->store, piece, buffer, error) < 0)
            return -1;
    }
    reader->end = reader->at + piece->bytes;
    return 1;
}

int memory_reader_next(struct memory_reader *reader, struct error *error)
{
    if (reader->at == reader->end) {
        int status = next_piece(reader, error);
        if (status <= 0) {
            memory_reader_release(reader);
            return status;
        }
    }
    decode(&reader->at, &reader->code, &reader->event);
    must(reader->at <= reader->end); /* a piece holds whole events */
    return 1;
}

void memory_reader_release(struct memory_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
    reader->at = reader->end = NULL;
}
