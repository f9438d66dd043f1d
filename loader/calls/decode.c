/*
 * Decoding a thread's chunks and events: see decode.h. The dictionary of a chunk maps slots to
 * pairs of function and site (decode_names.c); calls begin and end in call_stack.c; a chunk's
 * snapshot puts the stack right where chunks before it are missing (decode_snapshot.c).
 */
#include "loader/calls/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/events.h"

int decoder_open(struct decoder **out, struct decode_shared *shared, struct error *error)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    *out = decoder;
    if (decoder == NULL)
        return error_set(error, "out of memory");
    decoder->shared = shared;
    decoder->process = UINT32_MAX;
    decoder->rows = malloc(WINDOW_ROWS * sizeof *decoder->rows);
    if (decoder->rows == NULL)
        return error_set(error, "out of memory");
    return array_reserve(&decoder->stack, &decoder->stack_capacity, 1, error);
}

void decoder_close(struct decoder *decoder)
{
    if (decoder == NULL)
        return;
    rollup_release(&decoder->rollup);
    links_release(&decoder->links);
    intern_release(&decoder->pair_keys);
    free(decoder->callees);
    free(decoder->marks);
    free(decoder->pairs);
    free(decoder->stack);
    free(decoder->rows);
    free(decoder->hidden);
    if (decoder->reader_open)
        log_reader_close(&decoder->reader);
    free(decoder->unloads);
    free(decoder);
}

const struct rollup *decoder_rollup(const struct decoder *decoder)
{
    return &decoder->rollup;
}

void decode_thread_release(struct decode_thread *thread)
{
    for (size_t i = 0; i < thread->notes_count; i++)
        free(thread->notes[i].text);
    for (size_t i = 0; i < thread->anomalies_count; i++)
        free(thread->anomalies[i].detail);
    free(thread->notes);
    free(thread->anomalies);
    free(thread->functions);
}

/* Forgets the calls that a forked child inherited, all others having ended. */
static void drop_inherited(struct decoder *decoder)
{
    while (decoder->depth > 0) {
        struct open_call *call = &decoder->stack[--decoder->depth];
        decoder->pairs[call->pair].open--;
        decoder->pairs[call->pair].inherited--;
    }
    decoder->inherited = 0;
}

/* ---- events ---- */

int decode_damage(struct decoder *decoder, struct error *error, const char *text)
{
    decoder->damaged = true;
    return error_set(error, "%s", text);
}

static int anomaly(struct decoder *decoder, const char *kind, uint32_t function, uint32_t site,
                   uint64_t calls, struct error *error)
{
    struct decode_thread *out = decoder->out;
    if (array_reserve(&out->anomalies, &out->anomalies_capacity, out->anomalies_count + 1, error))
        return -1;
    bool open = decoder->depth > decoder->inherited;
    out->anomalies[out->anomalies_count++] = (struct decode_anomaly){
        .kind = kind,
        .ns = decoder->now_ns,
        .call_id = open ? decoder->stack[decoder->depth - 1].head.call_id : 0,
        .calls = calls,
        .function = function,
        .site = site};
    return 0;
}

static int unwind(struct decoder *decoder, uint32_t calls, struct error *error)
{
    uint32_t ended, outermost;
    if (decode_unwind(decoder, calls, &ended, &outermost, error) != 0)
        return -1;
    return ended == 0 ? 0 : anomaly(decoder, "unwound", outermost, 0, ended, error);
}

static int mismatch(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    if (decode_find_pair(decoder, event->function, event->site, &pair, error) != 0)
        return -1;
    return anomaly(decoder, "mismatched-exit", decoder->pairs[pair].function,
                   decoder->pairs[pair].site, 0, error);
}

/* The pair that a slot stands for, looked up at its first use. */
static int slot_pair(struct decoder *decoder, uint32_t slot, uint32_t *pair, struct error *error)
{
    if (decoder->slots[slot] == 0) {
        if (!decoder->defined[slot] || decoder->definitions[slot].function == 0)
            return decode_damage(decoder, error, "a dictionary slot is used before it is defined");
        if (decode_find_pair(decoder, decoder->definitions[slot].function,
                             decoder->definitions[slot].site, pair, error) != 0)
            return -1;
        decoder->slots[slot] = *pair + 1;
    }
    *pair = decoder->slots[slot] - 1;
    return 0;
}

