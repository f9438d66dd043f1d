/*
 * Decoding a thread's chunks and events: see decode.h. The dictionary of a chunk (dictionary.h)
 * maps slots to pairs of function and site (pairs.h); calls begin and end in hot_loop.c; a chunk's
 * snapshot corrects the stack if chunks before it are missing (decode_snapshot.c).
 */
#include "loader/calls/decode_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/large.h"
#include "base/must.h"
#include "loader/log/events.h"

int decoder_open(struct decoder **out, struct decode_shared *shared, struct error *error)
{
    struct decoder *decoder = large_alloc(sizeof *decoder);
    *out = decoder;
    if (decoder == NULL)
        return error_set(error, "out of memory");
    decoder->shared = shared;
    decoder->process = UINT32_MAX;
    rollup_init(&decoder->rollup);
    rollup_help(&decoder->rollup, shared->helpers);
    links_init(&decoder->links, shared->helpers);
    chunk_source_init(&decoder->source, shared->index, shared->helpers);
    pairs_init(&decoder->pairs);
    callee_history_init(&decoder->history, &decoder->rollup);
    dictionary_clear(&decoder->dictionary);
    gaps_init(&decoder->gaps);
    value_calls_init(&decoder->values, shared->values);
    if (call_stack_init(&decoder->stack, error) != 0)
        return -1;
    decoder->kept = shared->kept;
    return row_window_init(&decoder->window, shared->helpers, shared->keeps ? &decoder->kept : NULL,
                           &decoder->history, &decoder->picture, &shared->calls_done, error);
}

void decoder_close(struct decoder *decoder)
{
    if (decoder == NULL)
        return;
    rollup_release(&decoder->rollup);
    links_release(&decoder->links);
    alloc_places_release(&decoder->places);
    pairs_release(&decoder->pairs);
    call_stack_release(&decoder->stack);
    gaps_release(&decoder->gaps);
    callee_history_release(&decoder->history);
    call_picture_release(&decoder->picture);
    row_window_release(&decoder->window);
    kept_rows_release(&decoder->kept);
    value_calls_release(&decoder->values);
    chunk_source_release(&decoder->source);
    large_free(decoder, sizeof *decoder);
}

void decoder_end(struct decoder *decoder)
{
    if (decoder == NULL)
        return;
    row_window_stop(&decoder->window);
    chunk_source_end(&decoder->source);
    spare_block_release(&decoder->rollup.spare);
    links_release(&decoder->links);
    pairs_release(&decoder->pairs);
    value_calls_done(&decoder->values);
}

struct value_calls *decoder_values(struct decoder *decoder)
{
    return &decoder->values;
}

const struct kept_rows *decoder_kept(const struct decoder *decoder)
{
    return &decoder->kept;
}

struct rollup *decoder_rollup(struct decoder *decoder)
{
    return &decoder->rollup;
}

/* Forgets the inherited calls; all others have ended. */
static void drop_inherited(struct decoder *decoder)
{
    while (decoder->stack.depth > 0) {
        const struct open_call *call = &decoder->stack.items[--decoder->stack.depth];
        decoder->pairs.items[call->pair].open--;
        decoder->pairs.items[call->pair].inherited--;
    }
    decoder->stack.inherited = 0;
}

/* ---- events ---- */

static int anomaly(struct decoder *decoder, const char *kind, uint32_t function, uint32_t site,
                   uint64_t calls, struct error *error)
{
    struct decode_record *record = decode_record(decoder, DECODE_ANOMALY, NULL, 0, error);
    if (record == NULL)
        return -1;
    record->site = site;
    record->anomaly.kind = kind;
    record->anomaly.calls = calls;
    record->anomaly.function = function;
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
    return anomaly(decoder, "mismatched-exit", decoder->pairs.items[pair].function,
                   decoder->pairs.items[pair].site, 0, error);
}

