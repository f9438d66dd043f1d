/*
 * Puts what the log index has found in order: processes by key, threads by process and index,
 * chunks by thread and sequence; deals out the ids; and finds the gaps in the sequences.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/log_index_parts.h"

#define CALL_ID_MAX (INT64_MAX / 2)

static int compare_chunks(const void *left, const void *right, void *context)
{
    const struct log_index *index = context;
    const struct log_chunk *a = left;
    const struct log_chunk *b = right;
    uint32_t thread_a = index->threads[a->thread].id;
    uint32_t thread_b = index->threads[b->thread].id;
    if (thread_a != thread_b)
        return thread_a < thread_b ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->salvaged != b->salvaged) /* what was written comes first */
        return a->salvaged ? 1 : -1;
    if (((a->flags | b->flags) & FISQL_FLAG_SALVAGED) && a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_threads(const void *left, const void *right, void *context)
{
    const struct log_index *index = context;
    const struct log_thread *a = &index->threads[*(const uint32_t *)left];
    const struct log_thread *b = &index->threads[*(const uint32_t *)right];
    uint32_t process_a = index->processes[a->process].id;
    uint32_t process_b = index->processes[b->process].id;
    if (process_a != process_b)
        return process_a < process_b ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int compare_processes(const void *left, const void *right, void *context)
{
    const struct log_index *index = context;
    uint64_t a = index->processes[*(const uint32_t *)left].key;
    uint64_t b = index->processes[*(const uint32_t *)right].key;
    return a < b ? -1 : a > b;
}

/* The numbers 0 .. count-1 in the order that `compare` gives. The caller frees them. */
static uint32_t *order(struct log_index *index, size_t count,
                       int (*compare)(const void *, const void *, void *))
{
    uint32_t *list = malloc((count + 1) * sizeof *list);
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = (uint32_t)i;
    qsort_r(list, count, sizeof *list, compare, index);
    return list;
}

/* A process that another one started by vfork() and exec, or posix_spawn(), knows its parent's pid
 * alone: of the images with this pid the last one before it. `list`: in the order of starting. */
static int find_starters(struct log_index *index, const uint32_t *list, struct error *error)
{
    struct intern pids = {0};
    uint32_t *last = malloc((index->processes_count + 1) * sizeof *last); /* id, by index in pids */
    int status = last != NULL ? 0 : error_set(error, "out of memory");
    for (size_t i = 0; i < index->processes_count && status == 0; i++) {
        struct log_process *process = &index->processes[list[i]];
        uint32_t parent = process->parent.key == 0 && process->parent.pid != 0
                              ? intern_find(&pids, process->parent.pid, 0)
                              : INTERN_NONE;
        uint32_t own;
        if (parent != INTERN_NONE)
            process->parent.id = last[parent];
        status = intern_add(&pids, process->pid, 0, &own, error);
        if (status == 0)
            last[own] = process->id;
    }
    intern_release(&pids);
    free(last);
    return status;
}

static int number_processes(struct log_index *index, struct error *error)
{
    uint32_t *list = order(index, index->processes_count, compare_processes);
    if (list == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < index->processes_count; i++)
        index->processes[list[i]].id = (uint32_t)i + 1;
    int status = find_starters(index, list, error);
    free(list);
    if (status != 0)
        return -1;
    for (size_t i = 0; i < index->processes_count; i++) {
        struct log_process *process = &index->processes[i];
        uint32_t parent = process->parent.key == 0
                              ? INTERN_NONE
                              : intern_find(&index->process_of_key, process->parent.key, 0);
        if (parent != INTERN_NONE && parent != i)
            process->parent.id = index->processes[parent].id;
    }
    /* Until now a loss held its process's index + 1. */
    for (size_t i = 0; i < index->losses_count; i++) {
        if (index->losses[i].process_id != 0)
            index->losses[i].process_id = index->processes[index->losses[i].process_id - 1].id;
    }
    return 0;
}

/* Threads that left events get ids; the others stay without. */
static int number_threads(struct log_index *index, struct error *error)
{
    for (size_t i = 0; i < index->chunks_count; i++)
        index->threads[index->chunks[i].thread].chunks++;
    uint32_t *list = order(index, index->threads_count, compare_threads);
    if (list == NULL)
        return error_set(error, "out of memory");
    uint32_t id = 0;
    for (size_t i = 0; i < index->threads_count; i++) {
        struct log_thread *thread = &index->threads[list[i]];
        if (thread->chunks > 0)
            thread->id = ++id;
    }
    free(list);
    return 0;
}

static int add_gap(struct log_index *index, struct log_chunk *chunk, const struct log_chunk *before,
                   struct error *error)
{
    const struct log_thread *thread = &index->threads[chunk->thread];
    chunk->earlier = before == NULL && index->facts.earlier.any;
    if (chunk->earlier) {
        index->facts.earlier.calls += chunk->lost_calls;
        return 0;
    }
    if (chunk->flags & FISQL_FLAG_RING) {
        index->ring_calls += chunk->lost_calls;
        return 0;
    }
    struct log_loss loss = log_loss_of("missing chunk");
    loss.process_id = index->processes[thread->process].id;
    loss.thread_id = thread->id;
    loss.chunks = chunk->lost_chunks;
    loss.calls = chunk->lost_calls;
    loss.clock_process = thread->process;
    char detail[160];
    if (before == NULL)
        snprintf(detail, sizeof detail, "the thread's chunks before sequence %u are missing",
                 chunk->sequence);
    else
        snprintf(detail, sizeof detail,
                 "the thread's chunks after sequence %u and before %u are missing",
                 before->sequence, chunk->sequence);
    loss.detail = detail;
    size_t count = index->losses_count;
    if (log_index_add_loss(index, &loss, error) != 0)
        return -1;
    chunk->loss = index->losses_count > count ? (uint32_t)index->losses_count : 0;
    return 0;
}

/* Compares a chunk with the one before it in its thread (NULL = it is the first that there is). */
static int check_gap(struct log_index *index, struct log_chunk *chunk,
                     const struct log_chunk *before, struct error *error)
{
    uint32_t expected = before == NULL ? 0 : before->sequence + 1;
    uint64_t calls = before == NULL ? 0 : before->first_call + before->calls;
    if (chunk->sequence == expected && chunk->first_call == calls)
        return 0;
    if (chunk->sequence == expected && (chunk->flags & FISQL_FLAG_RESUMED))
        return 0;
    chunk->gap = true;
    chunk->lost_chunks = chunk->sequence - expected;
    chunk->lost_calls = chunk->first_call > calls ? chunk->first_call - calls : 0;
    return add_gap(index, chunk, before, error);
}

/* A chunk of a live area whose predecessors were still on their way into the log: it comes with the
 * next state. A flight recorder drops some on purpose. */
static bool is_ahead(const struct log_index *index, const struct log_chunk *chunk,
                     const struct log_chunk *before)
{
    uint32_t expected = before == NULL ? 0 : before->sequence + 1;
    return index->salvaged.live && chunk->salvaged && !(chunk->flags & FISQL_FLAG_RING) &&
           chunk->sequence != expected;
}

/* Drops repeated chunks, finds the gaps, and counts the threads' ids. */
static int check_chunks(struct log_index *index, struct error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < index->chunks_count; i++) {
        struct log_chunk *chunk = &index->chunks[kept];
        *chunk = index->chunks[i];
        struct log_thread *thread = &index->threads[chunk->thread];
        const struct log_chunk *before =
            kept > 0 && chunk[-1].thread == chunk->thread ? &chunk[-1] : NULL;
        if (before != NULL && before->sequence == chunk->sequence) {
            if (chunk->salvaged || ((chunk->flags | before->flags) & FISQL_FLAG_SALVAGED))
                continue; /* a copy of the chunk, or of its start: see thread_copy.c */
            struct log_loss loss = log_loss_of("chunk stands twice");
            loss.offset = chunk->offset;
            loss.bytes = chunk->length;
            loss.process_id = index->processes[thread->process].id;
            loss.thread_id = thread->id;
            if (log_index_add_loss(index, &loss, error) != 0)
                return -1;
            continue;
        }
        if (is_ahead(index, chunk, before)) {
            thread->chunks = before == NULL ? 0 : thread->chunks;
            continue;
        }
        if (before == NULL) {
            thread->first_chunk = (uint32_t)kept;
            thread->chunks = 0;
        }
        if (check_gap(index, chunk, before, error) != 0)
            return -1;
        bool forked = before == NULL && (chunk->flags & FISQL_FLAG_FORKED);
        if (before == NULL || chunk->gap || (chunk->flags & FISQL_FLAG_RESUMED))
            thread->call_ids += forked ? 0 : chunk->open_calls;
        thread->call_ids += chunk->calls;
        thread->chunk_bytes += chunk->length;
        thread->chunks++;
        kept++;
    }
    index->chunks_count = kept;
    return 0;
}

static int set_detail(struct log_loss *loss, const char *detail, struct error *error)
{
    char *copy = strdup(detail);
    if (copy == NULL)
        return error_set(error, "out of memory");
    free(loss->detail);
    loss->detail = copy;
    return 0;
}

/* Are there bytes that are no chunk, though it was not a write that failed half-way? */
static bool is_damaged(const struct log_index *index)
{
    for (size_t i = 0; i < index->losses_count; i++)
        if (index->losses[i].offset != UINT64_MAX && !index->losses[i].cut)
            return true;
    return false;
}

/* The log counts calls that could not be written in one sum. If later chunks of the thread were
 * written again, these calls are a gap, too: takes them out of the sum. A chunk that fisql record
 * could not write leaves no flag in the next one, which may have been written before it. So in a
 * log that is not damaged every gap is one of these. */
static int settle_losses(struct log_index *index, struct error *error)
{
    uint64_t gap_calls = 0, gap_chunks = 0;
    bool unwritten = false, damaged = is_damaged(index);
    for (size_t i = 0; i < index->chunks_count; i++) {
        const struct log_chunk *chunk = &index->chunks[i];
        if (chunk->loss != 0 && (!damaged || (chunk->flags & FISQL_FLAG_LOST))) {
            gap_calls += chunk->lost_calls;
            gap_chunks += chunk->lost_chunks;
        }
    }
    for (size_t i = 0; i < index->losses_count; i++) {
        struct log_loss *loss = &index->losses[i];
        if (!loss->unwritten)
            continue;
        uint64_t calls = gap_calls < loss->calls ? gap_calls : loss->calls;
        uint64_t chunks = gap_chunks < loss->chunks ? gap_chunks : loss->chunks;
        char detail[256];
        snprintf(detail, sizeof detail,
                 "%s (of %" PRIu64 " calls in all; the others are missing chunks)",
                 loss->detail != NULL ? loss->detail : "not told why", loss->calls);
        if (calls > 0 && set_detail(loss, detail, error) != 0)
            return -1;
        unwritten = true;
        loss->calls -= calls;
        loss->chunks -= chunks;
        gap_calls -= calls;
        gap_chunks -= chunks;
    }
    for (size_t i = 0; unwritten && i < index->losses_count; i++) {
        if (index->losses[i].cut &&
            set_detail(
                &index->losses[i],
                "the part of a chunk that was written before the write failed; its calls are "
                "counted there",
                error) != 0)
            return -1;
    }
    return 0;
}

/* Lost chunks of unknown threads may be any thread's last ones: no chunk behind them shows a
 * gap. */
static int mark_lost_ends(struct log_index *index, struct error *error)
{
    bool *lost = calloc(index->processes_count + 1, sizeof *lost); /* by id, 0 = of all */
    if (lost == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < index->losses_count; i++) {
        const struct log_loss *loss = &index->losses[i];
        bool told = loss->unwritten && loss->chunks == 0; /* all of it is missing between chunks */
        bool chunks = loss->bytes != UINT64_MAX || loss->chunks != UINT64_MAX;
        if (loss->thread_id == 0 && chunks && !told)
            lost[loss->process_id] = true;
    }
    for (size_t i = 0; i < index->processes_count; i++)
        index->processes[i].ends_lost = lost[0] || lost[index->processes[i].id];
    free(lost);
    return 0;
}

static int compare_thread_ids(const void *left, const void *right, void *context)
{
    const struct log_index *index = context;
    uint32_t a = index->threads[*(const uint32_t *)left].id;
    uint32_t b = index->threads[*(const uint32_t *)right].id;
    return a < b ? -1 : a > b;
}

static int deal_call_ids(struct log_index *index, struct error *error)
{
    uint32_t *list = order(index, index->threads_count, compare_thread_ids);
    if (list == NULL)
        return error_set(error, "out of memory");
    uint64_t next = 1;
    int failed = 0;
    for (size_t i = 0; i < index->threads_count && failed == 0; i++) {
        struct log_thread *thread = &index->threads[list[i]];
        thread->first_call_id = next;
        next += thread->call_ids;
        if (next > CALL_ID_MAX)
            failed = error_set_file(error, ERROR_DAMAGE, index->path,
                                    "claims %" PRIu64 " calls, more than can be numbered", next);
    }
    free(list);
    return failed;
}

int log_index_order(struct log_index *index, struct error *error)
{
    if (number_processes(index, error) != 0 || number_threads(index, error) != 0)
        return -1;
    if (index->chunks_count > UINT32_MAX)
        return error_set_file(error, ERROR_UNSUPPORTED, index->path,
                              "has more chunks than can be numbered");
    if (index->chunks_count > 0)
        qsort_r(index->chunks, index->chunks_count, sizeof *index->chunks, compare_chunks, index);
    if (check_chunks(index, error) != 0 || settle_losses(index, error) != 0)
        return -1;
    return mark_lost_ends(index, error) != 0 ? -1 : deal_call_ids(index, error);
}
