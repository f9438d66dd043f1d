/*
 * The stack of open calls: entering and leaving, the calls' rows, and all that is added up over
 * them.
 *
 * A call's row is complete at its exit, but rows must be written in the order of entries: so rows
 * wait in a window until it is full; calls that are then still open are written with fields at full
 * width and patched when they end.
 *
 * Frames fold recursion: a call whose (function, site) pair is already open in the thread belongs
 * to that open frame.
 */
#include "loader/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/array.h"

#define CALL_COLUMNS 10
#define OPEN_MAX (1u << 24) /* a deeper stack is damage */

/* ---- rows ---- */

static void row_record(struct record *record, const struct decoder *decoder, const struct row *row)
{
    bool plain = row->descendants == 0 && row->children_ns == 0 && row->ended == 0;
    record_begin(record, plain ? CALL_COLUMNS - 3 : CALL_COLUMNS);
    record_null(record);
    record_int(record, decoder->thread->id);
    record_int(record, row->frame);
    record_int(record, row->depth);
    record_int(record, (int64_t)row->enter_ns);
    record_int(record, (int64_t)row->duration_ns);
    record_id_or_null(record, row->distance);
    if (plain)
        return;
    record_int(record, (int64_t)row->descendants);
    record_int(record, (int64_t)row->children_ns);
    record_int(record, row->ended);
}

/* The record of a call that is still open: what its end will tell is at full width. */
static uint32_t open_record(struct record *record, const struct decoder *decoder,
                            const struct row *row)
{
    record_begin(record, CALL_COLUMNS);
    record_null(record);
    record_int(record, decoder->thread->id);
    record_int(record, row->frame);
    record_int(record, row->depth);
    record_int(record, (int64_t)row->enter_ns);
    uint32_t offset = record_int_full(record, 0);
    record_id_or_null(record, row->distance);
    record_int_full(record, 0);
    record_int_full(record, 0);
    record_int_full(record, ENDED_OPEN);
    return offset;
}

/* Bytes that parent_distance takes in a record; the fields to patch lie around it. */
static uint32_t distance_bytes(uint64_t distance)
{
    struct record record;
    record_begin(&record, 1);
    record_id_or_null(&record, distance);
    return record_bytes(&record) - 2;
}

int call_rows_flush(struct decoder *decoder, struct error *error)
{
    uint64_t count = decoder->next_id - decoder->window_start;
    struct btree_part *part = decoder->out->part;
    struct record record;
    uint32_t open = 0; /* the next call of the stack whose row may lie in the window */
    while (open < decoder->depth && decoder->stack[open].head.call_id < decoder->window_start)
        open++;
    for (uint64_t i = 0; i < count && part != NULL; i++) {
        const struct row *row = &decoder->rows[i];
        uint64_t id = decoder->window_start + i;
        struct btree_place place;
        uint32_t offset = 0;
        if (row->done)
            row_record(&record, decoder, row);
        else
            offset = open_record(&record, decoder, row);
        if (btree_append(part, (int64_t)id, record_data(&record), record_bytes(&record), 0, &place,
                         error) != 0)
            return -1;
        if (row->done)
            continue;
        while (open < decoder->depth && decoder->stack[open].head.call_id < id)
            open++;
        if (open < decoder->depth && decoder->stack[open].head.call_id == id) {
            decoder->stack[open].written = true;
            decoder->stack[open].place = place;
            decoder->stack[open].duration_offset = offset;
        }
    }
    __atomic_fetch_add(&decoder->shared->calls_done, count, __ATOMIC_RELAXED);
    decoder->window_start = decoder->next_id;
    return 0;
}

static int row_patch(struct decoder *decoder, const struct open_call *call, const struct row *row,
                     struct error *error)
{
    unsigned char duration[8], rest[24];
    record_put_int(duration, (int64_t)row->duration_ns);
    record_put_int(rest, (int64_t)row->descendants);
    record_put_int(rest + 8, (int64_t)row->children_ns);
    record_put_int(rest + 16, row->ended);
    uint32_t after = call->duration_offset + 8 + distance_bytes(row->distance);
    if (btree_patch(decoder->out->part, &call->place, call->duration_offset, duration, 8, error))
        return -1;
    return btree_patch(decoder->out->part, &call->place, after, rest, sizeof rest, error);
}