/* The slot's pair; looks it up at its first use. */
static int slot_pair(struct decoder *decoder, uint32_t slot, uint32_t *pair, struct error *error)
{
    struct dictionary *dictionary = &decoder->dictionary;
    if (dictionary->pairs[slot] == 0) {
        const struct definition *definition;
        if (dictionary_call(dictionary, slot, &definition, error) != 0 ||
            decode_find_pair(decoder, definition->function, definition->site, pair, error) != 0)
            return -1;
        dictionary_keep(dictionary, slot, *pair + 1);
    }
    *pair = dictionary->pairs[slot] - 1;
    return 0;
}

/* The site of an allocation's slot; looks it up at its first use. */
static int slot_site(struct decoder *decoder, uint32_t slot, uint32_t *site, struct error *error)
{
    uint32_t *known = &decoder->dictionary.alloc_sites[slot];
    if (*known == 0) {
        const struct definition *definition;
        if (dictionary_alloc(&decoder->dictionary, slot, &definition, error) != 0 ||
            program_site(decoder->shared->program, decoder->process, definition->site,
                         decoder->clock.tick, known, error) != 0)
            return -1;
    }
    *site = *known;
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
    struct open_call *caller = call_stack_own_top(&decoder->stack);
    /* The clock does not show their time yet: the caller's next event moves it. */
    uint64_t ns =
        clock_ns(decoder->clock.line, decoder->clock.tick + event->ticks) - decoder->clock.now_ns;
    if (ns > COUNTED_NS_MAX)
        ns = COUNTED_NS_MAX;
    decoder->counted = true;
    if (caller != NULL) {
        caller->child_calls += event->calls;
        caller->children_ns += ns;
    }
    if (link->function->open > 0)
        link->function->recursion.calls += event->calls;
    struct counted_calls calls = {.link = link,
                                  .calls = event->calls,
                                  .raw_ns = ns,
                                  .hooks_ps = event->calls * decoder->hooks.cost.inside_ps};
    return links_touch(&decoder->links, link, error) != 0
               ? -1
               : row_window_counted(&decoder->window, &calls, error);
}

static int note(struct decoder *decoder, const struct event *event, struct error *error)
{
    return decode_record(decoder, DECODE_NOTE, event->text, event->text_bytes, error) != NULL ? 0
                                                                                              : -1;
}

static int fault(struct decoder *decoder, const struct event *event, struct error *error)
{
    struct decode_record *record = decode_record(decoder, DECODE_FAULT, NULL, 0, error);
    if (record == NULL)
        return -1;
    record->rule = event->rule;
    return program_site(decoder->shared->program, decoder->process, event->site,
                        decoder->clock.tick, &record->site, error);
}

static int object(struct decoder *decoder, const struct event *event, struct error *error)
{
    const char *text = event->object_kind == FISQL_OBJECT_KEEP ? event->text : NULL;
    struct decode_record *record =
        decode_record(decoder, DECODE_OBJECT, text, text != NULL ? event->text_bytes : 0, error);
    uint32_t pair;
    if (record == NULL || decode_find_pair(decoder, 0, event->site, &pair, error) != 0)
        return -1;
    record->site = decoder->pairs.items[pair].site;
    record->object.address = event->address;
    record->object.number = event->number;
    record->object.kind = event->object_kind;
    return 0;
}

static int allocation(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t site = 0;
    uint64_t tick = decoder->clock.tick;
    struct memory_stack stack = call_stack_own(&decoder->stack);
    const struct open_call *top = call_stack_top(&decoder->stack);
    if (slot_site(decoder, event->slot, &site, error) != 0 ||
        alloc_places_find(&decoder->places, decoder->shared->program, site,
                          top != NULL ? top->head.function_id : 0, &site, error) != 0)
        return -1;
    if (event->type != EVENT_FREE && event->size > MEMORY_SIZE_BYTES_MAX)
        return error_set_kind(error, ERROR_DAMAGE, "a block larger than any address space");
    if (event->type == EVENT_ALLOC)
        return memory_alloc(decoder->memory, tick, event->alloc_kind, site, event->address,
                            event->size, &stack, error);
    if (event->type == EVENT_FREE)
        return memory_free(decoder->memory, tick, event->alloc_kind, site, event->address, &stack,
                           error);
    return memory_realloc(decoder->memory, tick, tick + event->elapsed, site, event->old,
                          event->address, event->size, &stack, error);
}

