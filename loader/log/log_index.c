/* What a log holds: see log_index.h. This file reads the chunks; log_index_take.c takes them in,
 * log_index_facts.c the facts of those that hold facts, and log_order.c puts everything in order
 * and deals out the ids.  */
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

/* Takes the chunks of processes that the log knows: of the others it does not say yet what they
 * are. */
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
        free(index->modules[i].unpatched);
        free(index->modules[i].left);
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
    free(index->facts.links.items);
    text_pool_release(&index->facts.links.texts);
    intern_release(&index->facts.links.known);
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

bool log_index_has_option(const struct log_index *index, enum fisql_option option)
{
    const char *word = fisql_option(option);
    size_t length = strlen(word);
    bool numbered = word[length - 1] == '=';
    for (const char *at = log_index_fact(index, FISQL_FACT_RUN_OPTIONS); at != NULL && *at != 0;) {
        const char *end = strchrnul(at, ',');
        size_t given = (size_t)(end - at);
        if ((numbered ? given > length : given == length) && strncmp(at, word, length) == 0)
            return true;
        at = *end != 0 ? end + 1 : end;
    }
    return false;
}
