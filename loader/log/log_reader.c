/* Reads a log chunk by chunk: see log_reader.h. */
#include "loader/log/log_reader.h"

#include "base/file_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES (1u << 20)
#define WASTE_FACTOR 8           /* checksums of unsound chunks, in sizes of the log */
#define WASTE_BYTES (256u << 20) /* and this much in any case */

static int window_open(struct log_window *window, int fd, const char *path, uint64_t size_bytes,
                       struct error *error)
{
    *window = (struct log_window){.fd = fd, .path = path, .size_bytes = size_bytes};
    window->buffer_capacity = WINDOW_BYTES;
    window->buffer = malloc(window->buffer_capacity);
    if (window->buffer != NULL)
        return 0;
    close(fd);
    return error_set_file(error, ERROR_SYSTEM, path, "out of memory");
}

void log_window_close(struct log_window *window)
{
    if (window->buffer == NULL)
        return;
    free(window->buffer);
    close(window->fd);
    window->buffer = NULL;
}

static int window_reserve(struct log_window *window, uint64_t bytes, struct error *error)
{
    if (bytes <= window->buffer_capacity)
        return 0;
    unsigned char *buffer = malloc(bytes);
    if (buffer == NULL)
        return error_set_file(error, ERROR_SYSTEM, window->path, "out of memory");
    free(window->buffer);
    window->buffer = buffer;
    window->buffer_capacity = bytes;
    window->buffer_bytes = 0;
    return 0;
}

int log_window_at(struct log_window *window, uint64_t offset, uint64_t bytes,
                  const unsigned char **out, struct error *error)
{
    *out = NULL;
    if (offset > window->size_bytes || bytes > window->size_bytes - offset)
        return 0;
    if (offset < window->buffer_offset ||
        offset + bytes > window->buffer_offset + window->buffer_bytes) {
        /* The buffer starts at a multiple of 8, so that chunks keep their alignment in memory. */
        uint64_t start = offset & ~UINT64_C(7);
        if (window_reserve(window, bytes + 8, error) != 0)
            return -1;
        window->buffer_offset = start;
        window->buffer_bytes = 0;
        while (window->buffer_bytes < offset - start + bytes) {
            ssize_t got = pread(window->fd, window->buffer + window->buffer_bytes,
                                window->buffer_capacity - window->buffer_bytes,
                                (off_t)(start + window->buffer_bytes));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0) {
                /* 0: it has shrunk since it was opened */
                error_set_file(error, ERROR_SYSTEM, window->path, "%s",
                               got < 0 ? strerror(errno)
                                       : "the log became shorter while it was read");
                return error_at(error, window->path, start + window->buffer_bytes);
            }
            window->buffer_bytes += (uint64_t)got;
        }
    }
    *out = window->buffer + (offset - window->buffer_offset);
    return 0;
}

int log_window_chunk(struct log_window *window, uint64_t offset, uint64_t bytes,
                     struct fisql_chunk **out, struct error *error)
{
    const unsigned char *at;
    *out = NULL;
    if (log_window_at(window, offset, bytes, &at, error) != 0)
        return -1;
    if (at == NULL)
        return 0;
    unsigned char *chunk = window->buffer + (at - window->buffer);
    /* Behind an odd hole a chunk may lie at an odd offset: move it to where it is aligned. */
    if ((uintptr_t)chunk % 8 != 0) {
        chunk = memmove(window->buffer, chunk, bytes);
        window->buffer_bytes = 0;
    }
    *out = (void *)chunk;
    return 0;
}

int log_reader_open(struct log_reader *reader, const char *path, struct error *error)
{
    memset(reader, 0, sizeof *reader);
    struct stat status = {0};
    int fd = file_open_regular(path, O_RDONLY, &status);
    if (fd < 0 && errno == EINVAL && S_ISDIR(status.st_mode))
        return error_set_file(error, ERROR_USAGE, path, "is a folder, not a log");
    if (fd < 0 && errno == EINVAL)
        return error_set_file(error, ERROR_USAGE, path,
                              "is not a regular file: save the log to a file first");
    if (fd < 0)
        return error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
    if (status.st_size == 0) {
        close(fd);
        return error_set_file(error, ERROR_USAGE, path, "is empty: nothing was recorded into it");
    }
    return window_open(&reader->window, fd, path, (uint64_t)status.st_size, error);
}

void log_reader_close(struct log_reader *reader)
{
    log_window_close(&reader->window);
}

bool log_chunk_is_sane(const struct fisql_chunk *chunk)
{
    if (chunk->magic != FISQL_CHUNK_MAGIC || chunk->version != FISQL_LOG_VERSION)
        return false;
    if (chunk->kind < FISQL_CHUNK_RUN || chunk->kind > FISQL_CHUNK_POINTS)
        return false;
    if (chunk->length < sizeof *chunk || chunk->length > FISQL_CHUNK_LENGTH_MAX ||
        chunk->length % 8 != 0)
        return false;
    if (chunk->kind != FISQL_CHUNK_EVENTS)
        return true;
    if (chunk->open_calls > FISQL_SNAPSHOT_MAX || chunk->open_calls > chunk->open_depth)
        return false;
    uint64_t payload =
        (uint64_t)chunk->open_calls * sizeof(struct fisql_open_call) + (uint64_t)chunk->units * 2;
    bool packed = (chunk->flags & FISQL_FLAG_PACKED) != 0;
    uint64_t room = packed ? FISQL_CHUNK_LENGTH_MAX : chunk->length;
    return payload <= room - sizeof *chunk && chunk->calls <= chunk->units / 2;
}