static int enter_slot(struct decoder *decoder, uint32_t slot, struct error *error)
{
    uint32_t pair;
    return slot_pair(decoder, slot, &pair, error) != 0
               ? -1
               : call_enter(decoder, pair, decoder->clock.tick, error);
}

/* Any event but values, which decode_values() takes. */
static int decode_event(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    must(event->type < EVENT_ARGUMENTS);
    switch (event->type) {
    case EVENT_EXIT:
        return decode_exit(decoder, error);
    case EVENT_ENTER:
        return enter_slot(decoder, event->slot, error);
    case EVENT_DEFINE:
        dictionary_define(&decoder->dictionary, event->slot,
                          (struct definition){event->function, event->site});
        return 0;
    case EVENT_TIME:
        return 0;
    case EVENT_GAP:
        gaps_read(&decoder->gaps, &event->gap, &decoder->clock);
        return 0;
    case EVENT_HELD:
        decode_write_held(decoder, event->elapsed);
        return 0;
    case EVENT_ENTER_FULL:
        if (decode_find_pair(decoder, event->function, event->site, &pair, error) != 0)
            return -1;
        return call_enter(decoder, pair, decoder->clock.tick, error);
    case EVENT_UNWIND:
        return unwind(decoder, event->calls, error);
    case EVENT_MISMATCH:
        return mismatch(decoder, event, error);
    case EVENT_NOTE:
        return note(decoder, event, error);
    case EVENT_CHECKPOINT:
        return decode_checkpoint(decoder, event, error);
    case EVENT_PAUSED:
        return decode_paused(decoder, error);
    case EVENT_RESUMED:
        return decode_resumed(decoder, error);
    case EVENT_FAULT:
        return fault(decoder, event, error);
    case EVENT_INCIDENT:
        return decode_incident(decoder, event, error);
    case EVENT_OBJECT:
        return object(decoder, event, error);
    case EVENT_LOCK:
        return decode_lock(decoder, event, error);
    case EVENT_COUNTED:
        return counted(decoder, event, error);
    case EVENT_PAUSE:
        decoder->paused = true;
        decoder->stack.hidden_count = 0;
        return call_leave_down_to(decoder, 0, ENDED_LOST, error);
    case EVENT_ALLOC:
    case EVENT_FREE:
    case EVENT_REALLOC:
        return allocation(decoder, event, error);
    case EVENT_ARGUMENTS:
    case EVENT_RESULT:
    case EVENT_EXIT_VALUES: /* decode_values() takes them */
        break;
    }
    return 0;
}

/* ---- chunks ---- */

/* Notes a gap's time, and how many calls were entered in it that the snapshot shows open: they have
 * rows, so they are not lost. */
static int gap_ends(struct decoder *decoder, const struct log_chunk *place, uint64_t from_tick,
                    uint32_t unseen, struct error *error)
{
    bool ring = (place->flags & FISQL_FLAG_RING) != 0 && !place->earlier;
    uint64_t to_tick = place->tick_start;
    struct loss_found found = {
        .number = place->loss != 0 || ring ? place->loss : LOSS_NONE,
        .calls = unseen,
        .from_tick = from_tick,
        .to_tick = from_tick != TICK_UNKNOWN && to_tick < from_tick ? from_tick : to_tick};
    return decode_losses_found(&decoder->out->losses, &found, error);
}

/* The ring dropped chunks, or they are in an earlier log, so the calls open behind them lack
 * callees. A call's time from the last known event (before_ns) until its open callee was entered, or
 * until now for the innermost call, counts as its callees' time: so no call's own time holds that of
 * dropped calls. `confirmed` calls were on the stack before. If a callee of the innermost of them
 * ended unseen, the time of that callee is counted already. */