/* ---- calls ---- */

/* The run of the last callee is over: another callee follows, or the caller ends. */
static int close_run(struct decoder *decoder, struct open_call *caller, struct error *error)
{
    struct repeat *repeat;
    if (rollup_repeat(&decoder->rollup, caller->head.function_id, caller->last_callee, &repeat,
                      error) != 0)
        return -1;
    repeat->runs++;
    repeat->calls += caller->run;
    repeat->raw_total_ns += caller->run_ns;
    if (repeat->seen_by != caller->head.call_id) {
        repeat->caller_calls++;
        repeat->seen_by = caller->head.call_id;
    }
    if (caller->run > repeat->longest_run) {
        repeat->longest_run = caller->run;
        repeat->longest_call = caller->head.call_id;
    }
    return 0;
}

/* A call of `function` begins within `caller`. */
static int follow(struct decoder *decoder, struct open_call *caller, uint32_t function,
                  struct error *error)
{
    caller->child_calls++;
    if (caller->last_callee == function) {
        caller->run++;
        return 0;
    }
    struct sequence *sequence;
    if (caller->last_callee != 0 && close_run(decoder, caller, error) != 0)
        return -1;
    if (rollup_sequence(&decoder->rollup, caller->head.function_id, caller->last_callee, function,
                        &sequence, error) != 0)
        return -1;
    if (sequence->count++ == 0)
        sequence->example_call = caller->head.call_id;
    caller->last_callee = function;
    caller->run = 1;
    caller->run_ns = 0;
    if (caller->node == UINT32_MAX)
        return 0;
    return rollup_node(&decoder->rollup, caller->node, function, &caller->node, error);
}

/* Remembers the calls from the last activation of the function to this one as its cycle. */
static int note_cycle(struct decoder *decoder, struct function_rollup *rollup, uint32_t function,
                      uint64_t call_id, struct error *error)
{
    uint32_t from = decoder->depth;
    while (from > 0 && decoder->stack[from - 1].head.function_id != function)
        from--;
    if (from == 0)
        return 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return error_set(error, "out of memory");
    uint32_t shown = 0;
    for (uint32_t i = from - 1; i < decoder->depth && shown < 64; i++, shown++)
        fprintf(out, "%s%u", shown > 0 ? " " : "", decoder->stack[i].head.function_id);
    fclose(out);
    rollup->cycle = text;
    rollup->cycle_call = call_id;
    return 0;
}

static int note_entry(struct decoder *decoder, struct open_call *call, struct tally *tally,
                      struct error *error)
{
    uint32_t function = call->head.function_id;
    struct function_state *state = &decoder->states[function];
    struct function_rollup *rollup;
    if (rollup_function(&decoder->rollup, function, &rollup, error) != 0)
        return -1;
    uint64_t id = call->head.call_id;
    if (state->invoked)
        rollup->intervals[rollup_bucket(call->enter_ns - state->last_enter_ns)]++;
    state->invoked = true;
    state->last_enter_ns = call->enter_ns;
    if (state->open + 1 > rollup->nesting_max) {
        rollup->nesting_max = state->open + 1;
        rollup->nested_call = id;
    }
    if (state->open > 0) {
        tally->recursive++;
        if (decoder->depth > 0 && decoder->stack[decoder->depth - 1].head.function_id == function)
            rollup->direct_recursive++;
        if (rollup->cycle == NULL && note_cycle(decoder, rollup, function, id, error) != 0)
            return -1;
    }
    tally->calls++;
    if (tally->first_call == 0) {
        tally->first_call = id;
        tally->first_enter_ns = call->enter_ns;
    }
    if (tally->last_call == 0 || call->enter_ns >= tally->last_enter_ns) {
        tally->last_call = id;
        tally->last_enter_ns = call->enter_ns;
    }
    if (tally->deepest_call == 0 || decoder->depth > tally->depth_max) {
        tally->depth_max = decoder->depth;
        tally->deepest_call = id;
    }
    return rollup_node(&decoder->rollup, UINT32_MAX, function, &call->node, error);
}

