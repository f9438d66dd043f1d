/* What a log holds: see log_index.h. This file reads the chunks; log_index_facts.c takes in the
 * facts of those that hold facts, and log_order.c puts everything in order and deals out the ids.
 */
#include "loader/log/log_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/log_index_parts.h"

/* A file without one sound chunk up to here is not looked through further: it is not a log. */
#define NOT_A_LOG_BYTES (256u << 20)
#define PROGRESS_CHUNKS 64

struct log_loss log_loss_of(const char *reason)
{
    return (struct log_loss){
        .reason = (char *)(uintptr_t)reason,
        .offset = UINT64_MAX,
        .bytes = UINT64_MAX,
        .chunks = UINT64_MAX,
        .calls = UINT64_MAX,
        .from_tick = TICK_UNKNOWN,
        .to_tick = TICK_UNKNOWN,
    };
}

int log_index_add_loss(struct log_index *index, const struct log_loss *loss, struct error *error)
{
    if (index->losses_count >= LOSSES_MAX) {
        index->losses_left_out++;
        return 0;
    }
    if (array_reserve(&index->losses, &index->losses_capacity, index->losses_count + 1, error) != 0)
        return -1;
    struct log_loss *copy = &index->losses[index->losses_count];
    *copy = *loss;
    copy->reason = strdup(loss->reason);
    copy->detail = loss->detail == NULL ? NULL : strdup(loss->detail);
    index->losses_count++;
    if (copy->reason == NULL || (loss->detail != NULL && copy->detail == NULL))
        return error_set(error, "out of memory");
    return 0;
}

/* The process of a chunk, made where it is new. */
static int find_process(struct log_index *index, const struct fisql_chunk *chunk, uint32_t *out,
                        struct error *error)
{
    if (intern_add(&index->process_of_key, chunk->process_key, 0, out, error) != 0)
        return -1;
    if (*out < index->processes_count)
        return 0;
    if (array_reserve(&index->processes, &index->processes_capacity, index->processes_count + 1,
                      error) != 0)
        return -1;
    index->processes[index->processes_count++] = (struct log_process){
        .pid = chunk->pid,
        .key = chunk->process_key,
        .start_tick = TICK_UNKNOWN,
        .end_tick = TICK_UNKNOWN,
        .killed = {TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN},
        .gap_ticks = TICK_UNKNOWN,
    };
    return 0;
}

static int find_thread(struct log_index *index, const struct fisql_chunk *chunk, uint32_t process,
                       uint32_t *out, struct error *error)
{
    if (intern_add(&index->thread_of_key, process, chunk->thread, out, error) != 0)
        return -1;
    if (*out < index->threads_count)
        return 0;
    if (array_reserve(&index->threads, &index->threads_capacity, index->threads_count + 1, error) !=
        0)
        return -1;
    index->threads[index->threads_count++] = (struct log_thread){
        .process = process,
        .thread = chunk->thread,
        .tid = chunk->tid,
        .start_tick = TICK_UNKNOWN,
        .end_tick = TICK_UNKNOWN,
        .at_start = {.tick = TICK_UNKNOWN},
        .at_end = {.tick = TICK_UNKNOWN},
    };
    return 0;
}

/* The first and the last clock pair of a process, by tick. A salvaged chunk has none. */
static void take_clock_pair(struct log_process *process, const struct fisql_chunk *chunk)
{
    struct log_clock_pair pair = {chunk->clock_tick, chunk->clock_ns};
    if (pair.ns == 0)
        return;
    if (!process->has_pair || pair.tick < process->first_pair.tick)
        process->first_pair = pair;
    if (!process->has_pair || pair.tick > process->last_pair.tick)
        process->last_pair = pair;
    process->has_pair = true;
}