bool log_chunk_is_sound(struct fisql_chunk *chunk)
{
    /* Read from the log. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
    uint64_t expected = chunk->checksum;
    chunk->checksum = 0;
    uint64_t actual = fisql_checksum(chunk, chunk->length);
    chunk->checksum = expected;
    return actual == expected;
}

/* Whether a sound chunk starts at `offset`: *out is the chunk, or NULL. */
static int sound_chunk_at(struct log_reader *reader, uint64_t offset,
                          const struct fisql_chunk **out, struct error *error)
{
    const unsigned char *bytes;
    *out = NULL;
    if (log_window_at(&reader->window, offset, sizeof(struct fisql_chunk), &bytes, error) != 0)
        return -1;
    if (bytes == NULL)
        return 0;
    struct fisql_chunk head;
    memcpy(&head, bytes, sizeof head);
    if (offset == 0 && head.magic == FISQL_CHUNK_MAGIC && head.version > FISQL_LOG_VERSION)
        reader->newer_version = head.version;
    if (!log_chunk_is_sane(&head))
        return 0;
    struct fisql_chunk *chunk;
    if (log_window_chunk(&reader->window, offset, head.length, &chunk, error) != 0)
        return -1;
    if (chunk == NULL)
        return 0;
    if (log_chunk_is_sound(chunk))
        *out = chunk;
    else
        reader->wasted_bytes += head.length;
    return 0;
}

/* The first offset from `offset` on where a header may start, or the log's size. */
static int find_magic(struct log_reader *reader, uint64_t offset, uint64_t *found,
                      struct error *error)
{
    static const unsigned char magic[4] = {'F', 'S', 'Q', 'L'};
    uint64_t size_bytes = reader->window.size_bytes;
    while (size_bytes - offset >= sizeof(struct fisql_chunk)) {
        uint64_t left = size_bytes - offset;
        uint64_t bytes = left < WINDOW_BYTES / 2 ? left : WINDOW_BYTES / 2;
        const unsigned char *at;
        if (log_window_at(&reader->window, offset, bytes, &at, error) != 0)
            return -1;
        /* The window holds them. NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
        const unsigned char *hit = memmem(at, bytes, magic, sizeof magic);
        if (hit != NULL) {
            *found = offset + (uint64_t)(hit - at);
            return 0;
        }
        offset += bytes - (sizeof magic - 1);
    }
    *found = size_bytes;
    return 0;
}

/* Whether the header at the start of a hole that reaches to the log's end is that of a chunk which
 * was cut: it makes sense, but there is less than its length left. */
static bool is_cut(const struct log_item *item)
{
    struct fisql_chunk head = item->head;
    if (item->bytes < sizeof head)
        return item->bytes < 8 || head.magic == FISQL_CHUNK_MAGIC;
    return log_chunk_is_sane(&head) && head.length > item->bytes;
}

static int read_hole(struct log_reader *reader, struct log_item *item, struct error *error)
{
    uint64_t size_bytes = reader->window.size_bytes;
    uint64_t limit = WASTE_BYTES + WASTE_FACTOR * size_bytes;
    uint64_t start = reader->offset;
    uint64_t head_bytes = size_bytes - start;
    if (head_bytes > sizeof item->head)
        head_bytes = sizeof item->head;
    const unsigned char *bytes;
    if (log_window_at(&reader->window, start, head_bytes, &bytes, error) != 0)
        return -1;
    memset(&item->head, 0, sizeof item->head);
    memcpy(&item->head, bytes, head_bytes);
    uint64_t at = start;
    const struct fisql_chunk *chunk = NULL;
    while (at < size_bytes && chunk == NULL) {
        if (find_magic(reader, at + 1, &at, error) != 0)
            return -1;
        if (reader->wasted_bytes > limit)
            at = size_bytes;
        if (at < size_bytes && sound_chunk_at(reader, at, &chunk, error) != 0)
            return -1;
    }
    item->kind = LOG_ITEM_HOLE;
    item->offset = start;
    item->bytes = at - start;
    item->chunk = NULL;
    item->truncated = at == size_bytes && is_cut(item);
    reader->offset = at;
    return 1;
}

int log_reader_next(struct log_reader *reader, struct log_item *item, struct error *error)
{
    if (reader->offset >= reader->window.size_bytes)
        return 0;
    const struct fisql_chunk *chunk;
    if (sound_chunk_at(reader, reader->offset, &chunk, error) != 0)
        return -1;
    if (chunk == NULL)
        return read_hole(reader, item, error);
    item->kind = LOG_ITEM_CHUNK;
    item->offset = reader->offset;
    item->bytes = chunk->length;
    item->chunk = chunk;
    item->truncated = false;
    reader->offset += chunk->length;
    return 1;
}
