/* Puts slices in order, with a temporary file where they are many: see slices.h. */
#include "loader/foreign/slices_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/heap.h"
#include "base/must.h"
#include "base/temporary_file.h"

#define OUT_BYTES (1u << 20)  /* written at once */
#define RUN_BYTES (64u << 10) /* of each run in memory while they are merged */
#define RUNS_MAX 16384u       /* more than a terabyte */

/* ---- runs ---- */

static int by_key(const void *left, const void *right)
{
    const struct slice_key *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->tie != b->tie)
        return a->tie < b->tie ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Gives each track its keys, in the order in which they came. False: there is no memory for that. */
static bool share_out(struct slices *slices, size_t *ends)
{
    struct slice_store *store = &slices->store;
    struct slice_key *out = calloc(store->keys_capacity, sizeof *out);
    if (out == NULL)
        return false;
    for (size_t i = 0; i < store->keys_count; i++)
        ends[store->keys[i].track]++;
    for (size_t track = 0, begin = 0; track < slices->tracks_count; track++) {
        size_t count = ends[track];
        ends[track] = begin;
        begin += count;
    }
    for (size_t i = 0; i < store->keys_count; i++)
        out[ends[store->keys[i].track]++] = store->keys[i];
    free(store->keys);
    store->keys = out;
    return true;
}

static bool in_order(const struct slice_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_key(&keys[i - 1], &keys[i]) > 0)
            return false;
    return true;
}

/* Many a writer has each thread's slices in order, and only the threads mixed. */
static void sort_keys(struct slices *slices)
{
    struct slice_store *store = &slices->store;
    size_t *ends = NULL;
    if (store->sorted)
        return;
    store->sorted = true;
    if (slices->tracks_count <= store->keys_count)
        ends = calloc(slices->tracks_count, sizeof *ends);
    if (ends == NULL || !share_out(slices, ends)) {
        array_sort(store->keys, store->keys_count, by_key);
        free(ends);
        return;
    }
    for (size_t track = 0, begin = 0; track < slices->tracks_count; begin = ends[track++])
        if (!in_order(store->keys + begin, ends[track] - begin))
            array_sort(store->keys + begin, ends[track] - begin, by_key);
    free(ends);
}

static int open_file(struct slices *slices, struct error *error)
{
    if (slices->store.file < 0)
        slices->store.file = temporary_file_open(slices->folder);
    return slices->store.file >= 0
               ? 0
               : error_set_file(error, ERROR_SYSTEM, slices->folder,
                                "cannot make a temporary file: %s: load into another folder (-o)",
                                strerror(errno));
}

static int write_out(struct slices *slices, const unsigned char *data, size_t bytes,
                     struct error *error)
{
    if (temporary_file_write(slices->store.file, data, bytes, slices->store.spilled) != 0)
        return error_set_file(
            error, ERROR_SYSTEM, slices->folder,
            "cannot write a temporary file: %s: load into a folder with room (-o)",
            strerror(errno));
    slices->store.spilled += bytes;
    return 0;
}

int slices_spill(struct slices *slices, struct error *error)
{
    unsigned char *out = malloc(OUT_BYTES);
    size_t used = 0;
    int result = out == NULL ? error_set(error, "out of memory") : open_file(slices, error);
    struct slices_run run = {.offset = slices->store.spilled};
    if (result == 0 && slices->store.runs_count == RUNS_MAX)
        result = error_set_kind(error, ERROR_UNSUPPORTED, "is too large");
    sort_keys(slices);
    for (size_t i = 0; result == 0 && i < slices->store.keys_count; i++) {
        const unsigned char *at = slices->store.arena + (size_t)slices->store.keys[i].place * 8;
        struct slice_record record;
        memcpy(&record, at, sizeof record);
        if (used + record.bytes > OUT_BYTES) {
            result = write_out(slices, out, used, error);
            used = 0;
        }
        memcpy(out + used, at, record.bytes);
        used += record.bytes;
    }
    if (result == 0)
        result = write_out(slices, out, used, error);
    free(out);
    run.bytes = slices->store.spilled - run.offset;
    if (result == 0)
        result = array_add(&slices->store.runs, &slices->store.runs_count,
                           &slices->store.runs_capacity, run, error);
    slices->store.keys_count = slices->store.arena_used = 0;
    return result;
}

/* ---- reading all in order ---- */

struct run_cursor {
    uint64_t offset, left; /* of the run, in the file */
    unsigned char *buffer;
    size_t from, count;
};

struct run_head {
    int64_t start_ns, tie;
    uint32_t track, run;
};

struct slices_reader {
    struct slices *slices;
    size_t next; /* in keys, where all is in memory */
    struct run_cursor *runs;
    struct run_head *heap;
    size_t heap_count;
    bool begun;
};

static bool head_before(const void *left, const void *right)
{
    const struct run_head *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    return a->tie != b->tie ? a->tie < b->tie : a->run < b->run;
}