static int take_events(struct log_index *index, const struct fisql_chunk *chunk, uint64_t offset,
                       uint32_t process, bool salvaged, struct error *error)
{
    uint32_t thread;
    if (find_thread(index, chunk, process, &thread, error) != 0)
        return -1;
    if (array_reserve(&index->chunks, &index->chunks_capacity, index->chunks_count + 1, error) != 0)
        return -1;
    index->chunks[index->chunks_count++] = (struct log_chunk){
        .offset = offset,
        .first_call = chunk->first_call,
        .tick_start = chunk->tick_start,
        .length = chunk->length,
        .sequence = chunk->sequence,
        .calls = chunk->calls,
        .thread = thread,
        .cost = chunk->cost,
        .open_calls = (uint16_t)chunk->open_calls,
        .flags = (uint16_t)chunk->flags,
        .salvaged = salvaged,
    };
    return 0;
}

int log_index_take(struct log_index *index, const struct fisql_chunk *chunk, uint64_t offset,
                   bool salvaged, struct error *error)
{
    if (index->chunks_sound == 0)
        index->run_id = chunk->run_id;
    if (chunk->run_id != index->run_id) {
        struct log_loss loss = log_loss_of("chunk of another run");
        loss.offset = offset;
        loss.bytes = chunk->length;
        loss.chunks = 1;
        return log_index_add_loss(index, &loss, error);
    }
    index->chunks_sound++;
    uint32_t process;
    if (chunk->process_key == 0) /* fisql record speaks for the run: no process of the program */
        return chunk->kind == FISQL_CHUNK_RUN || chunk->kind == FISQL_CHUNK_LOSS
                   ? log_index_take_facts(index, chunk, UINT32_MAX, 0, error)
                   : 0;
    if (find_process(index, chunk, &process, error) != 0)
        return -1;
    take_clock_pair(&index->processes[process], chunk);
    if (chunk->kind == FISQL_CHUNK_EVENTS)
        return take_events(index, chunk, offset, process, salvaged, error);
    uint32_t thread = 0;
    if (chunk->kind == FISQL_CHUNK_THREAD &&
        find_thread(index, chunk, process, &thread, error) != 0)
        return -1;
    return log_index_take_facts(index, chunk, process, thread, error);
}

static int take_hole(struct log_index *index, const struct log_item *item, struct error *error)
{
    struct log_loss loss = log_loss_of(item->truncated ? "truncated" : "damaged");
    char detail[256] = "no sound chunk starts in these bytes";
    loss.offset = item->offset;
    loss.bytes = item->bytes;
    if (item->truncated)
        loss.chunks = 1;
    if (item->bytes >= sizeof item->head && log_chunk_is_sane(&item->head)) {
        const struct fisql_chunk *head = &item->head;
        loss.cut = head->run_id == index->run_id && head->length > item->bytes;
        snprintf(
            detail, sizeof detail,
            "starts with the header of a chunk of kind %u, process %u, thread %u, sequence %u, "
            "%u calls (its checksum does not confirm it)",
            head->kind, head->pid, head->thread, head->sequence, head->calls);
    }
    loss.detail = detail;
    return log_index_add_loss(index, &loss, error);
}

/* Says why a file without a sound chunk is not loaded. */
static int refuse(const struct log_reader *reader, const char *path, struct error *error)
{
    if (reader->newer_version != 0)
        return error_set_file(error, ERROR_UNSUPPORTED, path,
                              "is a log of format version %u, this fisql reads version %u: load it "
                              "with the fisql that recorded it",
                              reader->newer_version, FISQL_LOG_VERSION);
    return error_set_file(error, ERROR_USAGE, path,
                          "is not a fisql log, or nothing in it is sound");
}

static int read_chunks(struct log_index *index, struct log_reader *reader,
                       log_index_progress *progress, void *context, struct error *error)
{
    struct log_item item;
    uint64_t items = 0;
    int got;
    while ((got = log_reader_next(reader, &item, error)) > 0) {
        if (item.kind == LOG_ITEM_HOLE && index->chunks_sound == 0 &&
            item.offset + item.bytes >= NOT_A_LOG_BYTES)
            break;
        int failed = item.kind == LOG_ITEM_HOLE
                         ? take_hole(index, &item, error)
                         : log_index_take(index, item.chunk, item.offset, false, error);
        if (failed != 0)
            return -1;
        if (progress != NULL && ++items % PROGRESS_CHUNKS == 0)
            progress(context, reader->offset, index->size_bytes);
    }
    if (got < 0)
        return -1;
    return index->chunks_sound == 0 ? refuse(reader, index->path, error) : 0;
}

