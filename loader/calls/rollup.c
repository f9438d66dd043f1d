/* Adding up figures of calls: see rollup.h. */
#include "loader/calls/rollup.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/heap.h"
#include "base/large.h"

#define BLOCK_BYTES (FRAMES_A_BLOCK * sizeof(struct call_sums))

void rollup_init(struct rollup *rollup)
{
    *rollup = (struct rollup){.frames = NULL};
}

void rollup_help(struct rollup *rollup, struct helpers *helpers)
{
    spare_block_init(&rollup->spare, helpers);
}

int rollup_frame(struct rollup *rollup, uint32_t frame, struct call_sums **out, struct error *error)
{
    uint32_t block = frame / FRAMES_A_BLOCK;
    if (array_reach(&rollup->frames, &rollup->frames_capacity, block, error) != 0)
        return -1;
    if (rollup->frames[block] == NULL) {
        rollup->frames[block] = spare_block_take(&rollup->spare, BLOCK_BYTES);
        if (rollup->frames[block] == NULL)
            return error_set(error, "out of memory");
        if (block > 0) /* there are many */
            spare_block_ask(&rollup->spare, BLOCK_BYTES);
    }
    *out = &rollup->frames[block][frame % FRAMES_A_BLOCK];
    return 0;
}

int rollup_function(struct rollup *rollup, uint32_t function, struct function_rollup **out,
                    struct error *error)
{
    if (array_reach(&rollup->functions, &rollup->functions_capacity, function, error) != 0)
        return -1;
    *out = rollup->functions[function];
    if (*out != NULL)
        return 0;
    *out = rollup->functions[function] = large_alloc(sizeof **rollup->functions);
    if (*out == NULL)
        return error_set(error, "out of memory");
    (*out)->id = (*out)->same_id = function;
    return 0;
}

int rollup_edge(struct rollup *rollup, uint32_t caller, uint32_t site, uint32_t callee,
                uint32_t *index, struct error *error)
{
    if (intern_add(&rollup->edge_keys, intern_pack(caller, callee), site, index, error) != 0 ||
        array_reach(&rollup->edges, &rollup->edges_capacity, *index, error) != 0)
        return -1;
    struct edge *edge = &rollup->edges[*index];
    edge->caller = caller;
    edge->site = site;
    edge->callee = callee;
    return 0;
}

int rollup_callee_runs(struct rollup *rollup, uint32_t caller, uint32_t callee, uint32_t *index,
                       struct error *error)
{
    if (intern_add(&rollup->callee_runs_keys, caller, callee, index, error) != 0)
        return -1;
    return array_reach(&rollup->callee_runs, &rollup->callee_runs_capacity, *index, error);
}

int rollup_transition(struct rollup *rollup, uint32_t caller, uint32_t previous, uint32_t callee,
                      uint32_t *index, struct error *error)
{
    if (intern_add(&rollup->transition_keys, intern_pack(caller, previous), callee, index, error) !=
        0)
        return -1;
    return array_reach(&rollup->transitions, &rollup->transitions_capacity, *index, error);
}

int rollup_shape(struct rollup *rollup, struct shape_hash hash, uint32_t function, uint64_t length,
                 const uint32_t *ids, struct shape **out, struct error *error)
{
    uint32_t shown = length < SEQUENCE_SHOWN ? (uint32_t)length : SEQUENCE_SHOWN;
    uint32_t mixed = slots_hash(hash.a, hash.b), index;
    for (uint32_t at = mixed;
         (index = slots_next(&rollup->shape_slots, mixed, &at)) != SLOTS_NONE;) {
        *out = &rollup->shapes[index];
        if ((*out)->hash.a == hash.a && (*out)->hash.b == hash.b)
            return 0;
    }
    *out = NULL;
    if (rollup->shapes_count >= SHAPES_MAX || rollup->shape_ids_count + shown > SHAPE_IDS_MAX)
        return 0;
    if (array_reserve(&rollup->shapes, &rollup->shapes_capacity, (size_t)rollup->shapes_count + 1,
                      error) != 0 ||
        array_reserve(&rollup->shape_ids, &rollup->shape_ids_capacity,
                      rollup->shape_ids_count + shown, error) != 0 ||
        slots_add(&rollup->shape_slots, mixed, rollup->shapes_count, error) != 0)
        return -1;
    *out = &rollup->shapes[rollup->shapes_count++];
    **out = (struct shape){.hash = hash,
                           .function = function,
                           .shown = shown,
                           .length = length,
                           .first = rollup->shape_ids_count};
    if (shown > 0)
        memcpy(rollup->shape_ids + rollup->shape_ids_count, ids, shown * sizeof *ids);
    rollup->shape_ids_count += shown;
    return 0;
}