/* Likewise the place of an allocation. */
static int slot_site(struct decoder *decoder, uint32_t slot, uint32_t *site, struct error *error)
{
    if (decoder->alloc_sites[slot] == 0) {
        if (!decoder->defined[slot] || decoder->definitions[slot].function != 0)
            return decode_damage(decoder, error, "a dictionary slot is used before it is defined");
        if (program_site(decoder->shared->program, decoder->process,
                         decoder->definitions[slot].site, decoder->tick,
                         &decoder->alloc_sites[slot], error) != 0)
            return -1;
    }
    *site = decoder->alloc_sites[slot];
    return 0;
}

#define COUNTED_NS_MAX ((uint64_t)1 << 55) /* a year; a hostile log has more */

/* Calls that the collector counted and did not log. */
static int counted(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t index;
    struct link *link;
    if (slot_pair(decoder, event->slot, &index, error) != 0 ||
        call_link(decoder, index, &link, error) != 0)
        return -1;
    const struct pair *pair = &decoder->pairs[index];
    struct open_call *caller =
        decoder->depth > decoder->inherited ? &decoder->stack[decoder->depth - 1] : NULL;
    /* Their time has passed when the caller goes on: the clock does not show it yet. */
    uint64_t ns = clock_ns(decoder->line, decoder->tick + event->ticks) - decoder->now_ns;
    if (ns > COUNTED_NS_MAX)
        ns = COUNTED_NS_MAX;
    decoder->counted = true;
    if (caller != NULL) {
        caller->child_calls += event->calls;
        caller->children_ns += ns;
    }
    struct tally *tally = &link->tally;
    uint64_t adjusted = tally_adjusted(ns, event->calls, 0, &decoder->shared->cost);
    if (tally->calls == 0 && links_touch(&decoder->links, link, error) != 0)
        return -1;
    tally->calls += event->calls;
    tally->counted += event->calls;
    tally->raw_self_ns += ns;
    if (pair->open == pair->inherited) {
        tally->frame_raw_total_ns += ns;
        tally->frame_total_ns += adjusted;
    }
    if (link->function->open == 0) {
        tally->function_raw_total_ns += ns;
        tally->function_total_ns += adjusted;
    } else {
        tally->recursive += event->calls;
    }
    return 0;
}

static int note(struct decoder *decoder, const struct event *event, struct error *error)
{
    struct decode_thread *out = decoder->out;
    if (array_reserve(&out->notes, &out->notes_capacity, out->notes_count + 1, error) != 0)
        return -1;
    char *text = strndup(event->text, event->text_bytes);
    if (text == NULL)
        return error_set(error, "out of memory");
    bool open = decoder->depth > decoder->inherited;
    out->notes[out->notes_count++] = (struct decode_note){
        open ? decoder->stack[decoder->depth - 1].head.call_id : 0, decoder->now_ns, text};
    return 0;
}

static int allocation(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t site = 0;
    struct memory_stack stack = {decoder->stack + decoder->inherited, sizeof *decoder->stack,
                                 decoder->depth - decoder->inherited};
    if (slot_site(decoder, event->slot, &site, error) != 0)
        return -1;
    if (event->type != EVENT_FREE && event->size > MEMORY_SIZE_BYTES_MAX)
        return decode_damage(decoder, error, "a block larger than any address space");
    if (event->type == EVENT_ALLOC)
        return memory_alloc(decoder->memory, decoder->tick, event->alloc_kind, site, event->address,
                            event->size, &stack, error);
    if (event->type == EVENT_FREE)
        return memory_free(decoder->memory, decoder->tick, event->alloc_kind, site, event->address,
                           &stack, error);
    return memory_realloc(decoder->memory, decoder->tick, decoder->tick + event->elapsed, site,
                          event->old, event->address, event->size, &stack, error);
}

static void define(struct decoder *decoder, const struct event *event)
{
    uint32_t slot = event->slot;
    decoder->slots[slot] = 0;
    decoder->alloc_sites[slot] = 0;
    decoder->defined[slot] = 1;
    decoder->definitions[slot].function = event->function;
    decoder->definitions[slot].site = event->site;
}

static int enter_slot(struct decoder *decoder, uint32_t slot, struct error *error)
{
    uint32_t pair;
    return slot_pair(decoder, slot, &pair, error) != 0
               ? -1
               : call_enter(decoder, pair, decoder->tick, error);
}

