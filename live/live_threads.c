/* Threads of a live area: see live_threads.h. */
#include "live/live_threads.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/must.h"

#define LIVE_TRIES 50u
#define SCANS_MAX 8u /* for threads that are between two chunks */
#define SCAN_PAUSE_NS 500000
#define TAIL_BYTES 64u

/* A slot with a chunk of a thread, or soon with one. */
struct found {
    uint64_t process_key, owner_start;
    uint32_t thread, sequence, pid, tid;
    uint32_t slot;       /* that of the head */
    uint32_t chunk_slot; /* the slot of the chunk */
    uint32_t state;
    uint32_t units; /* as in the head's word */
};

struct reading {
    struct live_source *source;
    const struct live_options *options;
    bool gone_too;
    struct found *found;
    size_t found_count, found_capacity;
    struct fisql_chunk *chunk; /* FISQL_LIVE_CHUNK_BYTES */
};

/* ---- what slots there are ---- */

static bool is_whole(uint32_t state)
{
    return state == FISQL_SLOT_WHOLE || state == FISQL_SLOT_PACKING || state == FISQL_SLOT_WRITING;
}

/* Does a chunk's header belong to a thread of this run? */
static bool header_sound(const struct live_source *source, const struct fisql_chunk *header)
{
    return header->magic == FISQL_CHUNK_MAGIC && header->version == FISQL_LOG_VERSION &&
           header->kind == FISQL_CHUNK_EVENTS && header->run_id == source->area.run_id &&
           header->open_calls <= FISQL_SNAPSHOT_MAX && header->open_calls <= header->open_depth;
}

static bool wanted(const struct reading *reading, const struct found *found)
{
    const struct live_options *options = reading->options;
    return found->pid != 0 && found->pid <= INT32_MAX && found->tid != 0 &&
           (options->pid == 0 || options->pid == found->pid) &&
           (options->process_key == 0 || options->process_key == found->process_key);
}

/* False: the slot holds nothing for us. */
static bool slot_find(const struct reading *reading, uint32_t slot, struct found *found)
{
    const struct live_source *source = reading->source;
    struct fisql_live_slot head;
    struct fisql_chunk header;
    if (!live_source_slot(source, slot, &head))
        return false;
    *found = (struct found){.process_key = head.process_key,
                            .owner_start = head.owner_start,
                            .thread = head.thread,
                            .pid = head.pid,
                            .tid = head.tid,
                            .slot = slot,
                            .chunk_slot = slot,
                            .state = head.state,
                            .units = fisql_word_units(head.word)};
    if (head.state == FISQL_SLOT_TAKEN)
        return wanted(reading, found);
    if (head.state == FISQL_SLOT_LIVE && head.chunk_slot != 0)
        found->chunk_slot = head.chunk_slot - 1;
    else if (head.state != FISQL_SLOT_LIVE && !is_whole(head.state))
        return false;
    if (!live_source_chunk(source, found->chunk_slot, 0, &header, sizeof header) ||
        !header_sound(source, &header) || header.process_key != head.process_key)
        return false;
    found->sequence = header.sequence;
    if (is_whole(head.state)) {
        found->thread = header.thread;
        found->tid = header.tid;
    }
    return found->thread == header.thread && wanted(reading, found);
}

/* By thread; LIVE slots first, the newest chunk first, then whole chunks, the newest first. */
static int by_thread(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    if (a->process_key != b->process_key)
        return a->process_key < b->process_key ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    bool a_taken = a->state == FISQL_SLOT_TAKEN, b_taken = b->state == FISQL_SLOT_TAKEN;
    if (a_taken != b_taken)
        return a_taken ? 1 : -1;
    if (a->sequence != b->sequence)
        return a->sequence > b->sequence ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static int find_all(struct reading *reading, struct error *error)
{
    reading->found_count = 0;
    for (uint32_t slot = 0; slot < reading->source->slots; slot++) {
        struct found found;
        if (!live_source_taken(reading->source, slot) || !slot_find(reading, slot, &found))
            continue;
        if (array_reserve(&reading->found, &reading->found_capacity, reading->found_count + 1,
                          error) != 0)
            return -1;
        reading->found[reading->found_count++] = found;
    }
    if (reading->found_count > 0)
        qsort(reading->found, reading->found_count, sizeof *reading->found, by_thread);
    return 0;
}

/* ---- processes that are gone ---- */

static bool namespace_is_ours(const struct live_source *source)
{
    char link[64] = "";
    unsigned long long inode = 0;
    ssize_t length = readlink("/proc/self/ns/pid", link, sizeof link - 1);
    return length > 0 && sscanf(link, "pid:[%llu]", &inode) == 1 &&
           inode == source->area.namespaces.pid;
}

/* Is the process gone, as far as we see? */
static bool process_gone(const struct fisql_live_slot *head)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u", head->pid);
    return access(path, F_OK) != 0 && errno == ENOENT;
}