void rollup_edge_add(struct edge *edge, const struct tally *tally)
{
    if (edge->first_call == 0 || (tally->first_call != 0 && tally->first_call < edge->first_call))
        edge->first_call = tally->first_call;
    if (tally->finished > 0 &&
        (edge->slowest_call == 0 || tally->max_ns > edge->slowest_ns ||
         (tally->max_ns == edge->slowest_ns && tally->slowest_call < edge->slowest_call))) {
        edge->slowest_ns = tally->max_ns;
        edge->slowest_call = tally->slowest_call;
    }
    edge->calls += tally->calls;
    edge->raw_total_ns += tally->total.function_raw_ns;
    edge->total_hooks_ps += tally->total.function_hooks_ps;
    tally_self_add(&edge->self, &tally->self);
    off_sums_add(&edge->off, &tally->off);
}

/* ---- durations ---- */

int duration_counts_make(struct duration_counts *durations, unsigned group, struct error *error)
{
    durations->groups[group] = calloc(DURATION_STEPS, sizeof *durations->groups[group]);
    return durations->groups[group] != NULL ? 0 : error_set(error, "out of memory");
}

void duration_counts_release(struct duration_counts *durations)
{
    for (unsigned group = 0; group < DURATION_GROUPS; group++)
        free(durations->groups[group]);
    *durations = (struct duration_counts){.groups = {NULL}};
}

uint64_t duration_counts_of(const struct duration_counts *durations, unsigned bucket)
{
    unsigned group = bucket > 4 ? bucket - 4 : 0, shift = bucket - group; /* of its first step */
    unsigned first = bucket == 0 ? 0 : 1u << shift, end = 2u << shift;
    uint64_t count = 0;
    for (unsigned step = first; durations->groups[group] != NULL && step < end; step++)
        count += durations->groups[group][step];
    return count;
}

uint64_t duration_counts_all(const struct duration_counts *durations)
{
    uint64_t all = 0;
    for (unsigned group = 0; group < DURATION_GROUPS; group++)
        for (unsigned i = 0; durations->groups[group] != NULL && i < DURATION_STEPS; i++)
            all += durations->groups[group][i];
    return all;
}

uint64_t duration_counts_rank(const struct duration_counts *durations, uint64_t rank)
{
    uint64_t count = 0;
    for (unsigned group = 0; group < DURATION_GROUPS; group++)
        for (uint64_t step = 0; durations->groups[group] != NULL && step < DURATION_STEPS; step++) {
            count += durations->groups[group][step];
            if (count >= rank)
                return (step << group) + (UINT64_C(1) << group) / 2;
        }
    return 0;
}

static int merge_durations(struct duration_counts *into, const struct duration_counts *from,
                           struct error *error)
{
    for (unsigned group = 0; group < DURATION_GROUPS; group++) {
        if (from->groups[group] == NULL)
            continue;
        if (into->groups[group] == NULL && duration_counts_make(into, group, error) != 0)
            return -1;
        for (unsigned step = 0; step < DURATION_STEPS; step++)
            into->groups[group][step] += from->groups[group][step];
    }
    return 0;
}

void rollup_latest_call(struct function_rollup *function, uint64_t enter_ns, uint64_t call_id)
{
    if (call_id == 0 || (function->latest_call != 0 && enter_ns < function->latest_enter_ns) ||
        (enter_ns == function->latest_enter_ns && call_id < function->latest_call))
        return;
    function->latest_enter_ns = enter_ns;
    function->latest_call = call_id;
}

/* ---- slow calls ---- */

/* The faster comes first; of calls that took as long, the later one. */
static bool faster(const void *left, const void *right)
{
    const struct slow_call *a = left, *b = right;
    return a->cpu_ns != b->cpu_ns ? a->cpu_ns < b->cpu_ns : a->call_id > b->call_id;
}