static int calls_cut(struct decoder *decoder, uint64_t before_ns, uint32_t confirmed,
                     bool callee_ended, struct error *error)
{
    struct decoded_thread *out = decoder->out;
    const struct call_stack *stack = &decoder->stack;
    size_t more = stack->depth - stack->inherited;
    if (array_reserve(&out->cut_calls.items, &out->cut_calls.capacity, out->cut_calls.count + more,
                      error) != 0)
        return -1;
    for (uint32_t i = stack->inherited; i < stack->depth; i++) {
        struct open_call *call = &stack->items[i];
        bool innermost = i + 1 == stack->depth, known = i + 1 == confirmed && callee_ended;
        uint64_t until_ns = innermost ? decoder->clock.now_ns : call[1].enter_ns;
        uint64_t from_ns = call->enter_ns > before_ns ? call->enter_ns : before_ns;
        if (until_ns > from_ns && !known)
            call->children_ns += until_ns - from_ns;
        out->cut_calls.items[out->cut_calls.count++] = (struct decode_cut_call){
            call->head.call_id, call->head.function_id, call->head.frame_id};
    }
    return 0;
}

/* Decodes an event that is not for the hot loop. Returns 1; 0 = there is none; -1. *behind: the
 * event before, then this one. */
static int decode_next(struct decoder *decoder, struct event_cursor *cursor, bool pending,
                       enum behind *behind, struct error *error)
{
    struct event event;
    int got = event_next(cursor, &event);
    if (got == 0)
        return 0;
    if (got < 0)
        return error_set_kind(error, ERROR_DAMAGE, "an event that the format does not know");
    if (event.type >= EVENT_ARGUMENTS) {
        enum behind what = *behind;
        *behind = event.type == EVENT_EXIT_VALUES ? BEHIND_EXIT_VALUES : BEHIND_OTHERS;
        return decode_values(decoder, &event, what, error) != 0 ? -1 : 1;
    }
    decoder->hooks.timed = event.type != EVENT_ENTER || event.ticks != 0;
    if (event_clock(event.type) != FISQL_CLOCK_STILL)
        thread_clock_advance(&decoder->clock, event.ticks);
    if (pending && event_clock(event.type) == FISQL_CLOCK_INSTANT &&
        (decode_gap_ends(decoder, error) != 0 || decode_write_ends(decoder, error) != 0))
        return -1;
    decoder->ended.call_id = 0; /* an exit may end a call without a row */
    *behind = event.type == EVENT_EXIT                                      ? BEHIND_EXIT
              : event.type == EVENT_ENTER || event.type == EVENT_ENTER_FULL ? BEHIND_ENTER
                                                                            : BEHIND_OTHERS;
    if (decode_event(decoder, &event, error) != 0)
        return -1;
    decode_note_depth(decoder, event_clock(event.type) == FISQL_CLOCK_INSTANT && event.ticks != 0);
    return 1;
}

static int decode_chunk(struct decoder *decoder, const struct log_chunk *place,
                        const struct fisql_chunk *chunk, bool first, struct error *error)
{
    struct event_cursor cursor = events_begin(chunk);
    enum behind behind = BEHIND_OTHERS;
    decoder->hooks.sampled = (chunk->flags & FISQL_FLAG_SAMPLED) != 0;
    decoder->hooks.timed = true;
    dictionary_clear(&decoder->dictionary);
    value_calls_forget_names(&decoder->values);
    if (decoder->pairs.unloads_count > 0)
        dictionary_forget(&decoder->dictionary);
    uint64_t before = first ? 0 : decoder->clock.tick, before_ns = decoder->clock.now_ns;
    thread_clock_set(&decoder->clock, chunk->tick_start);
    decoder->ids.end = decoder->thread->first_call_id + decoder->thread->call_ids;
    decoder->ids.first = decoder->window.next_id;
    bool resumed = (chunk->flags & FISQL_FLAG_RESUMED) != 0;
    decoder->paused = false;
    if (first || place->gap || resumed) {
        if (place->gap || resumed) {
            memory_gap(decoder->memory, before);
            gaps_interrupt(&decoder->gaps);
            if (decode_pauses_end(decoder, before_ns, error) != 0)
                return -1;
        }
        uint32_t unseen = 0, open = decoder->stack.depth;
        if (decode_reconcile(decoder, chunk, before_ns, &unseen, error) != 0)
            return -1;
        if (place->gap && gap_ends(decoder, place, first ? decoder->thread->start_tick : before,
                                   unseen, error) != 0)
            return -1;
        uint32_t confirmed = decoder->stack.depth - unseen;
        if (place->gap && log_chunk_cut(place) &&
            calls_cut(decoder, before_ns, confirmed, open > confirmed, error) != 0)
            return -1;
    }
    decoder->ids.first = decoder->window.next_id;
    decoder->hooks.write_ns = 0;
    if (!first && !place->gap && !resumed)
        decode_write_begin(decoder, fisql_cost_unpack(place->cost).write_ticks, before_ns);
    for (;;) {
        /* While anything is pending, the next event is not for the hot loop. */
        bool pending = decoder->gaps.pending || decoder->hooks.write_ns != 0;
        const uint16_t *at = cursor.at;
        if (!pending && !cursor.in_leaf && decode_hot_loop(decoder, &cursor, error) != 0)
            return -1;
        if (cursor.at != at) /* the hot loop entered or left a call last */
            behind = call_stack_call_id(&decoder->stack) == decoder->window.next_id - 1
                         ? BEHIND_ENTER
                         : BEHIND_EXIT;
        int got = decode_next(decoder, &cursor, pending, &behind, error);
        if (got <= 0)
            return got;
    }
}