static int by_key(const void *left, const void *right)
{
    const struct live_image *a = left, *b = right;
    return a->process_key < b->process_key ? -1 : a->process_key > b->process_key;
}

/* Keeps the last image of a process that called exec: it is the one that runs. */
static void images_drop_replaced(struct live_images *images)
{
    size_t kept = 0;
    for (size_t i = 0; i < images->count; i++) {
        bool replaced = false;
        for (size_t k = i + 1; k < images->count && !replaced; k++)
            replaced = images->items[k].pid == images->items[i].pid;
        if (!replaced)
            images->items[kept++] = images->items[i];
    }
    images->count = kept;
}

int live_images_read(struct live_images *images, const struct live_source *source,
                     struct error *error)
{
    *images = (struct live_images){0};
    bool ours = namespace_is_ours(source);
    for (uint32_t slot = 0; slot < source->slots; slot++) {
        struct fisql_live_slot head;
        size_t known = 0;
        if (!live_source_taken(source, slot) || !live_source_slot(source, slot, &head) ||
            head.pid == 0 || head.pid > INT32_MAX ||
            (head.state != FISQL_SLOT_LIVE && head.state != FISQL_SLOT_TAKEN))
            continue;
        while (known < images->count && images->items[known].process_key != head.process_key)
            known++;
        if (known < images->count || (ours && process_gone(&head)))
            continue;
        if (array_reserve(&images->items, &images->capacity, images->count + 1, error) != 0) {
            free(images->items);
            *images = (struct live_images){0};
            return -1;
        }
        images->items[images->count++] =
            (struct live_image){head.pid, head.process_key, head.owner_start};
    }
    if (images->count > 0)
        qsort(images->items, images->count, sizeof *images->items, by_key);
    images_drop_replaced(images);
    return 0;
}