static int handle(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    switch (event->type) {
    case EVENT_EXIT:
        return decode_exit(decoder, error);
    case EVENT_ENTER:
        return enter_slot(decoder, event->slot, error);
    case EVENT_DEFINE:
        define(decoder, event);
        return 0;
    case EVENT_TIME:
        return 0;
    case EVENT_ENTER_FULL:
        if (decode_find_pair(decoder, event->function, event->site, &pair, error) != 0)
            return -1;
        return call_enter(decoder, pair, decoder->tick, error);
    case EVENT_UNWIND:
        return unwind(decoder, event->calls, error);
    case EVENT_MISMATCH:
        return mismatch(decoder, event, error);
    case EVENT_NOTE:
        return note(decoder, event, error);
    case EVENT_COUNTED:
        return counted(decoder, event, error);
    case EVENT_PAUSE:
        decoder->hidden_count = 0;
        return call_leave_down_to(decoder, 0, ENDED_LOST, error);
    default:
        return allocation(decoder, event, error);
    }
}

/* ---- chunks ---- */

/* Calls that were entered in a chunk that is missing, and that a snapshot shows open, have rows:
 * they are not lost. `loss` is their loss's index + 1, 0 = a flight recorder dropped them. */
static void found_again(struct decoder *decoder, uint32_t loss, uint32_t calls)
{
    struct log_index *index = decoder->shared->index;
    pthread_mutex_lock(&decoder->shared->program->lock);
    uint64_t *lost = loss != 0 ? &index->losses[loss - 1].calls : &index->ring_calls;
    *lost -= *lost < calls ? *lost : calls;
    pthread_mutex_unlock(&decoder->shared->program->lock);
}

/* The ids that this chunk's calls may use end where its header says; those that chunks before it
 * did not use (they were lost) stay free. */
static int decode_chunk(struct decoder *decoder, const struct log_chunk *place,
                        const struct fisql_chunk *chunk, bool first, struct error *error)
{
    struct event_cursor cursor = events_begin(chunk);
    struct event event;
    memset(decoder->defined, 0, sizeof decoder->defined);
    memset(decoder->slots, 0, sizeof decoder->slots);
    memset(decoder->alloc_sites, 0, sizeof decoder->alloc_sites);
    uint64_t before = first ? 0 : decoder->tick, before_ns = decoder->now_ns;
    /* Where it lies behind, by another core's clock, now_ns waits for it. */
    decoder->tick = chunk->tick_start;
    decode_advance(decoder, 0);
    decoder->end_id = decoder->thread->first_call_id + decoder->thread->call_ids;
    decoder->chunk_first_id = decoder->next_id;
    bool resumed = (chunk->flags & FISQL_FLAG_RESUMED) != 0;
    if (first || place->gap || resumed) {
        if ((place->gap || resumed) && memory_gap(decoder->memory, before, error) != 0)
            return -1;
        uint32_t unseen = 0;
        if (decode_reconcile(decoder, chunk, before_ns, &unseen, error) != 0)
            return -1;
        if (place->gap && (place->loss != 0 || (place->flags & FISQL_FLAG_RING)))
            found_again(decoder, place->loss, unseen);
    }
    decoder->chunk_first_id = decoder->next_id;
    for (;;) {
        if (call_plain_events(decoder, &cursor, error) != 0)
            return -1;
        int got = event_next(&cursor, &event);
        if (got == 0)
            return 0;
        if (got < 0)
            return decode_damage(decoder, error, "an event that the format does not know");
        if (event.type != EVENT_DEFINE && event.type != EVENT_COUNTED)
            decode_advance(decoder, event.ticks);
        if (handle(decoder, &event, error) != 0)
            return -1;
    }
}

static int read_chunk(struct decoder *decoder, const struct log_chunk *place,
                      const struct fisql_chunk **chunk, struct error *error)
{
    struct fisql_chunk *found;
    if (place->salvaged) {
        *chunk = decoder->shared->index->salvaged.chunks[place->offset];
        return 0;
    }
    if (log_window_chunk(&decoder->reader.window, place->offset, place->length, &found, error) != 0)
        return -1;
    *chunk = found;
    if (found == NULL)
        return error_set(error, "%s: became shorter while it was read",
                         decoder->reader.window.path);
    return log_chunk_is_sane(*chunk) && (*chunk)->length == place->length
               ? 0
               : error_set(error, "%s: changed while it was read", decoder->reader.window.path);
}