static int thread_begin(struct decoder *decoder, uint32_t thread, struct decoded_thread *out,
                        struct error *error)
{
    struct decode_shared *shared = decoder->shared;
    decoder->thread = &shared->index->threads[thread];
    decoder->out = out;
    *out = (struct decoded_thread){.start_ns = UINT64_MAX};
    decode_losses_init(&out->losses, shared->index);
    if (decoder->process != decoder->thread->process) {
        decoder->process = decoder->thread->process;
        if (pairs_begin_process(&decoder->pairs, shared->index, decoder->process, error) != 0)
            return -1;
        dictionary_forget(&decoder->dictionary);
    }
    pairs_begin_thread(&decoder->pairs);
    decoder->threads_begun++;
    decoder->hooks.untimed = 0;
    decoder->hooks.spares = HOOK_SPARES;
    call_stack_clear(&decoder->stack);
    thread_clock_begin(&decoder->clock, &shared->clock->lines[decoder->process]);
    if (shared->file != NULL && btree_part_begin(shared->file, &out->part, error) != 0)
        return -1;
    row_window_begin(&decoder->window, decoder->thread->id, decoder->threads_begun,
                     decoder->thread->first_call_id, out->part);
    call_picture_begin(&decoder->picture, &shared->scale, decoder->thread->first_call_id,
                       &out->picture);
    gaps_begin(&decoder->gaps, decoder->thread, decoder->clock.line, &out->gaps);
    if (decode_values_begin(decoder, error) != 0)
        return -1;
    decoder->paused = false;
    const struct log_process *process = &shared->index->processes[decoder->process];
    if (memory_thread_begin(shared->memory, decoder->thread->id, process->id, &decoder->memory,
                            error) != 0)
        return -1;
    if (decoder->process < shared->index->facts.earlier.processes) /* it has earlier blocks */
        memory_gap(decoder->memory, 0);
    return 0;
}

/* Adds the loss of a chunk whose events break the rules. What was decoded of it stays; the calls
 * that it had still to enter are missing. *number: the loss's. */
static int chunk_damaged(struct decoder *decoder, const struct log_chunk *place, struct error *why,
                         uint32_t *number, struct error *error)
{
    struct log_loss loss = log_loss_of("damaged");
    uint64_t entered = decoder->window.next_id - decoder->ids.first;
    loss.detail = why->text;
    loss.thread_id = decoder->thread->id;
    loss.process_id = decoder->shared->index->processes[decoder->process].id;
    loss.offset = why->offset;
    loss.bytes = place->length;
    loss.chunks = 1;
    loss.clock_process = decoder->process;
    loss.from_tick = decoder->clock.tick;
    loss.calls = place->calls > entered ? place->calls - entered : 0;
    return decode_losses_add(&decoder->out->losses, &loss, number, error);
}

