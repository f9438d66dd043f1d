/*
 * The stack of open calls: entering and leaving, and all that is added up over them. This is what
 * loading spends its time with, so a call touches as little as can be: its place on the stack, its
 * waiting row (call_rows.c), its link's tally (links.h) and its function's rollup.
 *
 * Frames fold recursion: a call whose (function, site) pair is already open in the thread belongs
 * to that open frame.
 */
#include "loader/calls/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define OPEN_MAX (1u << 24) /* a deeper stack is damage */

/* ---- callee runs and sequences of callees ---- */

/* Counts the caller's call among those that called the callee, once. A nested activation of the
 * caller takes the mark over and gives it back when it ends (give_back_marks). */
static int mark_callee_runs(struct decoder *decoder, const struct open_call *caller,
                            struct callee_runs *runs, struct error *error)
{
    if (caller->link->function->open > 1) {
        if (array_reserve(&decoder->marks, &decoder->marks_capacity, decoder->marks_count + 1,
                          error) != 0)
            return -1;
        decoder->marks[decoder->marks_count++] =
            (struct callee_runs_mark){caller->head.call_id, runs->seen_by, caller->last_callee};
    }
    runs->caller_calls++;
    runs->seen_by = caller->head.call_id;
    return 0;
}

static inline void give_back_marks(struct decoder *decoder, const struct open_call *call)
{
    while (decoder->marks_count > 0 &&
           decoder->marks[decoder->marks_count - 1].call == call->head.call_id) {
        const struct callee_runs_mark *mark = &decoder->marks[--decoder->marks_count];
        decoder->rollup.callee_runs[mark->callee_runs].seen_by = mark->before;
    }
}

/* The callee run is over: another callee follows, or the caller ends. */
static inline int end_callee_run(struct decoder *decoder, const struct open_call *caller,
                                 struct error *error)
{
    struct callee_runs *runs = &decoder->rollup.callee_runs[caller->last_callee];
    runs->count++;
    runs->calls += caller->callee_run_calls;
    runs->raw_total_ns += caller->callee_run_ns;
    if (caller->callee_run_calls > runs->longest) {
        runs->longest = caller->callee_run_calls;
        runs->longest_call = caller->head.call_id;
    }
    return runs->seen_by == caller->head.call_id ? 0
                                                 : mark_callee_runs(decoder, caller, runs, error);
}

/* Counts that `link`'s callee follows that of `previous`. */
static inline int count_transition(struct decoder *decoder, const struct open_call *caller,
                                   uint32_t previous, const struct link *link, struct error *error)
{
    uint32_t mixed = previous * 0x9e3779b1u ^ link->callee_runs * 0x85ebca6bu;
    uint32_t slot = (mixed ^ mixed >> 15) % TRANSITIONS_CACHED;
    /* An empty slot names a callee that follows itself, which none does. */
    if (decoder->transitions[slot].previous != previous ||
        decoder->transitions[slot].callee_runs != link->callee_runs) {
        uint32_t before =
            previous == NO_CALLEE ? 0 : (uint32_t)decoder->rollup.callee_runs_keys.keys[previous].b;
        uint32_t index;
        if (rollup_transition(&decoder->rollup, caller->head.function_id, before, link->function_id,
                              &index, error) != 0)
            return -1;
        decoder->transitions[slot].previous = previous;
        decoder->transitions[slot].callee_runs = link->callee_runs;
        decoder->transitions[slot].index = index;
    }
    struct callee_transition *transition =
        &decoder->rollup.transitions[decoder->transitions[slot].index];
    if (transition->count++ == 0)
        transition->example_call = caller->head.call_id;
    return 0;
}

