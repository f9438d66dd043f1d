/*
 * Decoding a thread's events: see decode.h.
 *
 * The stack holds the open calls. A call's row is complete at its exit, but rows must be written in
 * the order of entries: so rows wait in a window until it is full; calls that are then still open
 * are written with fields at full width and patched when they end.
 *
 * Frames fold recursion: a call whose (function, site) pair is already open in the thread belongs
 * to that open frame. The dictionary of a chunk maps slots to pairs; a pair is resolved to a
 * function and a site when it is defined, which is the only time that names are looked up.
 */
#include "loader/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/array.h"
#include "loader/events.h"
#include "loader/sqlite_record.h"

#define WINDOW_ROWS 32768u
#define OPEN_MAX (1u << 24) /* a deeper stack is damage */
#define CALL_COLUMNS 10

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A function called from a site, as this thread's process knows it. */
struct pair {
    uint64_t function_address, site_address;
    uint32_t function, site;
    uint32_t open;  /* calls of it open in the thread */
    uint32_t frame; /* of the outermost of them */
};

struct row {
    uint64_t enter_ns, duration_ns, children_ns, descendants, distance;
    uint32_t frame, depth;
    uint8_t ended;
    bool done;
};

struct open_call {
    struct memory_open_call head; /* first: memory reads the stack through it */
    uint64_t enter_ns, enter_tick, children_ns, child_calls;
    uint64_t function_address, site_address;
    uint64_t run;         /* length of the run of last_callee */
    uint64_t run_ns;      /* time in it */
    uint32_t last_callee; /* functions.id, 0 = none */
    uint32_t node;        /* in the trie of callee sequences */
    uint32_t pair, edge;
    bool frame_outermost;
    bool written; /* its row went out at full width */
    struct btree_place place;
    uint32_t duration_offset;
};

/* Per function, in the thread that is being decoded. */
struct function_state {
    uint32_t open;
    uint32_t thread_index; /* index + 1 in decode_thread.functions */
    bool invoked;
    uint64_t last_enter_ns;
};

struct decoder {
    struct decode_shared *shared;
    struct rollup rollup;
    struct intern frame_cache[2]; /* (parent frame, function), then (that, site) to frames.id */
    uint32_t *frame_ids;
    size_t frame_ids_capacity;
    struct function_state *states; /* by functions.id */
    size_t states_capacity;
    struct intern pair_keys; /* by addresses; of one process */
    struct pair *pairs;
    size_t pairs_capacity;
    uint32_t process; /* index that pair_keys belongs to */
    struct open_call *stack;
    size_t stack_capacity;
    uint32_t depth, inherited; /* the inherited calls lie at the stack's bottom */
    struct row *rows;
    uint64_t window_start; /* id of rows[0] */
    uint64_t next_id, end_id;
    uint32_t slots[FISQL_SLOTS_MAX]; /* pair + 1 by slot; of the chunk */
    uint32_t alloc_sites[FISQL_SLOTS_MAX];
    uint64_t tick, now_ns;
    const struct log_thread *thread;
    const struct clock_line *line;
    struct decode_thread *out;
    struct memory_thread *memory;
    struct log_reader reader; /* of the log; opened with the first thread */
    bool reader_open;
    uint64_t *unloads; /* ticks at which the process unloaded modules */
    size_t unloads_count, unloads_capacity;
};

int decoder_open(struct decoder **out, struct decode_shared *shared, struct error *error)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    *out = decoder;
    if (decoder == NULL)
        return error_set(error, "out of memory");
    decoder->shared = shared;
    decoder->process = UINT32_MAX;
    decoder->rows = malloc(WINDOW_ROWS * sizeof *decoder->rows);
    return decoder->rows != NULL ? 0 : error_set(error, "out of memory");
}

