/*
 * Entering and leaving, and the hot loop that reads these two events: loading spends its time here.
 * So a call touches little: its place on the stack, its waiting row (call_rows.h), its link and its
 * function's state. Sums are made when the rows are written (row_sums.h).
 *
 * Frames fold recursion: if a call's (function, site) pair is already open in the thread, the call
 * belongs to that open frame.
 */
#include "loader/calls/decode_parts.h"
#include "base/memory_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inlined with `sampled` known: logs whose calls all have times pay nothing for the others. */
#define HOT static inline __attribute__((always_inline))

/* ---- entering ---- */

static inline int find_link(struct decoder *decoder, const struct pair *pair, struct link **out,
                            struct error *error)
{
    struct open_call *top = call_stack_top(&decoder->stack);
    struct link *from = call_stack_has_own(&decoder->stack) ? top->link : NULL;
    struct link_key key = {top != NULL ? top->head.frame_id : 0, pair->callee,
                           pair->open > 0 ? pair->frame : 0};
    if (from != NULL)
        key.callee |= LINK_HAS_CALLER;
    if (pair->open == pair->inherited)
        key.callee |= LINK_OUTERMOST_IN_FRAME;
    if (pair->rollup->open == 0)
        key.callee |= LINK_OUTERMOST;
    uint32_t unused[2] = {0}, *next = from != NULL ? links_next(from, top->last_link) : unused;
    *out = links_guess(&decoder->links, next, key);
    if (*out == NULL)
        *out = links_find(&decoder->links, key, next);
    if (*out == NULL) {
        *next = decoder->links.count + 1;
        struct link_callee callee = {from != NULL ? from->function->id : 0, pair->function,
                                     pair->site};
        if (links_make(&decoder->links, key, &callee, decoder->shared->frames, &decoder->rollup,
                       out, error) != 0)
            return -1;
    }
    if (from != NULL)
        top->last_link = *out;
    links_expect(&decoder->links, *out);
    return 0;
}

int call_link(struct decoder *decoder, uint32_t pair_index, struct link **out, struct error *error)
{
    return find_link(decoder, &decoder->pairs.items[pair_index], out, error);
}

/* A place on the stack for a new call; the caller counts it in. */
static inline int push(struct decoder *decoder, uint32_t pair_index, struct open_call **out,
                       struct error *error)
{
    struct link *link;
    struct open_call *call;
    struct pair *pair = &decoder->pairs.items[pair_index];
    if (call_stack_place(&decoder->stack, &call, error) != 0 ||
        find_link(decoder, pair, &link, error) != 0)
        return -1;
    if (pair->open == 0)
        pair->frame = link->frame;
    call->head.frame_id = link->frame;
    call->head.function_id = link->function->id;
    call->head.outermost = link->function->open == 0;
    call->children_ns = 0;
    call->child_calls = 0;
    call->link = link;
    call->last_link = NULL;
    call->pair = pair_index;
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
    decoder->stack.inherited = ++decoder->stack.depth;
    return 0;
}

/* Keeps the calls from the function's last activation to this one as its cycle. */
static int note_cycle(struct decoder *decoder, struct function_rollup *rollup, uint32_t function,
                      uint64_t call_id, struct error *error)
{
    uint32_t from = decoder->stack.depth;
    while (from > 0 && decoder->stack.items[from - 1].head.function_id != function)
        from--;
    if (from == 0)
        return 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return error_set(error, "out of memory");
    uint32_t shown = 0;
    for (uint32_t i = from - 1; i < decoder->stack.depth && shown < 64; i++, shown++)
        fprintf(out, "%s%u", shown > 0 ? " " : "", decoder->stack.items[i].head.function_id);
    if (fclose(out) != 0) {
        free(text);
        return error_set(error, "out of memory");
    }
    rollup->recursion.cycle = text;
    rollup->recursion.cycle_call = call_id;
    return 0;
}

/* A call of a function that is already open. */
static int note_recursion(struct decoder *decoder, const struct open_call *call,
                          struct error *error)
{
    struct function_rollup *function = call->link->function;
    uint32_t id = call->head.function_id;
    function->recursion.calls++;
    if (decoder->stack.depth > 0 && call[-1].head.function_id == id)
        function->recursion.direct++;
    return function->recursion.cycle != NULL
               ? 0
               : note_cycle(decoder, function, id, call->head.call_id, error);
}

static inline int note_entry(struct decoder *decoder, const struct open_call *call,
                             struct error *error)
{
    struct function_rollup *function = call->link->function;
    if (function->open++ > 0 && note_recursion(decoder, call, error) != 0)
        return -1;
    if (function->open > function->nesting_max) {
        function->nesting_max = function->open;
        function->nested_call = call->head.call_id;
    }
    return links_touch(&decoder->links, call->link, error);
}

