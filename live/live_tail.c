/* Follows a running program: see live_tail.h. */
#include "live/live_tail_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/intern.h"
#include "live/live_threads.h"
#include "loader/log/facts.h"
#include "loader/log/log_reader.h"
#include "loader/log/log_unpack.h"

#define BACKLOG_BYTES (8u << 20)
#define GAP_POLLS 20u
#define DEFERRED_MAX 1024u
#define THREADS_MAX 16384u
#define FACTS_BYTES_MAX (1u << 20)
#define SEARCH_BYTES 65536u

/* A chunk in the log that came before the one before it in its thread: that was handed over, and is
 * not appended yet. */
struct deferred {
    uint64_t offset;
    uint32_t polls; /* that it waits */
};

struct live_tail {
    struct live_source *source;
    int log;
    uint64_t run_id, offset; /* the log was read up to there */
    struct tail_events events;
    struct live_tail_thread *threads;
    size_t count, capacity;
    struct intern of_key; /* (process_key, thread) */
    struct log_unpacker unpacker;
    struct deferred *deferred;
    size_t deferred_count, deferred_capacity;
    unsigned char *buffer; /* a chunk of the log */
    size_t buffer_bytes;
    bool last;
};

/* ---- threads ---- */

static int thread_of(struct live_tail *tail, uint64_t process_key, uint32_t thread,
                     struct live_tail_thread **found, struct error *error)
{
    uint32_t index;
    if (intern_add(&tail->of_key, process_key, thread, &index, error) != 0)
        return -1;
    if (index == tail->count) {
        const struct live_tail_thread fresh = {.process_key = process_key, .thread = thread};
        if (array_add(&tail->threads, &tail->count, &tail->capacity, fresh, error) != 0)
            return -1;
    }
    *found = &tail->threads[index];
    return 0;
}

struct live_tail_thread *live_tail_thread(struct live_tail *tail, size_t index)
{
    return index < tail->count ? &tail->threads[index] : NULL;
}

/* Forgets the threads without a slot. One that comes again is taken for a new one. */
static int threads_forget(struct live_tail *tail, struct error *error)
{
    size_t kept = 0;
    uint32_t index;
    int result = 0;
    intern_clear(&tail->of_key);
    for (size_t i = 0; i < tail->count; i++) {
        struct live_tail_thread *thread = &tail->threads[i];
        if (!thread->at.slot || result != 0 ||
            (result = intern_add(&tail->of_key, thread->process_key, thread->thread, &index,
                                 error)) != 0)
            free(thread->open);
        else
            tail->threads[kept++] = *thread;
    }
    tail->count = kept;
    return result;
}

/* ---- the log ---- */

static bool read_at(const struct live_tail *tail, uint64_t offset, void *bytes, size_t count)
{
    ssize_t got;
    do
        got = pread(tail->log, bytes, count, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)count;
}

/* Reads a chunk of the log. NULL: it is not sound, or no memory. */
static struct fisql_chunk *chunk_read(struct live_tail *tail, const struct fisql_chunk *head,
                                      uint64_t offset)
{
    if (array_reserve(&tail->buffer, &tail->buffer_bytes, head->length, NULL) != 0)
        return NULL;
    struct fisql_chunk *chunk = (void *)tail->buffer;
    bool sound = read_at(tail, offset, chunk, head->length) &&
                 memcmp(chunk, head, sizeof *head) == 0 && log_chunk_is_sound(chunk);
    return sound ? chunk : NULL;
}

/* The thread's names. A later one replaces an earlier one, but not a given one. */
static int names_take(struct live_tail *tail, const struct fisql_chunk *chunk, struct error *error)
{
    struct facts facts = facts_begin(chunk + 1, chunk->length - sizeof *chunk);
    struct live_tail_thread *thread;
    const char *key, *value;
    if (thread_of(tail, chunk->process_key, chunk->thread, &thread, error) != 0)
        return -1;
    thread->pid = chunk->pid;
    thread->tid = chunk->tid;
    while (facts_next(&facts, &key, &value)) {
        enum fisql_fact fact = fact_find(FISQL_CHUNK_THREAD, key);
        bool given = fact == FISQL_FACT_THREAD_GIVEN_NAME;
        if (!given && (fact != FISQL_FACT_THREAD_NAME || thread->named || value[0] == 0))
            continue;
        snprintf(thread->name, sizeof thread->name, "%s", value);
        thread->named = given;
    }
    return 0;
}