void decoder_close(struct decoder *decoder)
{
    if (decoder == NULL)
        return;
    rollup_release(&decoder->rollup);
    intern_release(&decoder->frame_cache[0]);
    intern_release(&decoder->frame_cache[1]);
    intern_release(&decoder->pair_keys);
    free(decoder->frame_ids);
    free(decoder->states);
    free(decoder->pairs);
    free(decoder->stack);
    free(decoder->rows);
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

/* ---- looking up ---- */

/* Modules unloaded so far: the same address may mean another function afterwards. The collector
 * begins new chunks then, so it is enough to ask when a pair is defined. */
static uint64_t epoch(const struct decoder *decoder)
{
    uint64_t count = 0;
    for (size_t i = 0; i < decoder->unloads_count; i++)
        count += decoder->unloads[i] <= decoder->tick;
    return count;
}

static int find_unloads(struct decoder *decoder, struct error *error)
{
    const struct log_index *index = decoder->shared->index;
    decoder->unloads_count = 0;
    for (size_t i = 0; i < index->modules_count; i++) {
        if (index->modules[i].process != decoder->process ||
            index->modules[i].unload_tick == TICK_UNKNOWN)
            continue;
        if (array_reserve(&decoder->unloads, &decoder->unloads_capacity, decoder->unloads_count + 1,
                          error) != 0)
            return -1;
        decoder->unloads[decoder->unloads_count++] = index->modules[i].unload_tick;
    }
    return 0;
}

static int find_pair(struct decoder *decoder, uint64_t function, uint64_t site, uint32_t *index,
                     struct error *error)
{
    uint32_t before = decoder->pair_keys.count;
    if (intern_add(&decoder->pair_keys, function, site ^ epoch(decoder) << 57, index, error) != 0)
        return -1;
    if (*index < before)
        return 0;
    if (array_reserve(&decoder->pairs, &decoder->pairs_capacity, (size_t)*index + 1, error) != 0)
        return -1;
    struct pair *pair = &decoder->pairs[*index];
    *pair = (struct pair){.function_address = function, .site_address = site};
    struct program *program = decoder->shared->program;
    if (program_function(program, decoder->process, function, decoder->tick, &pair->function,
                         error) != 0 ||
        program_site(program, decoder->process, site, decoder->tick, &pair->site, error) != 0)
        return -1;
    size_t known = decoder->states_capacity;
    if (array_reserve(&decoder->states, &decoder->states_capacity, (size_t)pair->function + 1,
                      error) != 0)
        return -1;
    memset(decoder->states + known, 0,
           (decoder->states_capacity - known) * sizeof *decoder->states);
    return 0;
}

static int find_frame(struct decoder *decoder, uint32_t parent, const struct pair *pair,
                      uint32_t *frame, struct error *error)
{
    uint32_t number, index, before;
    if (intern_add(&decoder->frame_cache[0], parent, pair->function, &number, error) != 0)
        return -1;
    before = decoder->frame_cache[1].count;
    if (intern_add(&decoder->frame_cache[1], number, pair->site, &index, error) != 0)
        return -1;
    if (index == before) {
        if (array_reserve(&decoder->frame_ids, &decoder->frame_ids_capacity, (size_t)index + 1,
                          error) != 0 ||
            frames_child(decoder->shared->frames, parent, pair->function, pair->site,
                         &decoder->frame_ids[index], error) != 0)
            return -1;
    }
    *frame = decoder->frame_ids[index];
    return 0;
}

static int thread_function(struct decoder *decoder, uint32_t function, struct thread_function **out,
                           struct error *error)
{
    struct decode_thread *thread = decoder->out;
    struct function_state *state = &decoder->states[function];
    if (state->thread_index == 0) {
        if (array_reserve(&thread->functions, &thread->functions_capacity,
                          thread->functions_count + 1, error) != 0)
            return -1;
        thread->functions[thread->functions_count] = (struct thread_function){.function = function};
        state->thread_index = (uint32_t)++thread->functions_count;
    }
    *out = &thread->functions[state->thread_index - 1];
    return 0;
}

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

static int window_flush(struct decoder *decoder, struct error *error)
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

static int push(struct decoder *decoder, uint32_t pair_index, struct open_call **out,
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
    call->frame_outermost = pair->open == 0;
    if (pair->open == 0 && find_frame(decoder, parent, pair, &pair->frame, error) != 0)
        return -1;
    call->head.frame_id = pair->frame;
    *out = call;
    return 0;
}

static int enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
                 uint64_t function_address, uint64_t site_address, struct error *error)
{
    struct open_call *call;
    struct tally *tally;
    struct thread_function *in_thread;
    if (decoder->next_id >= decoder->end_id)
        return error_set(error, "more calls than the chunk's header says");
    if (push(decoder, pair_index, &call, error) != 0)
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
        thread_function(decoder, pair->function, &in_thread, error) != 0 ||
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
        return window_flush(decoder, error);
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

/* Forgets the calls that a forked child inherited, all others having ended. */
static void drop_inherited(struct decoder *decoder)
{
    while (decoder->depth > 0) {
        struct open_call *call = &decoder->stack[--decoder->depth];
        decoder->states[call->head.function_id].open--;
        decoder->pairs[call->pair].open--;
    }
    decoder->inherited = 0;
}

static int leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                         struct error *error)
{
    while (decoder->depth > depth && decoder->depth > decoder->inherited)
        if (leave(decoder, ended, error) != 0)
            return -1;
    while (decoder->depth > depth) {
        struct open_call *call = &decoder->stack[--decoder->depth];
        decoder->states[call->head.function_id].open--;
        decoder->pairs[call->pair].open--;
        decoder->inherited = decoder->depth;
    }
    return 0;
}