static int too_many_calls(struct error *error)
{
    return error_set_kind(error, ERROR_DAMAGE, "more calls than the chunk's header says");
}

HOT int enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick, const bool sampled,
              struct error *error)
{
    struct open_call *call;
    uint64_t distance = 0;
    if (decoder->window.next_id >= decoder->ids.end)
        return too_many_calls(error);
    bool has_caller = call_stack_has_own(&decoder->stack);
    if (push(decoder, pair_index, &call, error) != 0)
        return -1;
    uint64_t id = decoder->window.next_id++;
    /* push() put it there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    call->head.call_id = id;
    call->enter_tick = enter_tick;
    call->enter_ns = thread_clock_ns(&decoder->clock, enter_tick);
    if (sampled) {
        call->weight = decode_weight(decoder, call->link);
        call->untimed_before = decoder->hooks.untimed;
        call->untimed_callees = 0;
    }
    if (has_caller) {
        struct open_call *caller = call - 1;
        distance = id - caller->head.call_id;
        caller->child_calls++;
        if (sampled)
            caller->untimed_callees += call->weight == 0 ? decoder->hooks.spares : 0;
    }
    if (note_entry(decoder, call, error) != 0)
        return -1;
    struct row *row = row_window_row(&decoder->window, id);
    row_expect_enter(row);
    row->enter_ns = call->enter_ns;
    row->distance = distance;
    row->link = call->link;
    row->function = call->link->function;
    row->frame = call->head.frame_id;
    row->depth = decoder->stack.depth++;
    row->done = false;
    row->weight = sampled ? call->weight : 1;
    row->sampled = sampled;
    if (row_window_is_full(&decoder->window))
        return row_window_flush(&decoder->window, WINDOW_ROWS / 2, error);
    return 0;
}

/* As on the collector's stack. */
HOT uint64_t enter_tick_of(const struct decoder *decoder, uint64_t tick)
{
    return decoder->hooks.timed ? tick : tick & ~(uint64_t)1;
}

int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               struct error *error)
{
    return decoder->hooks.sampled
               ? enter(decoder, pair_index, enter_tick_of(decoder, enter_tick), true, error)
               : enter(decoder, pair_index, enter_tick, false, error);
}

/* ---- leaving ---- */

/* The time off the processor within a call that ends. */
static __attribute__((noinline)) int take_off(struct decoder *decoder, struct row *row,
                                              struct error *error)
{
    bool has_caller = decoder->stack.depth - 1 > decoder->stack.inherited;
    uint64_t paused_ns;
    if (decode_pause_leave(decoder, &paused_ns, error) != 0)
        return -1;
    row->children_ns += paused_ns;
    row->off = malloc(sizeof *row->off);
    if (row->off == NULL)
        return error_set(error, "out of memory");
    *row->off = gaps_leave(&decoder->gaps, has_caller);
    return 0;
}

/* What the hooks of calls without times cost less (sampled.h). Differences wrap around. */
static void spare_hooks(const struct decoder *decoder, const struct open_call *call,
                        struct hook_share *hooks)
{
    uint64_t spared_ps = hook_costs_spared(decoder->shared->costs, decoder->hooks.cost);
    uint64_t within = (decoder->hooks.untimed - call->untimed_before) * spared_ps / HOOK_SPARES;
    hooks->self_ps -= call->untimed_callees * spared_ps / HOOK_SPARES;
    hooks->total_ps = hooks->total_ps > within ? hooks->total_ps - within : 0;
}

/* Fills in the rest of the row of a call that ends. */
HOT int end_row(struct decoder *decoder, const struct open_call *call, uint64_t duration,
                uint64_t descendants, enum ended ended, const bool sampled, struct row *row,
                struct error *error)
{
    struct hook_share hooks = hook_share_of(decoder->hooks.cost, call->child_calls, descendants);
    if (__builtin_expect(call->head.call_id < decoder->hooks.from_id, 0)) {
        hooks.self_ps += call->settled.self_ps;
        hooks.total_ps += call->settled.total_ps;
    }
    if (sampled)
        spare_hooks(decoder, call, &hooks);
    bool timed = !sampled || call->weight != 0;
    row->duration_ns = timed ? duration : 0;
    row->children_ns = timed ? call->children_ns : 0;
    row->child_calls = call->child_calls;
    row->hooks = hooks;
    row->descendants = descendants;
    row->ended = (uint8_t)ended;
    row->off = NULL;
    row->done = true;
    decoder->ended = (struct ended_call){call->head.call_id, row};
    return __builtin_expect(decoder->gaps.depth == decoder->stack.depth, 0)
               ? take_off(decoder, row, error)
               : 0;
}