/* Is the thread gone, as far as we see? */
static bool thread_gone(const struct found *found)
{
    char path[64];
    if (found->owner_start == 0)
        return false; /* its pid may be of another namespace */
    snprintf(path, sizeof path, "/proc/%u/task/%u", found->pid, found->tid);
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* ---- one thread ---- */

static bool heads_agree(const struct fisql_live_slot *before, const struct fisql_live_slot *after)
{
    return before->state == after->state && before->chunk_slot == after->chunk_slot &&
           before->process_key == after->process_key && before->thread == after->thread &&
           before->tid == after->tid &&
           before->word >> FISQL_WORD_FLUSH_SHIFT == after->word >> FISQL_WORD_FLUSH_SHIFT &&
           fisql_word_units(before->word) <= fisql_word_units(after->word);
}

/* Copies the chunk that a thread is filling and completes it as far as reading needs. */
static bool live_copy(const struct reading *reading, const struct found *found, uint64_t *word)
{
    const struct live_source *source = reading->source;
    struct fisql_chunk *chunk = reading->chunk;
    struct fisql_live_slot before, after;
    unsigned char tail[TAIL_BYTES];
    if (!live_source_slot(source, found->slot, &before) || before.state != FISQL_SLOT_LIVE ||
        before.process_key != found->process_key || before.thread != found->thread)
        return false;
    uint32_t used = fisql_word_units(before.word) * 2;
    uint32_t slot = before.chunk_slot != 0 ? before.chunk_slot - 1 : found->slot;
    if (used < sizeof *chunk || used > FISQL_LIVE_CHUNK_BYTES - 8 ||
        !live_source_chunk(source, slot, 0, chunk, used) ||
        !live_source_chunk(source, slot, used - TAIL_BYTES, tail, sizeof tail) ||
        memcmp((unsigned char *)chunk + used - TAIL_BYTES, tail, sizeof tail) != 0 ||
        !live_source_slot(source, found->slot, &after) || !heads_agree(&before, &after))
        return false;
    if (!header_sound(source, chunk) || chunk->process_key != found->process_key ||
        chunk->thread != found->thread || used < fisql_chunk_before(chunk))
        return false;
    chunk->units = (used - fisql_chunk_before(chunk)) / 2;
    chunk->calls = fisql_word_calls(before.word);
    *word = before.word;
    return true;
}

/* Copies a whole chunk. */
static bool whole_copy(const struct reading *reading, const struct found *found)
{
    const struct live_source *source = reading->source;
    struct fisql_chunk *chunk = reading->chunk;
    struct fisql_chunk header;
    if (!live_source_chunk(source, found->chunk_slot, 0, &header, sizeof header) ||
        header.length < sizeof header || header.length > FISQL_LIVE_CHUNK_BYTES ||
        !live_source_chunk(source, found->chunk_slot, 0, chunk, header.length))
        return false;
    return header_sound(source, chunk) && chunk->process_key == found->process_key &&
           chunk->thread == found->thread && chunk->sequence == found->sequence &&
           chunk->length == header.length && (chunk->flags & FISQL_FLAG_PACKED) == 0 &&
           chunk->units <= chunk->length / 2 &&
           fisql_chunk_before(chunk) + chunk->units * 2 <= chunk->length;
}

static void stack_reset(struct live_stack *stack)
{
    stack->open.count = stack->last.count = stack->last_next = stack->outer = 0;
    stack->calls = 0;
}

/* Reads the consecutive chunks in the area before the one that the thread fills: for its last
 * calls, and for calls further out than a snapshot has. */
static int earlier_read(const struct reading *reading, const struct found *found, size_t count,
                        struct live_stack *stack, struct error *error)
{
    size_t follow = 0;
    while (follow + 1 < count && found[follow + 1].state != FISQL_SLOT_TAKEN &&
           found[follow + 1].sequence + 1 == found[follow].sequence)
        follow++;
    for (; follow > 0; follow--) {
        if (!whole_copy(reading, &found[follow]))
            continue;
        if (live_stack_read(stack, reading->chunk, error) != 0) {
            if (error->kind != ERROR_DAMAGE)
                return -1;
            stack_reset(stack);
        }
    }
    return 0;
}

/* 1: *stack is right; 0: not now; -1: no memory. */
static int live_try(const struct reading *reading, const struct found *found, size_t count,
                    struct live_stack *stack, struct error *error)
{
    uint64_t word = 0;
    stack_reset(stack);
    if (reading->options->last_max != 0 && earlier_read(reading, found, count, stack, error) != 0)
        return -1;
    if (!live_copy(reading, found, &word))
        return 0;
    if (live_stack_read(stack, reading->chunk, error) != 0)
        return error->kind == ERROR_DAMAGE ? 0 : -1;
    return stack->outer + stack->open.count == fisql_word_depth(word) &&
           stack->calls - reading->chunk->first_call == fisql_word_calls(word);
}

static int whole_try(const struct reading *reading, const struct found *found,
                     struct live_stack *stack, struct error *error)
{
    stack_reset(stack);
    if (!whole_copy(reading, found))
        return 0;
    if (live_stack_read(stack, reading->chunk, error) != 0)
        return error->kind == ERROR_DAMAGE ? 0 : -1;
    return 1;
}

/* Reads a thread's stack from its slots, the best first. Ring chunks that a flight recorder keeps
 * are LIVE as well: the newest is the one being filled. */
static int thread_read(const struct reading *reading, const struct found *found, size_t count,
                       struct live_thread *thread, struct error *error)
{
    int result = 0;
    thread->how = LIVE_HOW_OFF;
    for (uint32_t tries = 0; tries < LIVE_TRIES && found->state == FISQL_SLOT_LIVE && result == 0;
         tries++)
        result = live_try(reading, found, count, &thread->stack, error);
    if (result > 0)
        thread->how = LIVE_HOW_EXACT;
    for (size_t i = 0; i < count && result == 0 && is_whole(found[i].state); i++)
        if ((result = whole_try(reading, &found[i], &thread->stack, error)) > 0)
            thread->how = LIVE_HOW_CHUNK;
    if (result == 0)
        stack_reset(&thread->stack);
    live_stack_settle(&thread->stack);
    return result < 0 ? -1 : 0;
}

/* ---- all of them ---- */

/* The number of slots of the thread that begins at `first`. */
static size_t group_count(const struct reading *reading, size_t first)
{
    const struct found *found = reading->found;
    size_t end = first + 1;
    while (end < reading->found_count && found[end].process_key == found[first].process_key &&
           found[end].thread == found[first].thread)
        end++;
    return end - first;
}

/* False for a whole chunk alone: its thread is gone. */
static bool group_is_thread(const struct found *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].state == FISQL_SLOT_LIVE || found[i].state == FISQL_SLOT_TAKEN)
            return true;
    return false;
}