/* A callee run of `link`'s callee begins within `caller`. */
static int begin_callee_run(struct decoder *decoder, struct open_call *caller,
                            const struct link *link, struct error *error)
{
    uint32_t previous = caller->last_callee;
    if (previous != NO_CALLEE) {
        if (end_callee_run(decoder, caller, error) != 0)
            return -1;
    } else {
        caller->shape = shape_hash_begin(caller->head.function_id);
        caller->callee_runs = 0;
        caller->first_id = decoder->callees_count;
    }
    if (count_transition(decoder, caller, previous, link, error) != 0)
        return -1;
    caller->shape = shape_hash_add(caller->shape, link->function_id);
    if (caller->callee_runs++ < SEQUENCE_SHOWN) {
        if (array_reserve(&decoder->callees, &decoder->callees_capacity, decoder->callees_count + 1,
                          error) != 0)
            return -1;
        decoder->callees[decoder->callees_count++] = link->function_id;
    }
    caller->last_callee = link->callee_runs;
    caller->callee_run_calls = 1;
    caller->callee_run_ns = 0;
    return 0;
}

/* The call ends: counts its sequence of callees. */
static inline int end_sequence(struct decoder *decoder, const struct open_call *call,
                               struct error *error)
{
    struct function_rollup *function = call->link->function;
    struct shape *shape;
    if (call->last_callee == NO_CALLEE) {
        if (function->childless++ == 0)
            function->childless_example = call->head.call_id;
        return 0;
    }
    if (end_callee_run(decoder, call, error) != 0)
        return -1;
    give_back_marks(decoder, call);
    decoder->callees_count = call->first_id;
    if (rollup_shape(&decoder->rollup, call->shape, call->head.function_id, call->callee_runs,
                     decoder->callees + call->first_id, &shape, error) != 0)
        return -1;
    if (shape == NULL)
        function->sequences_cut = true;
    else if (shape->calls++ == 0)
        shape->example_call = call->head.call_id;
    return 0;
}

/* ---- entering ---- */

int call_link(struct decoder *decoder, uint32_t pair_index, struct link **out, struct error *error)
{
    const struct pair *pair = &decoder->pairs.items[pair_index];
    bool has_caller = decoder->depth > decoder->inherited;
    const struct open_call *top = decoder->depth > 0 ? &decoder->stack[decoder->depth - 1] : NULL;
    struct link_key key = {link_parent(top != NULL ? top->head.frame_id : 0, has_caller),
                           pair_index, pair->open > 0 ? pair->frame : 0};
    *out = links_cached(&decoder->links, key);
    if (*out != NULL)
        return 0;
    struct link_callee callee = {has_caller ? top->head.function_id : 0, pair->function,
                                 pair->site};
    return links_find(&decoder->links, key, &callee, decoder->shared->frames, &decoder->rollup, out,
                      error);
}

/* The place on the stack of a call that begins; the caller counts it in. */
static inline int push(struct decoder *decoder, uint32_t pair_index, struct open_call **out,
                       struct error *error)
{
    struct link *link;
    if (decoder->depth >= OPEN_MAX)
        return error_set_kind(error, ERROR_DAMAGE, "calls nest too deeply");
    if (decoder->depth >= decoder->stack_capacity &&
        array_reserve(&decoder->stack, &decoder->stack_capacity, (size_t)decoder->depth + 1,
                      error) != 0)
        return -1;
    if (call_link(decoder, pair_index, &link, error) != 0)
        return -1;
    struct pair *pair = &decoder->pairs.items[pair_index];
    struct open_call *call = &decoder->stack[decoder->depth];
    if (pair->open == 0)
        pair->frame = link->frame;
    call->head.frame_id = link->frame;
    call->head.function_id = link->function_id;
    call->head.outermost = link->function->open == 0;
    call->frame_outermost = pair->open == pair->inherited;
    call->children_ns = 0;
    call->child_calls = 0;
    call->link = link;
    call->pair = pair_index;
    call->written = false;
    call->last_callee = NO_CALLEE;
    pair->open++;
    *out = call;
    return 0;
}