/* A call ends whose row was written open. */
static __attribute__((noinline)) int end_written(struct decoder *decoder,
                                                 const struct open_call *call, uint64_t duration,
                                                 uint64_t descendants, enum ended ended,
                                                 bool sampled, struct error *error)
{
    bool has_caller = decoder->stack.depth - 1 > decoder->stack.inherited;
    struct row_end *end = row_window_end(&decoder->window, error);
    if (end == NULL)
        return -1;
    end->call_id = call->head.call_id;
    end->row = (struct row){.enter_ns = call->enter_ns,
                            .distance = has_caller ? call->head.call_id - call[-1].head.call_id : 0,
                            .link = call->link,
                            .function = call->link->function,
                            .weight = sampled ? call->weight : 1,
                            .sampled = sampled};
    return end_row(decoder, call, duration, descendants, ended, sampled, &end->row, error);
}

/* Ends the innermost call, which is the thread's own, at the present time. */
HOT int leave(struct decoder *decoder, enum ended ended, const bool sampled, struct error *error)
{
    struct open_call *call = &decoder->stack.items[decoder->stack.depth - 1];
    uint64_t id = call->head.call_id;
    uint64_t duration =
        decoder->clock.now_ns > call->enter_ns ? decoder->clock.now_ns - call->enter_ns : 0;
    if (duration < call->children_ns && decoder->counted)
        call->children_ns = duration; /* each counted call's time is rounded by itself */
    if (duration < call->children_ns)
        duration = call->children_ns; /* only a hostile log needs this */
    uint64_t descendants = decoder->window.next_id - id - 1;
    if (memory_call_exit(decoder->memory, decoder->stack.depth - decoder->stack.inherited,
                         &call->head, ended == ENDED_RETURNED || ended == ENDED_UNWOUND,
                         error) != 0)
        return -1;
    if ((id < decoder->window.start_id
             ? end_written(decoder, call, duration, descendants, ended, sampled, error)
             : end_row(decoder, call, duration, descendants, ended, sampled,
                       row_window_row(&decoder->window, id), error)) != 0)
        return -1;
    struct function_rollup *function = call->link->function;
    if (decoder->clock.now_ns > function->last_exit_ns)
        function->last_exit_ns = decoder->clock.now_ns;
    function->open--;
    decoder->pairs.items[call->pair].open--;
    decoder->stack.depth--;
    if (call_stack_has_own(&decoder->stack))
        call[-1].children_ns += sampled && call->weight == 0 ? call->children_ns : duration;
    if (__builtin_expect(id == decoder->values.innermost, 0))
        return decode_values_leave(decoder, descendants, ended, error);
    return 0;
}

int call_leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                       struct error *error)
{
    while (decoder->stack.depth > depth && decoder->stack.depth > decoder->stack.inherited)
        if (leave(decoder, ended, decoder->hooks.sampled, error) != 0)
            return -1;
    while (decoder->stack.depth > depth) {
        struct open_call *call = &decoder->stack.items[--decoder->stack.depth];
        decoder->pairs.items[call->pair].open--;
        decoder->pairs.items[call->pair].inherited--;
        decoder->stack.inherited = decoder->stack.depth;
    }
    return 0;
}

/* ---- both at once ---- */

/* May a call whose exit comes next go through leaf()? Not if its function is already open. */
static inline bool may_be_leaf(const struct decoder *decoder, uint32_t pair_index)
{
    const struct function_rollup *function = decoder->pairs.items[pair_index].rollup;
    return function->open == 0 && decoder->gaps.depth <= decoder->stack.depth;
}

/* Does what enter() and leave() would do with a call that is entered now and left after `ticks`. It
 * makes no calls, so it need not go on the stack, and its row is complete at once. More than half
 * of all calls are such. */