void rollup_slow_call(struct function_rollup *function, const struct slow_call *call)
{
    function->slow_count =
        (uint32_t)heap_keep(function->slow, function->slow_count, SLOW_CALLS, call, faster);
    if (function->slow_count == SLOW_CALLS)
        function->slow_from_ns = function->slow[0].cpu_ns;
}

/* ---- merging ---- */

static int merge_function(struct rollup *into, uint32_t id, const struct function_rollup *from,
                          struct error *error)
{
    struct function_rollup *to;
    if (rollup_function(into, id, &to, error) != 0)
        return -1;
    if (merge_durations(&to->durations, &from->durations, error) != 0)
        return -1;
    for (int i = 0; i < LOG2_BUCKETS; i++)
        to->intervals[i] += from->intervals[i];
    for (uint32_t i = 0; i < from->slow_count; i++)
        rollup_slow_call(to, &from->slow[i]);
    if (from->nesting_max > to->nesting_max ||
        (from->nesting_max == to->nesting_max && from->nested_call < to->nested_call)) {
        to->nesting_max = from->nesting_max;
        to->nested_call = from->nested_call;
    }
    if (from->deepest_call != 0 &&
        (to->deepest_call == 0 || from->depth_max > to->depth_max ||
         (from->depth_max == to->depth_max && from->deepest_call < to->deepest_call))) {
        to->depth_max = from->depth_max;
        to->deepest_call = from->deepest_call;
    }
    if (from->last_exit_ns > to->last_exit_ns)
        to->last_exit_ns = from->last_exit_ns;
    rollup_latest_call(to, from->latest_enter_ns, from->latest_call);
    tally_add(&to->tally, &from->tally);
    to->kinds.calling += from->kinds.calling;
    to->kinds.single_child += from->kinds.single_child;
    to->kinds.unwound += from->kinds.unwound;
    to->recursion.calls += from->recursion.calls;
    to->recursion.direct += from->recursion.direct;
    to->sequences_cut |= from->sequences_cut;
    if (from->kinds.childless > 0 &&
        (to->kinds.childless == 0 || from->kinds.childless_example < to->kinds.childless_example))
        to->kinds.childless_example = from->kinds.childless_example;
    to->kinds.childless += from->kinds.childless;
    if (from->recursion.cycle != NULL &&
        (to->recursion.cycle == NULL || from->recursion.cycle_call < to->recursion.cycle_call)) {
        free(to->recursion.cycle);
        to->recursion.cycle = strdup(from->recursion.cycle);
        if (to->recursion.cycle == NULL)
            return error_set(error, "out of memory");
        to->recursion.cycle_call = from->recursion.cycle_call;
    }
    return 0;
}

static int merge_edges(struct rollup *into, const struct rollup *from, struct error *error)
{
    for (uint32_t i = 0; i < from->edge_keys.count; i++) {
        const struct edge *edge = &from->edges[i];
        uint32_t index;
        if (rollup_edge(into, edge->caller, edge->site, edge->callee, &index, error) != 0)
            return -1;
        struct edge *to = &into->edges[index];
        if (to->first_call == 0 || (edge->first_call != 0 && edge->first_call < to->first_call))
            to->first_call = edge->first_call;
        if (edge->slowest_call != 0 &&
            (to->slowest_call == 0 || edge->slowest_ns > to->slowest_ns ||
             (edge->slowest_ns == to->slowest_ns && edge->slowest_call < to->slowest_call))) {
            to->slowest_ns = edge->slowest_ns;
            to->slowest_call = edge->slowest_call;
        }
        to->calls += edge->calls;
        to->raw_total_ns += edge->raw_total_ns;
        to->total_hooks_ps += edge->total_hooks_ps;
        tally_self_add(&to->self, &edge->self);
        off_sums_add(&to->off, &edge->off);
    }
    return 0;
}