/* The tick of the chunk's first event with an instant; without one, the chunk's start. */
static uint64_t first_tick(const struct fisql_chunk *chunk)
{
    struct event_cursor cursor = events_begin(chunk);
    struct event event;
    uint64_t tick = chunk->tick_start;
    while (event_next(&cursor, &event) > 0) {
        enum fisql_event_clock clock = event_clock(event.type);
        if (clock == FISQL_CLOCK_STILL)
            continue;
        tick += event.ticks;
        if (clock == FISQL_CLOCK_INSTANT)
            return tick;
    }
    return chunk->tick_start;
}

/* The thread's chunk number i. ERROR_DAMAGE: its events break the rules. */
static int decode_place(struct decoder *decoder, const struct log_chunk *place, uint32_t i,
                        struct error *error)
{
    const struct fisql_chunk *chunk = NULL;
    const struct log_thread *thread = decoder->thread;
    const struct log_chunk *next =
        i + 1 < thread->chunks ? &decoder->shared->index->chunks[thread->first_chunk + i + 1]
                               : NULL;
    if (i == 0)
        decoder->out->start_ns = clock_ns(decoder->clock.line, place->tick_start);
    decoder->ids.first = decoder->window.next_id;
    if (decode_cost_begin(decoder, thread->first_chunk + i, error) != 0 ||
        chunk_source_get(&decoder->source, place, next, &chunk, error) != 0)
        return -1;
    if (i == 0)
        decoder->out->start_ns = clock_ns(decoder->clock.line, first_tick(chunk));
    __atomic_fetch_add(&decoder->shared->bytes_done, place->length, __ATOMIC_RELAXED);
    return decode_chunk(decoder, place, chunk, i == 0, error);
}

/* *last_damaged: is the thread's last chunk damaged? */
static int decode_chunks(struct decoder *decoder, bool *last_damaged, struct error *error)
{
    const struct log_thread *thread = decoder->thread;
    bool damaged = false;
    uint32_t loss = 0; /* the previous chunk's, if that was damaged */
    for (uint32_t i = 0; i < thread->chunks; i++) {
        struct log_chunk place = decoder->shared->index->chunks[thread->first_chunk + i];
        struct error why;
        place.loss = place.gap || !damaged ? place.loss : loss;
        place.gap |= damaged;
        damaged = false;
        if (decode_place(decoder, &place, i, error) == 0)
            continue;
        if (error->kind != ERROR_DAMAGE)
            return -1;
        damaged = true;
        error_at(error, decoder->shared->index->path,
                 place.salvaged ? ERROR_NO_OFFSET : place.offset);
        why = *error;
        if (chunk_damaged(decoder, &place, &why, &loss, error) != 0)
            return -1;
    }
    if (damaged)
        memory_gap(decoder->memory, decoder->clock.tick);
    *last_damaged = damaged;
    return 0;
}

/* How the calls ended that are open at the thread's end. No call outlives its thread, but
 * pthread_exit() and cancellation leave no exits. */
static enum ended ended_at_last(const struct decoder *decoder, bool damaged)
{
    if (!decoder->thread->exited)
        return ENDED_OPEN;
    bool lost = damaged || decoder->shared->index->processes[decoder->process].ends_lost;
    return lost ? ENDED_LOST : ENDED_UNWOUND;
}

int decoder_decode_thread(struct decoder *decoder, uint32_t thread, struct decoded_thread *out,
                          struct error *error)
{
    bool damaged;
    if (thread_begin(decoder, thread, out, error) != 0 ||
        decode_chunks(decoder, &damaged, error) != 0 ||
        decode_thread_ends(decoder, damaged, error) != 0)
        return -1;
    out->end_ns = decoder->clock.now_ns;
    decode_writes_sort(out);
    if (call_leave_down_to(decoder, decoder->stack.inherited, ended_at_last(decoder, damaged),
                           error) != 0)
        return -1;
    drop_inherited(decoder);
    if (row_window_finish(&decoder->window, error) != 0 ||
        call_picture_end(&decoder->picture,
                         decoder->window.next_id - decoder->thread->first_call_id, error) != 0 ||
        decode_values_end(decoder, error) != 0 || decode_fold_thread(decoder, error) != 0 ||
        memory_thread_end(decoder->memory, error) != 0)
        return -1;
    return out->part == NULL ? 0 : btree_part_end(out->part, error);
}