/* Has every thread a live slot? */
static bool all_live(const struct reading *reading)
{
    for (size_t i = 0; i < reading->found_count; i += group_count(reading, i))
        if (group_is_thread(&reading->found[i], group_count(reading, i)) &&
            reading->found[i].state != FISQL_SLOT_LIVE)
            return false;
    return true;
}

/* The slot with the thread's head: whole chunks and those of a flight recorder have others. */
static uint32_t head_slot(const struct found *found, size_t count)
{
    size_t head = 0;
    while (head + 1 < count && is_whole(found[head].state))
        head++;
    return found[head].slot;
}

static int groups_read(struct live_threads *threads, const struct reading *reading, bool ours,
                       struct error *error)
{
    size_t count;
    for (size_t i = 0; i < reading->found_count; i += count) {
        const struct found *found = &reading->found[i];
        count = group_count(reading, i);
        if (!group_is_thread(found, count) || (ours && !reading->gone_too && thread_gone(found)))
            continue;
        if (array_reserve(&threads->items, &threads->capacity, threads->count + 1, error) != 0)
            return -1;
        struct live_thread *thread = &threads->items[threads->count++];
        *thread = (struct live_thread){.pid = found->pid,
                                       .tid = found->tid,
                                       .thread = found->thread,
                                       .process_key = found->process_key,
                                       .owner_start = found->owner_start,
                                       .slot = head_slot(found, count)};
        live_stack_init(&thread->stack, reading->options->last_max);
        if (threads->count > 1)
            live_stack_lend(&thread[-1].stack, &thread->stack);
        if (thread_read(reading, found, count, thread, error) != 0)
            return -1;
    }
    return 0;
}

/* ---- chunks for the loader ---- */

/* Copies the chunk into memory of its own and completes it as fisql_slot_finish() does. */
static int chunk_take(struct log_salvaged *chunks, const struct reading *reading, uint64_t tick,
                      struct error *error)
{
    const struct fisql_chunk *copy = reading->chunk;
    uint32_t used = fisql_chunk_before(copy) + copy->units * 2;
    uint32_t length = (used + 7) & ~7u;
    must(length <= FISQL_LIVE_CHUNK_BYTES);
    struct fisql_chunk *chunk = calloc(1, length);
    if (chunk == NULL)
        return error_set(error, "out of memory");
    if (array_reserve(&chunks->chunks, &chunks->capacity, chunks->count + 1, error) != 0) {
        free(chunk);
        return -1;
    }
    memcpy(chunk, copy, used);
    chunk->flags |= FISQL_FLAG_SALVAGED;
    if (reading->source->area.ring_chunks != 0)
        chunk->flags |= FISQL_FLAG_RING;
    fisql_chunk_seal(chunk, length, tick, 0); /* no clock pair: its process's clock is not ours */
    chunks->chunks[chunks->count++] = chunk;
    return 0;
}

static int found_take(struct log_salvaged *chunks, const struct reading *reading,
                      const struct found *found, struct live_stack *stack, struct error *error)
{
    int result = 0;
    if (is_whole(found->state))
        result = whole_try(reading, found, stack, error);
    for (uint32_t tries = 0; tries < LIVE_TRIES && found->state == FISQL_SLOT_LIVE && result == 0;
         tries++)
        result = live_try(reading, found, 1, stack, error);
    return result > 0 ? chunk_take(chunks, reading, stack->tick, error) : result;
}