int call_push(struct decoder *decoder, uint32_t pair_index, struct open_call **out,
              struct error *error)
{
    if (decoder->depth >= OPEN_MAX)
        return error_set(error, "calls nest deeper than %u", OPEN_MAX);
    if (array_reserve(&decoder->stack, &decoder->stack_capacity, (size_t)decoder->depth + 1,
                      error) != 0)
        return -1;
    struct pair *pair = &decoder->pairs[pair_index];
    struct open_call *call = &decoder->stack[decoder->depth];
    uint32_t parent = decoder->depth > 0 ? call[-1].head.frame_id : 0;
    memset(call, 0, sizeof *call);
    call->pair = pair_index;
    call->head.function_id = pair->function;
    call->head.outermost = decoder->states[pair->function].open == 0;
    call->frame_outermost = pair->open == pair->inherited;
    if (pair->open == 0 && decode_find_frame(decoder, parent, pair, &pair->frame, error) != 0)
        return -1;
    call->head.frame_id = pair->frame;
    *out = call;
    return 0;
}

int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               uint64_t function_address, uint64_t site_address, struct error *error)
{
    struct open_call *call;
    struct tally *tally;
    struct thread_function *in_thread;
    if (decoder->next_id >= decoder->end_id)
        return error_set(error, "more calls than the chunk's header says");
    if (call_push(decoder, pair_index, &call, error) != 0)
        return -1;
    const struct pair *pair = &decoder->pairs[pair_index];
    bool has_caller = decoder->depth > decoder->inherited;
    struct open_call *caller = has_caller ? call - 1 : NULL;
    call->head.call_id = decoder->next_id++;
    call->enter_tick = enter_tick;
    call->enter_ns =
        enter_tick == decoder->tick ? decoder->now_ns : clock_ns(decoder->line, enter_tick);
    call->function_address = function_address;
    call->site_address = site_address;
    if (rollup_frame(&decoder->rollup, call->head.frame_id, &tally, error) != 0 ||
        note_entry(decoder, call, tally, error) != 0 ||
        decode_thread_function(decoder, pair->function, &in_thread, error) != 0 ||
        rollup_edge(&decoder->rollup, caller != NULL ? caller->head.function_id : 0, pair->site,
                    pair->function, &call->edge, error) != 0 ||
        (caller != NULL && follow(decoder, caller, pair->function, error) != 0))
        return -1;
    struct edge *edge = &decoder->rollup.edges[call->edge];
    edge->calls++;
    if (edge->first_call == 0)
        edge->first_call = call->head.call_id;
    in_thread->calls++;
    if (in_thread->first_call == 0)
        in_thread->first_call = call->head.call_id;
    in_thread->last_call = call->head.call_id;
    decoder->rows[call->head.call_id - decoder->window_start] =
        (struct row){.enter_ns = call->enter_ns,
                     .distance = caller != NULL ? call->head.call_id - caller->head.call_id : 0,
                     .frame = call->head.frame_id,
                     .depth = decoder->depth};
    decoder->states[pair->function].open++;
    decoder->pairs[pair_index].open++;
    decoder->depth++;
    decoder->out->calls++;
    if (decoder->next_id - decoder->window_start == WINDOW_ROWS)
        return call_rows_flush(decoder, error);
    return 0;
}