/* Takes the chunks of processes that the log knows: of the others it does not say yet what they are. */
static int take_unwritten(struct log_index *index, struct log_salvaged *unwritten,
                          struct error *error)
{
    struct log_salvaged *salvaged = &index->salvaged;
    int failed = 0;
    salvaged->live = true;
    for (size_t i = 0; i < unwritten->count; i++) {
        struct fisql_chunk *chunk = unwritten->chunks[i];
        bool known = chunk->run_id == index->run_id &&
                     intern_find(&index->process_of_key, chunk->process_key, 0) != INTERN_NONE;
        if (failed == 0 && known)
            failed =
                array_reserve(&salvaged->chunks, &salvaged->capacity, salvaged->count + 1, error);
        if (failed != 0 || !known) {
            free(chunk);
            continue;
        }
        salvaged->chunks[salvaged->count++] = chunk;
        failed = log_index_take(index, chunk, salvaged->count - 1, true, error);
    }
    unwritten->count = 0;
    return failed;
}

int log_index_read(struct log_index *index, const char *path, struct log_salvaged *unwritten,
                   log_index_progress *progress, void *context, struct error *error)
{
    memset(index, 0, sizeof *index);
    struct log_reader reader;
    if (log_reader_open(&reader, path, error) != 0)
        return -1;
    index->path = strdup(path);
    index->size_bytes = reader.window.size_bytes;
    int failed = index->path == NULL ? error_set(error, "out of memory")
                                     : read_chunks(index, &reader, progress, context, error);
    log_reader_close(&reader);
    if (failed == 0)
        failed = log_live_read(index, error);
    if (failed == 0 && unwritten != NULL)
        failed = take_unwritten(index, unwritten, error);
    return failed == 0 ? log_index_order(index, error) : -1;
}

static void release_process(struct log_process *process)
{
    free(process->executable);
    free(process->command);
    free(process->origin);
    free(process->how);
}

void log_index_release(struct log_index *index)
{
    for (size_t i = 0; i < index->processes_count; i++)
        release_process(&index->processes[i]);
    for (size_t i = 0; i < index->threads_count; i++)
        free(index->threads[i].name);
    for (size_t i = 0; i < index->modules_count; i++) {
        free(index->modules[i].path);
        free(index->modules[i].build_id);
    }
    for (size_t i = 0; i < index->facts.count; i++) {
        free(index->facts.items[i].key);
        free(index->facts.items[i].value);
    }
    for (size_t i = 0; i < index->losses_count; i++) {
        free(index->losses[i].reason);
        free(index->losses[i].detail);
    }
    for (size_t i = 0; i < index->facts.changes.count; i++)
        free(index->facts.changes.items[i].detail);
    free(index->facts.changes.items);
    for (size_t i = 0; i < index->salvaged.count; i++)
        free(index->salvaged.chunks[i]);
    free(index->path);
    free(index->chunks);
    free(index->threads);
    free(index->processes);
    free(index->modules);
    free(index->facts.items);
    free(index->losses);
    free(index->salvaged.chunks);
    log_points_release(&index->facts.points);
    intern_release(&index->process_of_key);
    intern_release(&index->thread_of_key);
    memset(index, 0, sizeof *index);
}

const char *log_index_fact(const struct log_index *index, enum fisql_fact fact)
{
    const char *key = fisql_fact_key(fact);
    for (size_t i = 0; i < index->facts.count; i++) {
        if (strcmp(index->facts.items[i].key, key) == 0)
            return index->facts.items[i].value;
    }
    return NULL;
}