static int merge_runs(struct rollup *into, const struct rollup *from, struct error *error)
{
    for (uint32_t i = 0; i < from->callee_runs_keys.count; i++) {
        const struct callee_runs *runs = &from->callee_runs[i];
        struct callee_runs_key key = rollup_callee_runs_key(from, i);
        uint32_t index;
        if (rollup_callee_runs(into, key.caller, key.callee, &index, error) != 0)
            return -1;
        struct callee_runs *to = &into->callee_runs[index];
        to->count += runs->count;
        to->calls += runs->calls;
        to->caller_calls += runs->caller_calls;
        to->raw_total_ns += runs->raw_total_ns;
        if (runs->longest > to->longest) {
            to->longest = runs->longest;
            to->longest_call = runs->longest_call;
        }
    }
    for (uint32_t i = 0; i < from->transition_keys.count; i++) {
        struct transition_key key = rollup_transition_key(from, i);
        uint32_t index;
        if (rollup_transition(into, key.caller, key.previous, key.callee, &index, error) != 0)
            return -1;
        struct callee_transition *to = &into->transitions[index];
        to->count += from->transitions[i].count;
        if (to->example_call == 0 || from->transitions[i].example_call < to->example_call)
            to->example_call = from->transitions[i].example_call;
    }
    return 0;
}

static int merge_shapes(struct rollup *into, const struct rollup *from, struct error *error)
{
    for (uint32_t i = 0; i < from->shapes_count; i++) {
        const struct shape *shape = &from->shapes[i];
        struct shape *to;
        if (rollup_shape(into, shape->hash, shape->function, shape->length,
                         from->shape_ids + shape->first, &to, error) != 0)
            return -1;
        if (to == NULL) {
            into->functions[shape->function]->sequences_cut = true;
            continue;
        }
        if (to->calls == 0 || shape->example_call < to->example_call)
            to->example_call = shape->example_call;
        to->calls += shape->calls;
    }
    return 0;
}

void rollup_release_block(struct rollup *rollup, size_t block)
{
    if (block >= rollup->frames_capacity)
        return;
    for (size_t i = 0; rollup->frames[block] != NULL && i < FRAMES_A_BLOCK; i++)
        call_sums_release(&rollup->frames[block][i]);
    large_free(rollup->frames[block], BLOCK_BYTES);
    rollup->frames[block] = NULL;
}

/* Moves the blocks that `into` lacks: memory for two of them is rarely needed at once. */
static int merge_frames(struct rollup *into, struct rollup *from, struct error *error)
{
    for (size_t block = 0; block < from->frames_capacity; block++) {
        if (from->frames[block] == NULL)
            continue;
        if (array_reach(&into->frames, &into->frames_capacity, block, error) != 0)
            return -1;
        if (into->frames[block] == NULL) {
            into->frames[block] = from->frames[block];
            from->frames[block] = NULL;
            continue;
        }
        for (size_t i = 0; i < FRAMES_A_BLOCK; i++)
            if (call_sums_any(&from->frames[block][i]) &&
                call_sums_add(&into->frames[block][i], &from->frames[block][i], true, error) != 0)
                return -1;
        rollup_release_block(from, block);
    }
    return 0;
}

int rollup_merge(struct rollup *into, struct rollup *from, struct error *error)
{
    if (merge_frames(into, from, error) != 0)
        return -1;
    for (uint32_t i = 1; i < from->functions_capacity; i++)
        if (from->functions[i] != NULL && merge_function(into, i, from->functions[i], error) != 0)
            return -1;
    if (merge_edges(into, from, error) != 0 || merge_runs(into, from, error) != 0)
        return -1;
    return merge_shapes(into, from, error);
}

void rollup_release(struct rollup *rollup)
{
    for (size_t i = 0; i < rollup->functions_capacity; i++)
        if (rollup->functions[i] != NULL) {
            duration_counts_release(&rollup->functions[i]->durations);
            free(rollup->functions[i]->recursion.cycle);
            large_free(rollup->functions[i], sizeof *rollup->functions[i]);
        }
    for (size_t i = 0; i < rollup->frames_capacity; i++)
        rollup_release_block(rollup, i);
    free(rollup->frames);
    spare_block_release(&rollup->spare);
    free(rollup->functions);
    free(rollup->edges);
    free(rollup->callee_runs);
    free(rollup->transitions);
    free(rollup->shapes);
    free(rollup->shape_ids);
    intern_release(&rollup->edge_keys);
    intern_release(&rollup->callee_runs_keys);
    intern_release(&rollup->transition_keys);
    slots_release(&rollup->shape_slots);
    rollup_init(rollup);
}
