/* Adding up what is known of calls: see rollup.h. */
#include "loader/rollup.h"

#include <stdlib.h>
#include <string.h>

#include "loader/array.h"

int rollup_frame(struct rollup *rollup, uint32_t frame, struct tally **out, struct error *error)
{
    if (array_reach(&rollup->frames, &rollup->frames_capacity, frame, error) != 0)
        return -1;
    *out = &rollup->frames[frame];
    return 0;
}

int rollup_function(struct rollup *rollup, uint32_t function, struct function_rollup **out,
                    struct error *error)
{
    if (array_reach(&rollup->functions, &rollup->functions_capacity, function, error) != 0)
        return -1;
    if (rollup->functions[function] == NULL)
        rollup->functions[function] = calloc(1, sizeof **rollup->functions);
    *out = rollup->functions[function];
    return *out != NULL ? 0 : error_set(error, "out of memory");
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

int rollup_repeat(struct rollup *rollup, uint32_t caller, uint32_t callee, struct repeat **out,
                  struct error *error)
{
    uint32_t index;
    if (intern_add(&rollup->repeat_keys, caller, callee, &index, error) != 0 ||
        array_reach(&rollup->repeats, &rollup->repeats_capacity, index, error) != 0)
        return -1;
    *out = &rollup->repeats[index];
    return 0;
}

int rollup_sequence(struct rollup *rollup, uint32_t caller, uint32_t previous, uint32_t callee,
                    struct sequence **out, struct error *error)
{
    uint32_t pair, index;
    if (intern_add(&rollup->sequence_keys[0], caller, previous, &pair, error) != 0 ||
        intern_add(&rollup->sequence_keys[1], pair, callee, &index, error) != 0 ||
        array_reach(&rollup->sequences, &rollup->sequences_capacity, index, error) != 0)
        return -1;
    *out = &rollup->sequences[index];
    return 0;
}

int rollup_node(struct rollup *rollup, uint32_t parent, uint32_t function, uint32_t *node,
                struct error *error)
{
    if (rollup->node_keys.count >= SEQUENCE_NODES_MAX) {
        *node = intern_find(&rollup->node_keys, parent, function);
        return 0;
    }
    if (intern_add(&rollup->node_keys, parent, function, node, error) != 0 ||
        array_reach(&rollup->nodes, &rollup->nodes_capacity, *node, error) != 0)
        return -1;
    struct node *made = &rollup->nodes[*node];
    made->parent = parent;
    made->function = function;
    made->length = parent == UINT32_MAX ? 0 : rollup->nodes[parent].length + 1;
    return 0;
}

static bool slower(const struct slow_call *a, const struct slow_call *b)
{
    return a->duration_ns != b->duration_ns ? a->duration_ns > b->duration_ns
                                            : a->call_id < b->call_id;
}

static void sift_down(struct slow_call *heap, uint32_t count, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (slower(&heap[least], &heap[child]))
                least = child;
        if (least == at)
            return;
        struct slow_call moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

void rollup_slow_call(struct function_rollup *function, uint64_t duration_ns, uint64_t raw_ns,
                      uint64_t call_id)
{
    struct slow_call call = {duration_ns, raw_ns, call_id};
    struct slow_call *heap = function->slow;
    if (function->slow_count < SLOW_CALLS) {
        heap[function->slow_count++] = call;
        if (function->slow_count == SLOW_CALLS)
            for (uint32_t i = SLOW_CALLS / 2; i-- > 0;)
                sift_down(heap, SLOW_CALLS, i);
    } else if (slower(&call, &heap[0])) {
        heap[0] = call;
        sift_down(heap, SLOW_CALLS, 0);
    }
}

/* ---- merging ---- */

static int merge_function(struct rollup *into, uint32_t id, const struct function_rollup *from,
                          struct error *error)
{
    struct function_rollup *to;
    if (rollup_function(into, id, &to, error) != 0)
        return -1;
    for (int i = 0; i < LOG2_BUCKETS; i++) {
        to->durations[i] += from->durations[i];
        to->intervals[i] += from->intervals[i];
    }
    for (uint32_t i = 0; i < from->slow_count; i++)
        rollup_slow_call(to, from->slow[i].duration_ns, from->slow[i].raw_ns,
                         from->slow[i].call_id);
    if (from->nesting_max > to->nesting_max ||
        (from->nesting_max == to->nesting_max && from->nested_call < to->nested_call)) {
        to->nesting_max = from->nesting_max;
        to->nested_call = from->nested_call;
    }
    to->direct_recursive += from->direct_recursive;
    to->sequences_cut |= from->sequences_cut;
    if (from->cycle != NULL && (to->cycle == NULL || from->cycle_call < to->cycle_call)) {
        free(to->cycle);
        to->cycle = strdup(from->cycle);
        to->cycle_call = from->cycle_call;
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
        if (to->calls == 0 || edge->slowest_ns > to->slowest_ns) {
            to->slowest_ns = edge->slowest_ns;
            to->slowest_call = edge->slowest_call;
        }
        to->calls += edge->calls;
        to->total_ns += edge->total_ns;
        to->raw_total_ns += edge->raw_total_ns;
        to->raw_self_ns += edge->raw_self_ns;
        to->child_calls += edge->child_calls;
    }
    return 0;
}

static int merge_runs(struct rollup *into, const struct rollup *from, struct error *error)
{
    for (uint32_t i = 0; i < from->repeat_keys.count; i++) {
        const struct repeat *repeat = &from->repeats[i];
        struct repeat *to;
        if (rollup_repeat(into, (uint32_t)from->repeat_keys.keys[i].a,
                          (uint32_t)from->repeat_keys.keys[i].b, &to, error) != 0)
            return -1;
        to->runs += repeat->runs;
        to->calls += repeat->calls;
        to->caller_calls += repeat->caller_calls;
        to->raw_total_ns += repeat->raw_total_ns;
        if (repeat->longest_run > to->longest_run) {
            to->longest_run = repeat->longest_run;
            to->longest_call = repeat->longest_call;
        }
    }
    for (uint32_t i = 0; i < from->sequence_keys[1].count; i++) {
        const struct intern_key *key = &from->sequence_keys[1].keys[i];
        const struct intern_key *pair = &from->sequence_keys[0].keys[key->a];
        struct sequence *to;
        if (rollup_sequence(into, (uint32_t)pair->a, (uint32_t)pair->b, (uint32_t)key->b, &to,
                            error) != 0)
            return -1;
        to->count += from->sequences[i].count;
        if (to->example_call == 0 || from->sequences[i].example_call < to->example_call)
            to->example_call = from->sequences[i].example_call;
    }
    return 0;
}

/* A node's parent has a smaller index, so one pass maps them all. */
static int merge_nodes(struct rollup *into, const struct rollup *from, struct error *error)
{
    uint32_t *map = malloc(((size_t)from->node_keys.count + 1) * sizeof *map);
    if (map == NULL)
        return error_set(error, "out of memory");
    int result = 0;
    for (uint32_t i = 0; i < from->node_keys.count && result == 0; i++) {
        const struct node *node = &from->nodes[i];
        uint32_t parent = node->parent == UINT32_MAX ? UINT32_MAX : map[node->parent];
        map[i] = UINT32_MAX;
        if (node->parent != UINT32_MAX && parent == UINT32_MAX)
            continue;
        result = rollup_node(into, parent, node->function, &map[i], error);
        if (result != 0 || map[i] == UINT32_MAX)
            continue;
        struct node *to = &into->nodes[map[i]];
        if (node->calls > 0 && (to->calls == 0 || node->example_call < to->example_call))
            to->example_call = node->example_call;
        to->calls += node->calls;
    }
    free(map);
    return result;
}

int rollup_merge(struct rollup *into, const struct rollup *from, struct error *error)
{
    for (uint32_t i = 1; i < from->frames_capacity; i++) {
        struct tally *to;
        if (from->frames[i].calls == 0)
            continue;
        if (rollup_frame(into, i, &to, error) != 0)
            return -1;
        tally_add(to, &from->frames[i]);
    }
    for (uint32_t i = 1; i < from->functions_capacity; i++)
        if (from->functions[i] != NULL && merge_function(into, i, from->functions[i], error) != 0)
            return -1;
    if (merge_edges(into, from, error) != 0 || merge_runs(into, from, error) != 0)
        return -1;
    return merge_nodes(into, from, error);
}

void rollup_release(struct rollup *rollup)
{
    for (size_t i = 0; i < rollup->functions_capacity; i++)
        if (rollup->functions[i] != NULL) {
            free(rollup->functions[i]->cycle);
            free(rollup->functions[i]);
        }
    free(rollup->frames);
    free(rollup->functions);
    free(rollup->edges);
    free(rollup->repeats);
    free(rollup->sequences);
    free(rollup->nodes);
    intern_release(&rollup->edge_keys);
    intern_release(&rollup->repeat_keys);
    intern_release(&rollup->sequence_keys[0]);
    intern_release(&rollup->sequence_keys[1]);
    intern_release(&rollup->node_keys);
    *rollup = (struct rollup){0};
}