/* ---- events ---- */

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
    uint32_t all = calls > decoder->depth ? decoder->depth : calls;
    if (all == 0)
        return 0;
    const struct open_call *outermost = &decoder->stack[decoder->depth - all];
    uint32_t function = outermost->head.function_id;
    if (leave_down_to(decoder, decoder->depth - all, ENDED_UNWOUND, error) != 0)
        return -1;
    return anomaly(decoder, "unwound", function, 0, all, error);
}

static int mismatch(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    if (find_pair(decoder, event->function, event->site, &pair, error) != 0)
        return -1;
    return anomaly(decoder, "mismatched-exit", decoder->pairs[pair].function,
                   decoder->pairs[pair].site, 0, error);
}

/* Calls that the collector counted and did not log. */
static int counted(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t slot_pair = decoder->slots[event->slot];
    struct open_call *call;
    struct tally *tally;
    struct thread_function *in_thread;
    struct function_rollup *rollup;
    uint32_t edge_index;
    if (slot_pair == 0)
        return error_set(error, "a dictionary slot is used before it is defined");
    if (push(decoder, slot_pair - 1, &call, error) != 0)
        return -1;
    const struct pair *pair = &decoder->pairs[slot_pair - 1];
    struct open_call *caller = decoder->depth > decoder->inherited ? call - 1 : NULL;
    uint64_t ns = clock_ns(decoder->line, decoder->tick + event->ticks) - decoder->now_ns;
    if (caller != NULL) {
        uint64_t now = decoder->now_ns > caller->enter_ns ? decoder->now_ns - caller->enter_ns : 0;
        if (caller->children_ns + ns > now)
            ns = now > caller->children_ns ? now - caller->children_ns : 0;
    }
    if (rollup_frame(&decoder->rollup, call->head.frame_id, &tally, error) != 0 ||
        rollup_function(&decoder->rollup, pair->function, &rollup, error) != 0 ||
        thread_function(decoder, pair->function, &in_thread, error) != 0 ||
        rollup_edge(&decoder->rollup, caller != NULL ? caller->head.function_id : 0, pair->site,
                    pair->function, &edge_index, error) != 0)
        return -1;
    struct edge *edge = &decoder->rollup.edges[edge_index];
    const struct hook_cost *cost = &decoder->shared->cost;
    uint64_t adjusted = tally_adjusted(ns, event->calls, 0, cost);
    tally->calls += event->calls;
    tally->counted += event->calls;
    tally->raw_self_ns += ns;
    tally->raw_duration_ns += ns;
    if (call->frame_outermost) {
        tally->frame_raw_total_ns += ns;
        tally->frame_total_ns += adjusted;
    }
    if (call->head.outermost) {
        tally->function_raw_total_ns += ns;
        tally->function_total_ns += adjusted;
        in_thread->raw_total_ns += ns;
        in_thread->total_ns += adjusted;
        edge->raw_total_ns += ns;
        edge->total_ns += adjusted;
    } else {
        tally->recursive += event->calls;
    }
    in_thread->calls += event->calls;
    in_thread->raw_self_ns += ns;
    edge->calls += event->calls;
    edge->raw_self_ns += ns;
    if (caller != NULL) {
        caller->child_calls += event->calls;
        caller->children_ns += ns;
    }
    decoder->out->counted += event->calls;
    decoder->out->raw_self_ns += ns;
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
    uint32_t site = decoder->alloc_sites[event->slot];
    struct memory_stack stack = {decoder->stack + decoder->inherited, sizeof *decoder->stack,
                                 decoder->depth - decoder->inherited};
    if (site == 0)
        return error_set(error, "a dictionary slot is used before it is defined");
    if (event->type == EVENT_ALLOC)
        return memory_alloc(decoder->memory, decoder->tick, event->alloc_kind, site, event->address,
                            event->size, &stack, error);
    if (event->type == EVENT_FREE)
        return memory_free(decoder->memory, decoder->tick, event->alloc_kind, site, event->address,
                           &stack, error);
    return memory_realloc(decoder->memory, decoder->tick, decoder->tick + event->elapsed, site,
                          event->old, event->address, event->size, &stack, error);
}