int call_inherit(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
                 struct error *error)
{
    struct open_call *call;
    if (push(decoder, pair_index, &call, error) != 0)
        return -1;
    /* push() put it there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    call->head.call_id = 0;
    call->enter_tick = enter_tick;
    call->enter_ns = 0;
    call->link = NULL;
    decoder->pairs.items[pair_index].inherited++;
    decoder->inherited = ++decoder->depth;
    decoder->out->inherited_calls++;
    return 0;
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

/* A call of a function that is open already. */
static int note_recursion(struct decoder *decoder, const struct open_call *call,
                          struct error *error)
{
    struct function_rollup *function = call->link->function;
    uint32_t id = call->head.function_id;
    call->link->tally.recursive++;
    if (decoder->depth > 0 && call[-1].head.function_id == id)
        function->direct_recursive++;
    return function->cycle != NULL ? 0
                                   : note_cycle(decoder, function, id, call->head.call_id, error);
}

static inline int note_entry(struct decoder *decoder, const struct open_call *call,
                             struct error *error)
{
    struct function_rollup *function = call->link->function;
    struct tally *tally = &call->link->tally;
    uint64_t id = call->head.call_id, enter_ns = call->enter_ns;
    if (function->thread == decoder->threads_begun)
        function->intervals[rollup_bucket(enter_ns - function->last_enter_ns)]++;
    function->thread = decoder->threads_begun;
    function->last_enter_ns = enter_ns;
    if (function->open++ > 0 && note_recursion(decoder, call, error) != 0)
        return -1;
    if (function->open > function->nesting_max) {
        function->nesting_max = function->open;
        function->nested_call = id;
    }
    if (tally->calls++ == 0 && links_touch(&decoder->links, call->link, error) != 0)
        return -1;
    if (tally->first_call == 0) {
        tally->first_call = id;
        tally->first_enter_ns = enter_ns;
    }
    if (enter_ns >= tally->last_enter_ns) {
        tally->last_call = id;
        tally->last_enter_ns = enter_ns;
    }
    if (tally->deepest_call == 0 || decoder->depth > tally->depth_max) {
        tally->depth_max = decoder->depth;
        tally->deepest_call = id;
    }
    return 0;
}

static inline int enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
                        struct error *error)
{
    struct open_call *call;
    uint64_t distance = 0;
    if (decoder->next_id >= decoder->end_id)
        return error_set_kind(error, ERROR_DAMAGE, "more calls than the chunk's header says");
    bool has_caller = decoder->depth > decoder->inherited;
    if (push(decoder, pair_index, &call, error) != 0)
        return -1;
    uint64_t id = decoder->next_id++;
    /* push() put it there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    call->head.call_id = id;
    call->enter_tick = enter_tick;
    call->enter_ns =
        enter_tick == decoder->tick ? decoder->now_ns : clock_ns(decoder->line, enter_tick);
    if (has_caller) {
        struct open_call *caller = call - 1;
        distance = id - caller->head.call_id;
        caller->child_calls++;
        if (caller->last_callee == call->link->callee_runs)
            caller->callee_run_calls++;
        else if (begin_callee_run(decoder, caller, call->link, error) != 0)
            return -1;
    }
    if (note_entry(decoder, call, error) != 0)
        return -1;
    struct row *row = &decoder->rows[id % WINDOW_ROWS];
    row->enter_ns = call->enter_ns;
    row->distance = distance;
    row->frame = call->head.frame_id;
    row->depth = decoder->depth++;
    row->done = false;
    if (decoder->next_id - decoder->window_start == WINDOW_ROWS)
        return call_rows_flush(decoder, WINDOW_ROWS / 2, error);
    return 0;
}

int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               struct error *error)
{
    return enter(decoder, pair_index, enter_tick, error);
}

/* ---- leaving ---- */

/* Adds a call that returned or was unwound. */
static inline void add_finished(const struct open_call *call, uint64_t duration, uint64_t adjusted,
                                bool unwound)
{
    struct tally *tally = &call->link->tally;
    struct function_rollup *function = call->link->function;
    uint64_t id = call->head.call_id;
    if (adjusted < tally->min_ns || tally->finished == 0) {
        tally->min_ns = adjusted;
        tally->fastest_call = id;
    }
    if (adjusted > tally->max_ns || tally->finished == 0) {
        tally->max_ns = adjusted;
        tally->slowest_call = id;
    }
    tally->finished++;
    tally->unwound += unwound;
    tally->sum_ns += adjusted;
    tally->square_sum += (wide_uint)adjusted * adjusted;
    tally->single_child += call->child_calls == 1;
    function->durations[rollup_bucket(adjusted)]++;
    if (rollup_is_slow(function, adjusted))
        rollup_slow_call(function, adjusted, duration, id);
}

/* Adds a call that ends to all that is added up. */
static inline void add_up(struct decoder *decoder, const struct open_call *call, uint64_t duration,
                          uint64_t descendants, enum ended ended)
{
    const struct hook_cost *cost = &decoder->shared->cost;
    uint64_t adjusted = tally_adjusted(duration, descendants + 1, descendants, cost);
    struct tally *tally = &call->link->tally;
    if (ended <= ENDED_UNWOUND)
        add_finished(call, duration, adjusted, ended == ENDED_UNWOUND);
    else
        tally->open++;
    tally->raw_self_ns += duration - call->children_ns;
    tally->child_calls += call->child_calls;
    tally->calling += call->child_calls > 0;
    if (decoder->now_ns > tally->last_exit_ns)
        tally->last_exit_ns = decoder->now_ns;
    if (call->frame_outermost) {
        tally->frame_total_ns += adjusted;
        tally->frame_raw_total_ns += duration;
    }
    if (call->head.outermost) {
        tally->function_total_ns += adjusted;
        tally->function_raw_total_ns += duration;
    }
}

/* Ends the innermost call, which must not be an inherited one, at the present time. */
static inline int leave(struct decoder *decoder, enum ended ended, struct error *error)
{
    struct open_call *call = &decoder->stack[decoder->depth - 1];
    uint64_t id = call->head.call_id;
    uint64_t duration = decoder->now_ns > call->enter_ns ? decoder->now_ns - call->enter_ns : 0;
    if (duration < call->children_ns && decoder->counted)
        call->children_ns = duration; /* counted calls' times are rounded each by itself */
    if (duration < call->children_ns)
        duration = call->children_ns; /* rounding cannot do it; a hostile log can */
    uint64_t descendants = decoder->next_id - id - 1;
    if (memory_call_exit(decoder->memory, decoder->depth - decoder->inherited, &call->head,
                         ended == ENDED_RETURNED || ended == ENDED_UNWOUND, error) != 0)
        return -1;
    add_up(decoder, call, duration, descendants, ended);
    if (end_sequence(decoder, call, error) != 0)
        return -1;
    decoder->depth--;
    bool has_caller = decoder->depth > decoder->inherited;
    if (has_caller) {
        call[-1].children_ns += duration;
        call[-1].callee_run_ns += duration;
    }
    call->link->function->open--;
    decoder->pairs.items[call->pair].open--;
    if (id < decoder->window_start)
        return call->written
                   ? call_row_patch(decoder, call, duration, descendants,
                                    has_caller ? id - call[-1].head.call_id : 0, ended, error)
                   : 0;
    struct row *row = &decoder->rows[id % WINDOW_ROWS];
    row->duration_ns = duration;
    row->children_ns = call->children_ns;
    row->descendants = (uint32_t)descendants;
    row->ended = (uint8_t)ended;
    row->done = true;
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
        decoder->pairs.items[call->pair].open--;
        decoder->pairs.items[call->pair].inherited--;
        decoder->inherited = decoder->depth;
    }
    return 0;
}

int call_plain_events(struct decoder *decoder, struct event_cursor *cursor, struct error *error)
{
    uint32_t floor = decode_floor(decoder); /* these events do not change it */
    while (cursor->at < cursor->end) {
        uint32_t unit = *cursor->at, slot = unit >> 1;
        if ((unit & 1) == 0) {
            if (decoder->depth <= floor)
                return 0;
            decode_advance(decoder, unit >> 1);
            cursor->at++;
            if (leave(decoder, ENDED_RETURNED, error) != 0)
                return -1;
        } else {
            if (slot >= FISQL_CODE_DEFINE_NEAR || cursor->end - cursor->at < 2 ||
                decoder->slots[slot] == 0)
                return 0;
            decode_advance(decoder, cursor->at[1]);
            cursor->at += 2;
            if (enter(decoder, decoder->slots[slot] - 1, decoder->tick, error) != 0)
                return -1;
        }
    }
    return 0;
}