static int thread_begin(struct decoder *decoder, uint32_t thread, struct decode_thread *out,
                        struct error *error)
{
    struct decode_shared *shared = decoder->shared;
    decoder->thread = &shared->index->threads[thread];
    decoder->out = out;
    *out = (struct decode_thread){.start_ns = UINT64_MAX};
    if (decoder->process != decoder->thread->process) {
        intern_clear(&decoder->pair_keys);
        links_forget_pairs(&decoder->links);
        decoder->process = decoder->thread->process;
        if (decode_find_unloads(decoder, error) != 0)
            return -1;
    }
    if (!decoder->reader_open && log_reader_open(&decoder->reader, shared->index->path, error) != 0)
        return -1;
    decoder->reader_open = true;
    for (uint32_t i = 0; i < decoder->pair_keys.count; i++)
        decoder->pairs[i].open = decoder->pairs[i].inherited = 0;
    decoder->threads_begun++;
    decoder->callees_count = decoder->marks_count = 0;
    decoder->line = &shared->clock->lines[decoder->process];
    decoder->depth = decoder->inherited = 0;
    decoder->hidden_count = 0;
    decoder->tick = decoder->now_ns = 0;
    decoder->next_id = decoder->window_start = decoder->thread->first_call_id;
    if (shared->file != NULL && btree_part_begin(shared->file, &out->part, error) != 0)
        return -1;
    return memory_thread_begin(shared->memory, decoder->thread->id,
                               shared->index->processes[decoder->process].id, &decoder->memory,
                               error);
}

/* A chunk whose events break the rules: what came before it in the chunk stays, the calls that it
 * would have entered are missing. *number gets the loss's index + 1. */
static int chunk_damaged(struct decoder *decoder, const struct log_chunk *place,
                         const struct error *why, uint32_t *number, struct error *error)
{
    struct log_loss loss = log_loss_of("damaged");
    char reason[64] = "damaged";
    char detail[sizeof why->text];
    snprintf(detail, sizeof detail, "%s", why->text);
    loss.reason = reason;
    loss.detail = detail;
    loss.thread_id = decoder->thread->id;
    loss.process_id = decoder->shared->index->processes[decoder->process].id;
    loss.offset = place->salvaged ? UINT64_MAX : place->offset;
    loss.bytes = place->length;
    loss.chunks = 1;
    uint64_t entered = decoder->next_id - decoder->chunk_first_id;
    loss.calls = place->calls > entered ? place->calls - entered : 0;
    decoder->out->damaged_chunks++;
    struct log_index *index = decoder->shared->index;
    pthread_mutex_lock(&decoder->shared->program->lock);
    size_t count = index->losses_count;
    int result = log_index_add_loss(index, &loss, error);
    *number = index->losses_count > count ? (uint32_t)index->losses_count : 0;
    pthread_mutex_unlock(&decoder->shared->program->lock);
    return result;
}

static int decode_chunks(struct decoder *decoder, struct error *error)
{
    const struct log_thread *thread = decoder->thread;
    bool damaged = false;
    uint32_t loss = 0; /* of the chunk before, where it was damaged */
    for (uint32_t i = 0; i < thread->chunks; i++) {
        struct log_chunk place = decoder->shared->index->chunks[thread->first_chunk + i];
        const struct fisql_chunk *chunk;
        struct error why;
        place.loss = place.gap || !damaged ? place.loss : loss;
        place.gap |= damaged;
        if (read_chunk(decoder, &place, &chunk, error) != 0)
            return -1;
        if (i == 0)
            decoder->out->start_ns = clock_ns(decoder->line, chunk->tick_start);
        decoder->damaged = damaged = false;
        __atomic_fetch_add(&decoder->shared->bytes_done, place.length, __ATOMIC_RELAXED);
        if (decode_chunk(decoder, &place, chunk, i == 0, error) == 0)
            continue;
        if (!decoder->damaged)
            return -1;
        damaged = true;
        why = *error;
        if (chunk_damaged(decoder, &place, &why, &loss, error) != 0)
            return -1;
    }
    return damaged ? memory_gap(decoder->memory, decoder->tick, error) : 0;
}

int decoder_thread(struct decoder *decoder, uint32_t thread, struct decode_thread *out,
                   struct error *error)
{
    if (thread_begin(decoder, thread, out, error) != 0 || decode_chunks(decoder, error) != 0)
        return -1;
    out->end_ns = decoder->now_ns;
    if (call_leave_down_to(decoder, decoder->inherited, ENDED_OPEN, error) != 0)
        return -1;
    drop_inherited(decoder);
    if (call_rows_flush(decoder, 0, error) != 0 || decode_thread_fold(decoder, error) != 0 ||
        memory_thread_end(decoder->memory, error) != 0)
        return -1;
    return out->part == NULL ? 0 : btree_part_end(out->part, error);
}