HOT int leaf(struct decoder *decoder, uint32_t pair_index, uint32_t ticks, const bool sampled,
             struct error *error)
{
    struct link *link;
    struct open_call *call;
    if (decoder->window.next_id >= decoder->ids.end)
        return too_many_calls(error);
    if (call_stack_place(&decoder->stack, &call, error) != 0 ||
        find_link(decoder, &decoder->pairs.items[pair_index], &link, error) != 0 ||
        links_touch(&decoder->links, link, error) != 0)
        return -1;
    uint64_t id = decoder->window.next_id++, enter_ns = decoder->clock.now_ns;
    struct function_rollup *function = link->function;
    struct row *row = row_window_row(&decoder->window, id);
    row_expect_enter(row);
    thread_clock_advance(&decoder->clock, ticks);
    uint64_t duration = decoder->clock.now_ns - enter_ns;
    row->weight = sampled ? decode_weight(decoder, link) : 1;
    row->sampled = sampled;
    row->distance = 0;
    if (sampled && row->weight == 0)
        duration = 0;
    if (call_stack_has_own(&decoder->stack)) {
        row->distance = id - call[-1].head.call_id;
        call[-1].child_calls++;
        call[-1].children_ns += duration;
        if (sampled)
            call[-1].untimed_callees += row->weight == 0 ? decoder->hooks.spares : 0;
    }
    row->link = link;
    row->function = function;
    row->enter_ns = enter_ns;
    row->frame = link->frame;
    row->depth = decoder->stack.depth;
    row->duration_ns = duration;
    row->children_ns = row->child_calls = row->descendants = 0;
    row->hooks = hook_share_of(decoder->hooks.cost, 0, 0);
    row->ended = ENDED_RETURNED;
    row->off = NULL;
    row->done = true;
    decoder->ended = (struct ended_call){id, row};
    call->head = (struct memory_open_call){id, link->frame, function->id, true};
    if (function->nesting_max == 0) {
        function->nesting_max = 1;
        function->nested_call = id;
    }
    if (decoder->clock.now_ns > function->last_exit_ns)
        function->last_exit_ns = decoder->clock.now_ns;
    return row_window_is_full(&decoder->window)
               ? row_window_flush(&decoder->window, WINDOW_ROWS / 2, error)
               : 0;
}

/* A LEAF. */
HOT int untimed_leaf(struct decoder *decoder, uint32_t pair, const bool sampled,
                     struct error *error)
{
    uint64_t tick = decoder->clock.tick;
    if (sampled) {
        decoder->hooks.timed = false;
        decoder->hooks.spares = decoder->shared->costs->leaf_spares;
        tick = enter_tick_of(decoder, tick);
    }
    int result = may_be_leaf(decoder, pair) ? leaf(decoder, pair, 0, sampled, error)
                 : enter(decoder, pair, tick, sampled, error) != 0
                     ? -1
                     : leave(decoder, ENDED_RETURNED, sampled, error);
    if (sampled)
        decoder->hooks.spares = HOOK_SPARES;
    return result;
}

HOT int hot_loop(struct decoder *decoder, struct event_cursor *cursor, const bool sampled,
                 struct error *error)
{
    uint32_t floor = call_stack_floor(&decoder->stack); /* enters and exits do not change it */
    while (cursor->at < cursor->end) {
        uint32_t unit = *cursor->at, slot = unit >> 1;
        if ((unit & 1) == 0) {
            if (decoder->stack.depth <= floor)
                return 0;
            thread_clock_advance(&decoder->clock, unit >> 1);
            cursor->at++;
            if (leave(decoder, ENDED_RETURNED, sampled, error) != 0)
                return -1;
            if (sampled)
                decode_note_depth(decoder, slot != 0);
        } else {
            if (slot >= FISQL_CODE_LEAF && cursor->end - cursor->at >= 2 && cursor->at[1] == 0 &&
                decoder->dictionary.pairs[slot - FISQL_CODE_LEAF] != 0) {
                cursor->at += FISQL_UNITS_LEAF;
                if (untimed_leaf(decoder, decoder->dictionary.pairs[slot - FISQL_CODE_LEAF] - 1,
                                 sampled, error) != 0)
                    return -1;
                continue;
            }
            if (slot >= FISQL_CODE_DEFINE_NEAR || cursor->end - cursor->at < 2 ||
                decoder->dictionary.pairs[slot] == 0)
                return 0;
            if (sampled)
                decoder->hooks.timed = cursor->at[1] != 0;
            thread_clock_advance(&decoder->clock, cursor->at[1]);
            cursor->at += 2;
            uint32_t pair = decoder->dictionary.pairs[slot] - 1;
            if (cursor->at < cursor->end && (*cursor->at & 1) == 0 && may_be_leaf(decoder, pair)) {
                if (leaf(decoder, pair, *cursor->at++ >> 1, sampled, error) != 0)
                    return -1;
            } else if (enter(decoder, pair,
                             sampled ? enter_tick_of(decoder, decoder->clock.tick)
                                     : decoder->clock.tick,
                             sampled, error) != 0) {
                return -1;
            }
            if (sampled && decoder->hooks.timed)
                decode_note_depth(decoder, true);
        }
    }
    return 0;
}

int decode_hot_loop(struct decoder *decoder, struct event_cursor *cursor, struct error *error)
{
    return decoder->hooks.sampled ? hot_loop(decoder, cursor, true, error)
                                  : hot_loop(decoder, cursor, false, error);
}