/* Is the chunk before this one still to come? A new thread begins with number 0. */
static bool is_early(const struct live_tail *tail, const struct live_tail_place *at,
                     uint32_t sequence)
{
    if (!at->begun)
        return sequence > 0 && !tail->events.silent && !tail->last;
    bool next = sequence == at->sequence + 1 && at->closed;
    return sequence != at->sequence && !next && !tail->last;
}

static int events_take(struct live_tail *tail, const struct fisql_chunk *head, uint64_t offset,
                       bool skip, struct error *error)
{
    const struct live_tail_reader *reader = tail->events.reader;
    struct live_tail_thread *thread;
    if (thread_of(tail, head->process_key, head->thread, &thread, error) != 0)
        return -1;
    thread->pid = head->pid;
    thread->tid = head->tid;
    bool wanted = !tail->events.silent && reader->wants(reader->context, thread);
    if (skip || !wanted) {
        tail_events_skip(thread, head, wanted);
        return 0;
    }
    const struct fisql_chunk *chunk = chunk_read(tail, head, offset);
    struct error damage; /* costs that chunk: the next one shows that calls are missing */
    if (chunk == NULL || log_unpack(&tail->unpacker, &chunk, &damage) != 0)
        return 0;
    return tail_events_read(&tail->events, thread, chunk, true, error);
}

/* Must it wait for a chunk of its thread? A flight recorder drops some. */
static bool is_deferred(struct live_tail *tail, const struct fisql_chunk *head)
{
    struct live_tail_thread *thread;
    return (head->flags & FISQL_FLAG_RING) == 0 &&
           thread_of(tail, head->process_key, head->thread, &thread, NULL) == 0 &&
           (!thread->at.begun || head->sequence > thread->at.sequence) &&
           is_early(tail, &thread->at, head->sequence);
}

/* Takes those that need not wait any more; `all`: wait for none. */
static int deferred_take(struct live_tail *tail, bool all, struct error *error)
{
    struct fisql_chunk head;
    for (size_t i = 0; i < tail->deferred_count; i++)
        tail->deferred[i].polls++;
    for (size_t i = 0; i < tail->deferred_count;) {
        const struct deferred *deferred = &tail->deferred[i];
        bool there = read_at(tail, deferred->offset, &head, sizeof head);
        if (there && !all && deferred->polls < GAP_POLLS && is_deferred(tail, &head)) {
            i++;
            continue;
        }
        if (there && events_take(tail, &head, deferred->offset, false, error) != 0)
            return -1;
        tail->deferred_count--;
        memmove(&tail->deferred[i], &tail->deferred[i + 1],
                (tail->deferred_count - i) * sizeof *tail->deferred);
        i = 0; /* another one may have waited for it */
    }
    return 0;
}

/* Takes a chunk of events that came to the log, or defers it. */
static int events_come(struct live_tail *tail, const struct fisql_chunk *head, bool skip,
                       struct error *error)
{
    const struct deferred deferred = {.offset = tail->offset};
    if (skip || tail->deferred_count >= DEFERRED_MAX || !is_deferred(tail, head))
        return events_take(tail, head, tail->offset, skip, error);
    return array_add(&tail->deferred, &tail->deferred_count, &tail->deferred_capacity, deferred,
                     error);
}

/* Behind a hole, where a chunk may begin. False: not yet. */
static bool search(struct live_tail *tail, uint64_t size)
{
    static unsigned char bytes[SEARCH_BYTES];
    static const unsigned char magic[4] = {'F', 'S', 'Q', 'L'};
    uint64_t from = tail->offset + 1;
    size_t count = size - from < sizeof bytes ? (size_t)(size - from) : sizeof bytes;
    if (count < sizeof magic || !read_at(tail, from, bytes, count))
        return false;
    const unsigned char *hit = memmem(bytes, count, magic, sizeof magic);
    tail->offset = hit != NULL ? from + (uint64_t)(hit - bytes) : from + count - sizeof magic + 1;
    return true;
}