static int define(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    decoder->slots[event->slot] = 0;
    decoder->alloc_sites[event->slot] = 0;
    if (event->function == 0)
        return program_site(decoder->shared->program, decoder->process, event->site, decoder->tick,
                            &decoder->alloc_sites[event->slot], error);
    if (find_pair(decoder, event->function, event->site, &pair, error) != 0)
        return -1;
    decoder->slots[event->slot] = pair + 1;
    return 0;
}

static int enter_slot(struct decoder *decoder, uint32_t slot, struct error *error)
{
    uint32_t pair = decoder->slots[slot];
    if (pair == 0)
        return error_set(error, "a dictionary slot is used before it is defined");
    const struct pair *known = &decoder->pairs[pair - 1];
    return enter(decoder, pair - 1, decoder->tick, known->function_address, known->site_address,
                 error);
}

static int handle(struct decoder *decoder, const struct event *event, struct error *error)
{
    uint32_t pair;
    switch (event->type) {
    case EVENT_EXIT:
        if (decoder->depth == 0)
            return error_set(error, "an exit without an open call");
        return leave_down_to(decoder, decoder->depth - 1, ENDED_RETURNED, error);
    case EVENT_ENTER:
        return enter_slot(decoder, event->slot, error);
    case EVENT_DEFINE:
        return define(decoder, event, error);
    case EVENT_TIME:
        return 0;
    case EVENT_ENTER_FULL:
        if (find_pair(decoder, event->function, event->site, &pair, error) != 0)
            return -1;
        return enter(decoder, pair, decoder->tick, event->function, event->site, error);
    case EVENT_UNWIND:
        return unwind(decoder, event->calls, error);
    case EVENT_MISMATCH:
        return mismatch(decoder, event, error);
    case EVENT_NOTE:
        return note(decoder, event, error);
    case EVENT_COUNTED:
        return counted(decoder, event, error);
    case EVENT_PAUSE:
        return leave_down_to(decoder, 0, ENDED_LOST, error);
    default:
        return allocation(decoder, event, error);
    }
}

static void advance(struct decoder *decoder, uint64_t ticks)
{
    decoder->tick += ticks;
    uint64_t now = clock_ns(decoder->line, decoder->tick);
    if (now > decoder->now_ns)
        decoder->now_ns = now;
}

/* ---- chunks ---- */

/* Makes the stack what the snapshot says: what it confirms stays, other calls end as lost, and
 * calls that are new in it were entered unseen. */