int live_chunks_read(struct log_salvaged *chunks, struct live_source *source, struct error *error)
{
    const struct live_options options = {0};
    struct reading reading = {.source = source, .options = &options, .gone_too = true};
    struct live_stack stack;
    *chunks = (struct log_salvaged){0};
    live_stack_init(&stack, 0);
    reading.chunk = malloc(FISQL_LIVE_CHUNK_BYTES);
    int result = reading.chunk != NULL ? 0 : error_set(error, "out of memory");
    if (result == 0 && live_source_refresh(source, error) == 0) /* else it has ended */
        result = find_all(&reading, error);
    for (size_t i = 0; result == 0 && i < reading.found_count; i++)
        result = found_take(chunks, &reading, &reading.found[i], &stack, error);
    live_stack_release(&stack);
    free(reading.found);
    free(reading.chunk);
    return result;
}

void live_chunks_release(struct log_salvaged *chunks)
{
    for (size_t i = 0; i < chunks->count; i++)
        free(chunks->chunks[i]);
    free(chunks->chunks);
    *chunks = (struct log_salvaged){0};
}

/* ---- chunks for a follower ---- */

static int found_show(struct reading *reading, const struct found *found, bool last,
                      const struct live_chunks *chunks, struct error *error)
{
    const struct live_chunk_place place = {.process_key = found->process_key,
                                           .pid = found->pid,
                                           .tid = found->tid,
                                           .thread = found->thread,
                                           .sequence = found->sequence,
                                           .units = found->units,
                                           .grows = last && found->state == FISQL_SLOT_LIVE};
    uint64_t word;
    if (found->state == FISQL_SLOT_TAKEN || !chunks->wants(chunks->context, &place))
        return 0;
    bool copied = is_whole(found->state) && whole_copy(reading, found);
    for (uint32_t tries = 0; tries < LIVE_TRIES && found->state == FISQL_SLOT_LIVE && !copied;
         tries++)
        copied = live_copy(reading, found, &word) && reading->chunk->sequence == found->sequence;
    return copied ? chunks->take(chunks->context, &place, reading->chunk, error) : 0;
}

/* The oldest chunk of a thread first. */
static int group_show(struct reading *reading, size_t first, size_t count,
                      const struct live_chunks *chunks, struct error *error)
{
    int result = 0;
    size_t newest = first; /* the thread fills it */
    while (newest + 1 < first + count && reading->found[newest].state != FISQL_SLOT_LIVE)
        newest++;
    for (size_t i = first + count; result == 0 && i > first; i--)
        result = found_show(reading, &reading->found[i - 1], i - 1 == newest, chunks, error);
    return result;
}

int live_chunks_each(struct live_source *source, const struct live_chunks *chunks,
                     struct error *error)
{
    static const struct live_options all = {0};
    struct reading reading = {.source = source, .options = &all, .gone_too = true};
    reading.chunk = malloc(FISQL_LIVE_CHUNK_BYTES);
    int result = reading.chunk != NULL ? 0 : error_set(error, "out of memory");
    if (result == 0 && live_source_refresh(source, error) == 0) /* else it has ended */
        result = find_all(&reading, error);
    for (size_t i = 0, count; result == 0 && i < reading.found_count; i += count) {
        count = group_count(&reading, i);
        result = group_show(&reading, i, count, chunks, error);
    }
    free(reading.found);
    free(reading.chunk);
    return result;
}

/* ---- threads ---- */

int live_threads_read(struct live_threads *threads, struct live_source *source,
                      const struct live_options *options, bool gone_too, struct error *error)
{
    const struct timespec pause = {0, SCAN_PAUSE_NS};
    struct reading reading = {.source = source, .options = options, .gone_too = gone_too};
    *threads = (struct live_threads){0};
    reading.chunk = malloc(FISQL_LIVE_CHUNK_BYTES);
    int result =
        reading.chunk != NULL ? find_all(&reading, error) : error_set(error, "out of memory");
    for (uint32_t scans = 1; result == 0 && scans < SCANS_MAX && !all_live(&reading); scans++) {
        nanosleep(&pause, NULL);
        result = live_source_refresh(source, error) == 0 ? find_all(&reading, error) : -1;
    }
    if (result == 0)
        result = groups_read(threads, &reading, namespace_is_ours(source), error);
    free(reading.found);
    free(reading.chunk);
    return result;
}

void live_threads_release(struct live_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        live_stack_release(&threads->items[i].stack);
    free(threads->items);
    *threads = (struct live_threads){0};
}