static int log_read(struct live_tail *tail, struct error *error)
{
    struct stat status;
    struct fisql_chunk head;
    int result = 0;
    if (tail->log < 0 || fstat(tail->log, &status) != 0)
        return 0;
    uint64_t size = (uint64_t)status.st_size;
    while (result == 0 && tail->offset + sizeof head <= size) {
        if (!read_at(tail, tail->offset, &head, sizeof head))
            break;
        if (!log_chunk_is_sane(&head)) {
            if (!search(tail, size))
                break;
            continue;
        }
        if (head.length > size - tail->offset)
            break; /* it is being written */
        bool ours = head.run_id == tail->run_id;
        if (ours && head.kind == FISQL_CHUNK_EVENTS) {
            result = events_come(tail, &head, size - tail->offset > BACKLOG_BYTES, error);
        } else if (ours && head.kind == FISQL_CHUNK_THREAD && head.length <= FACTS_BYTES_MAX) {
            const struct fisql_chunk *chunk = chunk_read(tail, &head, tail->offset);
            result = chunk != NULL ? names_take(tail, chunk, error) : 0;
        }
        tail->offset += head.length;
    }
    return result;
}

/* ---- the live area ---- */

static bool is_awaited(struct live_tail *tail, struct live_tail_place *at,
                       const struct live_chunk_place *place)
{
    bool awaited = is_early(tail, at, place->sequence);
    at->waited = awaited ? at->waited + 1 : 0;
    return awaited && at->waited < GAP_POLLS;
}

static bool wants(void *context, const struct live_chunk_place *place)
{
    struct live_tail *tail = context;
    const struct live_tail_reader *reader = tail->events.reader;
    struct live_tail_thread *thread;
    if (thread_of(tail, place->process_key, place->thread, &thread, NULL) != 0)
        return false;
    struct live_tail_place *at = &thread->at;
    at->slot = true;
    thread->pid = place->pid;
    thread->tid = place->tid;
    bool read = at->begun && (place->sequence < at->sequence ||
                              (place->sequence == at->sequence &&
                               (at->closed || (place->grows && place->units == at->seen))));
    return !read && (tail->events.silent || reader->wants(reader->context, thread)) &&
           !is_awaited(tail, at, place);
}

static int take(void *context, const struct live_chunk_place *place,
                const struct fisql_chunk *chunk, struct error *error)
{
    struct live_tail *tail = context;
    struct live_tail_thread *thread;
    if (thread_of(tail, place->process_key, place->thread, &thread, error) != 0)
        return -1;
    thread->at.seen = place->units;
    return tail_events_read(&tail->events, thread, chunk, !place->grows, error);
}

/* ---- the whole ---- */

int live_tail_poll(struct live_tail *tail, bool last, struct error *error)
{
    const struct live_chunks chunks = {wants, take, tail};
    for (size_t i = 0; i < tail->count; i++) {
        tail->threads[i].left_out = 0;
        tail->threads[i].at.slot = false;
    }
    tail->last = last;
    if (log_read(tail, error) != 0 || live_chunks_each(tail->source, &chunks, error) != 0 ||
        deferred_take(tail, last, error) != 0)
        return -1;
    return tail->count > THREADS_MAX ? threads_forget(tail, error) : 0;
}

int live_tail_next_log(struct live_tail *tail, int log, struct error *error)
{
    int result = log_read(tail, error);
    if (result == 0)
        result = deferred_take(tail, true, error);
    tail->deferred_count = 0;
    tail->log = log;
    tail->offset = 0;
    return result;
}

struct live_tail *live_tail_open(struct live_source *source, int log,
                                 const struct live_tail_reader *reader, struct error *error)
{
    struct live_tail *tail = calloc(1, sizeof *tail);
    if (tail == NULL) {
        error_set(error, "out of memory");
        return NULL;
    }
    tail->source = source;
    tail->log = log;
    tail->run_id = source->area.run_id;
    tail->events.reader = reader;
    tail->events.definitions = calloc(FISQL_SLOTS_MAX, sizeof *tail->events.definitions);
    tail->events.silent = true;
    if (tail->events.definitions == NULL) {
        error_set(error, "out of memory");
    } else if (live_tail_poll(tail, true, error) == 0) {
        tail->events.silent = false;
        return tail;
    }
    live_tail_close(tail);
    return NULL;
}

void live_tail_close(struct live_tail *tail)
{
    if (tail == NULL)
        return;
    for (size_t i = 0; i < tail->count; i++)
        free(tail->threads[i].open);
    free(tail->threads);
    intern_release(&tail->of_key);
    free(tail->events.definitions);
    log_unpacker_release(&tail->unpacker);
    free(tail->deferred);
    free(tail->buffer);
    free(tail);
}