static int reconcile(struct decoder *decoder, const struct fisql_chunk *chunk, struct error *error)
{
    const struct fisql_open_call *entries = (const void *)(chunk + 1);
    bool forked = (chunk->flags & FISQL_FLAG_FORKED) != 0;
    uint32_t left_out = chunk->open_depth - chunk->open_calls;
    uint32_t keep = left_out < decoder->depth ? left_out : decoder->depth;
    while (keep < decoder->depth && keep - left_out < chunk->open_calls && keep >= left_out) {
        const struct fisql_open_call *entry = &entries[keep - left_out];
        const struct open_call *call = &decoder->stack[keep];
        if (call->function_address != entry->function || call->site_address != entry->site ||
            call->enter_tick != entry->enter_tick)
            break;
        keep++;
    }
    if (leave_down_to(decoder, keep, ENDED_LOST, error) != 0)
        return -1;
    for (uint32_t i = keep < left_out ? 0 : keep - left_out; i < chunk->open_calls; i++) {
        uint32_t pair;
        if (find_pair(decoder, entries[i].function, entries[i].site, &pair, error) != 0)
            return -1;
        if (forked) {
            struct open_call *call;
            if (push(decoder, pair, &call, error) != 0)
                return -1;
            call->enter_tick = entries[i].enter_tick;
            call->function_address = entries[i].function;
            call->site_address = entries[i].site;
            decoder->states[call->head.function_id].open++;
            decoder->pairs[pair].open++;
            decoder->inherited = ++decoder->depth;
            decoder->out->inherited_calls++;
        } else if (enter(decoder, pair, entries[i].enter_tick, entries[i].function, entries[i].site,
                         error) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The ids that this chunk's calls may use end where its header says; those that chunks before it
 * did not use (they were lost) stay free. */
static int decode_chunk(struct decoder *decoder, const struct log_chunk *place,
                        const struct fisql_chunk *chunk, bool first, struct error *error)
{
    struct event_cursor cursor = events_begin(chunk);
    struct event event;
    int got;
    memset(decoder->slots, 0, sizeof decoder->slots);
    memset(decoder->alloc_sites, 0, sizeof decoder->alloc_sites);
    if (chunk->tick_start > decoder->tick || first)
        decoder->tick = chunk->tick_start;
    advance(decoder, 0);
    decoder->end_id = decoder->thread->first_call_id + decoder->thread->call_ids;
    bool resumed = (chunk->flags & FISQL_FLAG_RESUMED) != 0;
    if (first || place->gap || resumed) {
        if (place->gap && memory_gap(decoder->memory, decoder->tick, error) != 0)
            return -1;
        if (reconcile(decoder, chunk, error) != 0)
            return -1;
    }
    while ((got = event_next(&cursor, &event)) == 1) {
        bool still = event.type == EVENT_DEFINE || event.type == EVENT_COUNTED;
        if (!still)
            advance(decoder, event.ticks);
        if (handle(decoder, &event, error) != 0)
            return -1;
    }
    return got == 0 ? 0 : error_set(error, "an event that the format does not know");
}

static int read_chunk(struct decoder *decoder, const struct log_chunk *place,
                      const struct fisql_chunk **chunk, struct error *error)
{
    const unsigned char *bytes;
    if (place->salvaged) {
        *chunk = decoder->shared->index->salvaged[place->offset];
        return 0;
    }
    if (log_window_at(&decoder->reader.window, place->offset, place->length, &bytes, error) != 0)
        return -1;
    *chunk = (const void *)bytes;
    if (bytes == NULL)
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
        decoder->process = decoder->thread->process;
        if (find_unloads(decoder, error) != 0)
            return -1;
    }
    if (!decoder->reader_open && log_reader_open(&decoder->reader, shared->index->path, error) != 0)
        return -1;
    decoder->reader_open = true;
    for (uint32_t i = 0; i < decoder->pair_keys.count; i++)
        decoder->pairs[i].open = 0;
    memset(decoder->states, 0, decoder->states_capacity * sizeof *decoder->states);
    decoder->line = &shared->clock->lines[decoder->process];
    decoder->depth = decoder->inherited = 0;
    decoder->tick = decoder->now_ns = 0;
    decoder->next_id = decoder->window_start = decoder->thread->first_call_id;
    if (shared->file != NULL && btree_part_begin(shared->file, &out->part, error) != 0)
        return -1;
    return memory_thread_begin(shared->memory, decoder->thread->id,
                               shared->index->processes[decoder->process].id, &decoder->memory,
                               error);
}

/* A chunk whose events break the rules: what came before it in the chunk stays, the calls that it
 * would have entered are missing. */
static int chunk_damaged(struct decoder *decoder, const struct log_chunk *place,
                         const struct error *why, struct error *error)
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
    uint64_t end = decoder->thread->first_call_id + place->first_call + place->calls;
    loss.calls = end > decoder->next_id ? end - decoder->next_id : 0;
    decoder->out->damaged_chunks++;
    pthread_mutex_lock(&decoder->shared->program->lock);
    int result = log_index_add_loss(decoder->shared->index, &loss, error);
    pthread_mutex_unlock(&decoder->shared->program->lock);
    return result;
}

static int decode_chunks(struct decoder *decoder, struct error *error)
{
    const struct log_thread *thread = decoder->thread;
    bool damaged = false;
    for (uint32_t i = 0; i < thread->chunks; i++) {
        struct log_chunk place = decoder->shared->index->chunks[thread->first_chunk + i];
        const struct fisql_chunk *chunk;
        struct error why;
        place.gap |= damaged;
        if (read_chunk(decoder, &place, &chunk, error) != 0)
            return -1;
        if (i == 0)
            decoder->out->start_ns = clock_ns(decoder->line, chunk->tick_start);
        damaged = decode_chunk(decoder, &place, chunk, i == 0, &why) != 0;
        if (damaged && chunk_damaged(decoder, &place, &why, error) != 0)
            return -1;
    }
    return 0;
}

int decoder_thread(struct decoder *decoder, uint32_t thread, struct decode_thread *out,
                   struct error *error)
{
    if (thread_begin(decoder, thread, out, error) != 0 || decode_chunks(decoder, error) != 0)
        return -1;
    out->end_ns = decoder->now_ns;
    if (leave_down_to(decoder, decoder->inherited, ENDED_OPEN, error) != 0)
        return -1;
    drop_inherited(decoder);
    if (window_flush(decoder, error) != 0 || memory_thread_end(decoder->memory, error) != 0)
        return -1;
    for (size_t i = 0; i < out->functions_count; i++)
        decoder->states[out->functions[i].function] = (struct function_state){0};
    return out->part == NULL ? 0 : btree_part_end(out->part, error);
}
