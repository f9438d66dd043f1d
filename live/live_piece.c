/*
 * Saving a piece of a running recording: see live_piece.h.
 *
 * A thread's chunks come to the log in order but for those that it hands over: at the piece's begin
 * a chunk may be on its way while the next one is there. So we also take the chunks before the begin
 * that follow the first one of their thread in the piece.
 */
#include "live/live_piece.h"

#include "base/array.h"
#include "base/intern.h"
#include "live/live_threads.h"
#include "loader/log/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct saving {
    uint64_t run_id;
    int from, to; /* logs */
    uint64_t begin;
    struct intern threads; /* (process_key, thread) */
    uint32_t *first;       /* by a thread's index: sequence of its first chunk in the piece */
    size_t first_room;
    char *bytes; /* of one chunk */
    size_t bytes_room;
};

static uint64_t size_of(int log)
{
    struct stat status;
    return fstat(log, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Calls `take` with the header of each chunk of the run. Returns 0 or errno. */
static int walk(struct saving *saving,
                int (*take)(struct saving *saving, const struct fisql_chunk *head, uint64_t offset))
{
    struct fisql_chunk head;
    uint64_t size = size_of(saving->from);
    int error = 0;
    for (uint64_t at = 0; error == 0 && at < size; at += head.length) {
        if (pread(saving->from, &head, sizeof head, (off_t)at) != (ssize_t)sizeof head ||
            !log_chunk_is_sane(&head) || head.length > size - at)
            break; /* it is being written */
        if (head.run_id == saving->run_id)
            error = take(saving, &head, at);
    }
    return error;
}

/* ---- what is in the piece ---- */

static int learn_chunk(struct saving *saving, const struct fisql_chunk *chunk)
{
    uint32_t index, before = saving->threads.count;
    if (intern_add(&saving->threads, chunk->process_key, chunk->thread, &index, NULL) != 0 ||
        array_reach(&saving->first, &saving->first_room, index, NULL) != 0)
        return ENOMEM;
    if (index >= before || chunk->sequence < saving->first[index])
        saving->first[index] = chunk->sequence;
    return 0;
}

static int learn(struct saving *saving, const struct fisql_chunk *head, uint64_t offset)
{
    bool within = head->kind == FISQL_CHUNK_EVENTS && offset >= saving->begin;
    return within ? learn_chunk(saving, head) : 0;
}

static bool is_wanted(const struct saving *saving, const struct fisql_chunk *head, uint64_t offset)
{
    if (head->kind != FISQL_CHUNK_EVENTS)
        return head->kind != FISQL_CHUNK_LOSS || offset >= saving->begin;
    uint32_t index = intern_find(&saving->threads, head->process_key, head->thread);
    return offset >= saving->begin ||
           (index != INTERN_NONE && head->sequence > saving->first[index]);
}

/* ---- writing it ---- */

static int put(const struct saving *saving, const void *bytes, size_t size_bytes)
{
    const char *at = bytes;
    while (size_bytes > 0) {
        ssize_t written = write(saving->to, at, size_bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        at += written;
        size_bytes -= (size_t)written;
    }
    return 0;
}

static int copy(struct saving *saving, const struct fisql_chunk *head, uint64_t offset)
{
    if (!is_wanted(saving, head, offset))
        return 0;
    if (array_reserve(&saving->bytes, &saving->bytes_room, head->length, NULL) != 0)
        return ENOMEM;
    bool got =
        pread(saving->from, saving->bytes, head->length, (off_t)offset) == (ssize_t)head->length;
    return got ? put(saving, saving->bytes, head->length) : 0;
}

/* Facts first: what comes before the fact that there are earlier logs was copied from these. */
static int copy_facts(struct saving *saving, const struct fisql_chunk *head, uint64_t offset)
{
    return head->kind != FISQL_CHUNK_EVENTS ? copy(saving, head, offset) : 0;
}

static int copy_events(struct saving *saving, const struct fisql_chunk *head, uint64_t offset)
{
    return head->kind == FISQL_CHUNK_EVENTS ? copy(saving, head, offset) : 0;
}

/* Says that it is a piece. */
static int put_place(const struct saving *saving)
{
    struct {
        struct fisql_chunk chunk;
        char facts[64];
    } place = {.chunk = {.magic = FISQL_CHUNK_MAGIC,
                         .version = FISQL_LOG_VERSION,
                         .kind = FISQL_CHUNK_RUN,
                         .run_id = saving->run_id}};
    const char *const words[] = {fisql_fact_key(FISQL_FACT_RUN_EARLIER_LOGS), "1",
                                 fisql_fact_key(FISQL_FACT_RUN_CONTINUED), "1"};
    char *at = place.facts;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        at = stpcpy(at, words[i]) + 1;
    fisql_chunk_seal(&place.chunk, sizeof place, 0, 0);
    return put(saving, &place, sizeof place);
}

/* The log that the piece begins in, or the one that has replaced it (record --rotate). */
static int save_log(struct saving *saving, int log, uint64_t begin)
{
    saving->from = log;
    saving->begin = begin;
    int error = walk(saving, learn);
    return error != 0 ? error : walk(saving, copy_facts);
}

static int save(struct saving *saving, const struct live_piece *piece, int replaced_by,
                struct log_salvaged *growing)
{
    bool replaced = replaced_by >= 0;
    int error = 0;
    for (size_t i = 0; error == 0 && i < growing->count; i++)
        error = learn_chunk(saving, growing->chunks[i]);
    if (error == 0 && piece->log >= 0)
        error = save_log(saving, piece->log, piece->begin);
    if (error == 0 && replaced)
        error = save_log(saving, replaced_by, 0);
    if (error == 0)
        error = put_place(saving);
    if (error == 0 && replaced)
        error = walk(saving, copy_events);
    if (error == 0 && piece->log >= 0) {
        saving->from = piece->log;
        saving->begin = piece->begin;
        error = walk(saving, copy_events);
    }
    for (size_t i = 0; error == 0 && i < growing->count; i++) {
        struct fisql_chunk *chunk = growing->chunks[i];
        chunk->flags |= FISQL_FLAG_SALVAGED; /* the log may have it, too */
        fisql_chunk_sign(chunk);
        error = put(saving, chunk, chunk->length);
    }
    return error;
}

int live_piece_begin(struct live_piece *piece, struct live_source *source, int log,
                     const char *path)
{
    *piece = (struct live_piece){.source = source, .log = -1};
    if (strlen(path) >= sizeof piece->path)
        return ENAMETOOLONG;
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return errno;
    close(file);
    strcpy(piece->path, path);
    if (log >= 0)
        piece->log = fcntl(log, F_DUPFD_CLOEXEC, 0);
    if (piece->log >= 0)
        piece->begin = size_of(piece->log);
    return 0;
}

static bool same_file(int a, int b)
{
    struct stat left, right;
    return fstat(a, &left) == 0 && fstat(b, &right) == 0 && left.st_ino == right.st_ino &&
           left.st_dev == right.st_dev;
}

int live_piece_end(struct live_piece *piece, int log)
{
    struct log_salvaged growing = {0};
    struct error why;
    struct saving saving = {.run_id = piece->source->area.run_id,
                            .to = open(piece->path, O_WRONLY | O_APPEND | O_CLOEXEC)};
    int error = saving.to < 0 ? errno : 0;
    if (error == 0 && live_chunks_read(&growing, piece->source, &why) != 0)
        error = ENOMEM;
    bool replaced = piece->log >= 0 && log >= 0 && !same_file(piece->log, log);
    if (error == 0)
        error = save(&saving, piece, replaced ? log : -1, &growing);
    live_chunks_release(&growing);
    intern_release(&saving.threads);
    free(saving.first);
    free(saving.bytes);
    if (saving.to >= 0 && close(saving.to) != 0 && error == 0)
        error = errno;
    if (piece->log >= 0)
        close(piece->log);
    piece->log = -1;
    if (error != 0)
        unlink(piece->path);
    return error;
}