/* Adds a call that ends to all that is added up. */
static int add_up(struct decoder *decoder, const struct open_call *call, uint64_t duration,
                  uint64_t descendants, enum ended ended, struct error *error)
{
    const struct hook_cost *cost = &decoder->shared->cost;
    uint64_t adjusted = tally_adjusted(duration, descendants + 1, descendants, cost);
    uint64_t self = duration - call->children_ns;
    uint32_t function = call->head.function_id;
    struct tally *tally = &decoder->rollup.frames[call->head.frame_id];
    struct function_rollup *rollup = decoder->rollup.functions[function];
    struct thread_function *in_thread =
        &decoder->out->functions[decoder->states[function].thread_index - 1];
    struct edge *edge = &decoder->rollup.edges[call->edge];
    uint64_t id = call->head.call_id;
    if (ended == ENDED_RETURNED || ended == ENDED_UNWOUND) {
        if (tally->finished == 0 || adjusted < tally->min_ns) {
            tally->min_ns = adjusted;
            tally->fastest_call = id;
        }
        if (tally->finished == 0 || adjusted > tally->max_ns) {
            tally->max_ns = adjusted;
            tally->slowest_call = id;
        }
        tally->finished++;
        tally->unwound += ended == ENDED_UNWOUND;
        tally->sum_ns += adjusted;
        tally->square_sum += (wide_uint)adjusted * adjusted;
        tally->single_child += call->child_calls == 1;
        rollup->durations[rollup_bucket(adjusted)]++;
        rollup_slow_call(rollup, adjusted, duration, id);
    } else {
        tally->open++;
    }
    tally->raw_self_ns += self;
    tally->child_calls += call->child_calls;
    tally->calling += call->child_calls > 0;
    tally->raw_duration_ns += duration;
    if (decoder->now_ns > tally->last_exit_ns)
        tally->last_exit_ns = decoder->now_ns;
    if (call->frame_outermost) {
        tally->frame_total_ns += adjusted;
        tally->frame_raw_total_ns += duration;
    }
    in_thread->raw_self_ns += self;
    in_thread->child_calls += call->child_calls;
    edge->raw_self_ns += self;
    edge->child_calls += call->child_calls;
    if (call->head.outermost) {
        tally->function_total_ns += adjusted;
        tally->function_raw_total_ns += duration;
        in_thread->total_ns += adjusted;
        in_thread->raw_total_ns += duration;
        edge->total_ns += adjusted;
        edge->raw_total_ns += duration;
    }
    if (edge->slowest_call == 0 || adjusted > edge->slowest_ns) {
        edge->slowest_ns = adjusted;
        edge->slowest_call = id;
    }
    decoder->out->raw_self_ns += self;
    decoder->out->child_calls += call->child_calls;
    if (call->node == UINT32_MAX) {
        rollup->sequences_cut = true;
    } else {
        struct node *node = &decoder->rollup.nodes[call->node];
        if (node->calls++ == 0)
            node->example_call = id;
    }
    (void)error;
    return 0;
}

/* Ends the innermost call at the present time. */
static int leave(struct decoder *decoder, enum ended ended, struct error *error)
{
    struct open_call *call = &decoder->stack[decoder->depth - 1];
    uint64_t id = call->head.call_id;
    uint64_t duration = decoder->now_ns > call->enter_ns ? decoder->now_ns - call->enter_ns : 0;
    if (duration < call->children_ns)
        duration = call->children_ns; /* rounding cannot do it; a hostile log can */
    uint64_t descendants = decoder->next_id - id - 1;
    if (call->last_callee != 0 && close_run(decoder, call, error) != 0)
        return -1;
    memory_call_exit(decoder->memory, decoder->depth - decoder->inherited, &call->head,
                     ended == ENDED_RETURNED || ended == ENDED_UNWOUND);
    if (add_up(decoder, call, duration, descendants, ended, error) != 0)
        return -1;
    struct row row = {.duration_ns = duration,
                      .children_ns = call->children_ns,
                      .descendants = descendants,
                      .ended = (uint8_t)ended};
    decoder->depth--;
    bool has_caller = decoder->depth > decoder->inherited;
    if (has_caller) {
        call[-1].children_ns += duration;
        call[-1].run_ns += duration;
    }
    decoder->states[call->head.function_id].open--;
    decoder->pairs[call->pair].open--;
    if (call->written) {
        row.distance = has_caller ? id - call[-1].head.call_id : 0;
        return row_patch(decoder, call, &row, error);
    }
    if (id < decoder->window_start)
        return 0; /* no rows are written */
    struct row *waiting = &decoder->rows[id - decoder->window_start];
    waiting->duration_ns = duration;
    waiting->children_ns = row.children_ns;
    waiting->descendants = descendants;
    waiting->ended = row.ended;
    waiting->done = true;
    return 0;
}

int call_leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                       struct error *error)
{
    while (decoder->depth > depth && decoder->depth > decoder->inherited)
        if (leave(decoder, ended, error) != 0)
            return -1;
    while (decoder->depth > depth) {
        struct open_call *call = &decoder->stack[--decoder->depth];
        decoder->pairs[call->pair].open--;
        decoder->pairs[call->pair].inherited--;
        decoder->inherited = decoder->depth;
    }
    return 0;
}