static int fill(const struct slices *slices, struct run_cursor *cursor, struct error *error)
{
    memmove(cursor->buffer, cursor->buffer + cursor->from, cursor->count);
    cursor->from = 0;
    while (cursor->left > 0 && cursor->count < RUN_BYTES) {
        size_t room = RUN_BYTES - cursor->count;
        ssize_t got = pread(slices->store.file, cursor->buffer + cursor->count,
                            room < cursor->left ? room : cursor->left, (off_t)cursor->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_set_file(error, ERROR_SYSTEM, slices->folder,
                                  "cannot read a temporary file: %s",
                                  got < 0 ? strerror(errno) : "it became shorter");
        cursor->count += (size_t)got;
        cursor->offset += (uint64_t)got;
        cursor->left -= (uint64_t)got;
    }
    return 0;
}

/* The record at the cursor; NULL at the run's end. */
static int run_record(const struct slices *slices, struct run_cursor *cursor,
                      const struct slice_record **record, struct error *error)
{
    const size_t most = sizeof **record + FISQL_VALUES_BYTES_MAX + 8;
    *record = NULL;
    if (cursor->count < most && cursor->left > 0 && fill(slices, cursor, error) != 0)
        return -1;
    if (cursor->count == 0)
        return 0;
    *record = (const void *)(cursor->buffer + cursor->from);
    must(cursor->count >= sizeof **record && cursor->count >= (*record)->bytes);
    return 0;
}

static struct run_head head_of(const struct slice_record *record, uint32_t run)
{
    return (struct run_head){.start_ns = record->start_ns,
                             .tie = record->kind == SLICE_WHOLE ? -record->end_ns : INT64_MIN,
                             .track = record->track,
                             .run = run};
}

static int open_runs(struct slices_reader *reader, struct error *error)
{
    struct slices *slices = reader->slices;
    const struct slice_record *record;
    reader->runs = calloc(slices->store.runs_count, sizeof *reader->runs);
    reader->heap = calloc(slices->store.runs_count, sizeof *reader->heap);
    if (reader->runs == NULL || reader->heap == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < slices->store.runs_count; i++) {
        struct run_cursor *cursor = &reader->runs[i];
        *cursor = (struct run_cursor){.offset = slices->store.runs[i].offset,
                                      .left = slices->store.runs[i].bytes,
                                      .buffer = malloc(RUN_BYTES)};
        if (cursor->buffer == NULL)
            return error_set(error, "out of memory");
        if (run_record(slices, cursor, &record, error) != 0)
            return -1;
        if (record != NULL)
            reader->heap[reader->heap_count++] = head_of(record, (uint32_t)i);
    }
    heap_make(reader->heap, reader->heap_count, head_before);
    return 0;
}

int slices_reader_open(struct slices_reader **out, struct slices *slices, struct error *error)
{
    struct slices_reader *reader = *out = calloc(1, sizeof *reader);
    if (reader == NULL)
        return error_set(error, "out of memory");
    reader->slices = slices;
    if (slices->store.runs_count == 0) {
        sort_keys(slices);
        return 0;
    }
    if (slices->store.keys_count > 0 && slices_spill(slices, error) != 0)
        return -1;
    return open_runs(reader, error);
}

/* Goes on in the run of the record that was given last. */
static int advance(struct slices_reader *reader, struct error *error)
{
    const struct slice_record *record;
    struct run_cursor *cursor = &reader->runs[reader->heap[0].run];
    size_t bytes =
        ((const struct slice_record *)(const void *)(cursor->buffer + cursor->from))->bytes;
    cursor->from += bytes;
    cursor->count -= bytes;
    if (run_record(reader->slices, cursor, &record, error) != 0)
        return -1;
    reader->heap[0] =
        record != NULL ? head_of(record, reader->heap[0].run) : reader->heap[--reader->heap_count];
    heap_sift(reader->heap, reader->heap_count, 0, head_before);
    return 0;
}

int slices_reader_next(struct slices_reader *reader, const struct slice_record **record,
                       struct error *error)
{
    const struct slices *slices = reader->slices;
    *record = NULL;
    if (slices->store.runs_count == 0) {
        if (reader->next >= slices->store.keys_count)
            return 0;
        *record = (const void *)(slices->store.arena +
                                 (size_t)slices->store.keys[reader->next++].place * 8);
        return 1;
    }
    if (reader->begun && advance(reader, error) != 0)
        return -1;
    reader->begun = true;
    if (reader->heap_count == 0)
        return 0;
    return run_record(slices, &reader->runs[reader->heap[0].run], record, error) != 0 ? -1 : 1;
}

void slices_reader_close(struct slices_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t i = 0; reader->runs != NULL && i < reader->slices->store.runs_count; i++)
        free(reader->runs[i].buffer);
    free(reader->runs);
    free(reader->heap);
    free(reader);
}
