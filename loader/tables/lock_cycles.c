/* Rings of orders: see lock_cycles.h. */
#include "loader/tables/lock_cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "loader/tables/components.h"

#define STEPS_MAX 200000u   /* of the search from one order at one length */
#define STEPS_ALL 50000000u /* a second or two; then long rings of a large tangle are left out */
#define READS 0x80000000u

struct search {
    const struct lock_order_edge *edges;
    size_t edges_count;
    uint32_t nodes;
    /* Edges by their first node: numbers begin[n] .. begin[n + 1] - 1 of by_first. */
    uint32_t *begin, *by_first, *to; /* `to`: their second nodes */
    uint32_t *component;             /* of a node */
    bool *covered;                   /* an edge lies on a ring */
    struct lock_cycles *out;
    struct intern kept; /* sets of nodes that have a ring, by a hash of them */
    struct lock_cycle ring;
    uint32_t steps, steps_all;
};

/* ---- rings ---- */

/* Does the thread hold this lock at the second lock of the order? *reads: to read only. */
static bool holds(const struct lock_order_edge *edge, uint32_t lock, bool *reads)
{
    if (edge->first_lock == lock) {
        *reads = edge->first_reads;
        return true;
    }
    for (uint32_t i = 0; i < edge->guards_count; i++)
        if ((edge->guards[i] & ~READS) == lock) {
            *reads = (edge->guards[i] & READS) != 0;
            return true;
        }
    return false;
}

/* Do both hold a lock that one of them holds alone, so that no two threads can be at them at
 * once? */
static bool excluded(const struct lock_order_edge *one, const struct lock_order_edge *other)
{
    bool reads;
    if (holds(other, one->first_lock, &reads) && !(reads && one->first_reads))
        return true;
    for (uint32_t i = 0; i < one->guards_count; i++)
        if (holds(other, one->guards[i] & ~READS, &reads) &&
            !(reads && (one->guards[i] & READS) != 0))
            return true;
    return false;
}

/* Can this order follow the ring's orders? */
static bool fits(const struct search *search, uint32_t edge)
{
    const struct lock_cycle *ring = &search->ring;
    const struct lock_order_edge *next = &search->edges[edge];
    const struct lock_order_edge *last = &search->edges[ring->orders[ring->length - 1]];
    if (last->second_reads && next->first_reads)
        return false;
    for (uint32_t i = 0; i < ring->length; i++)
        if (excluded(&search->edges[ring->orders[i]], next))
            return false;
    return true;
}

static bool passed(const struct search *search, uint32_t node)
{
    for (uint32_t i = 0; i < search->ring.length; i++)
        if (search->edges[search->ring.orders[i]].first == node)
            return true;
    return false;
}

/* Continues from the ring's last order to a ring of `length` orders. */
static bool search_from(struct search *search, uint32_t length)
{
    struct lock_cycle *ring = &search->ring;
    const struct lock_order_edge *start = &search->edges[ring->orders[0]];
    uint32_t node = search->edges[ring->orders[ring->length - 1]].second;
    for (uint32_t i = search->begin[node]; i < search->begin[node + 1]; i++) {
        uint32_t edge = search->by_first[i];
        const struct lock_order_edge *next = &search->edges[edge];
        bool closes = next->second == start->first, last = ring->length + 1 == length;
        if (search->steps++ > STEPS_MAX || search->steps_all++ > STEPS_ALL)
            return false;
        if (closes != last || next->second == node || (!closes && passed(search, next->second)) ||
            search->component[next->second] != search->component[node] || !fits(search, edge) ||
            (closes && next->second_reads && start->first_reads))
            continue;
        ring->orders[ring->length++] = edge;
        if (closes || search_from(search, length))
            return true;
        ring->length--;
    }
    return false;
}

/* Independent of the nodes' order. */
static uint64_t hash_of_nodes(const struct search *search)
{
    uint64_t hash = search->ring.length;
    for (uint32_t i = 0; i < search->ring.length; i++) {
        uint64_t node = search->edges[search->ring.orders[i]].first + (uint64_t)1;
        node *= 0x9e3779b97f4a7c15u;
        node = (node ^ node >> 29) * 0xbf58476d1ce4e5b9u;
        hash += node ^ node >> 32;
    }
    return hash;
}

static int keep(struct search *search, struct error *error)
{
    struct lock_cycles *out = search->out;
    for (uint32_t i = 0; i < search->ring.length; i++)
        search->covered[search->ring.orders[i]] = true;
    uint64_t hash = hash_of_nodes(search);
    uint32_t at, before = search->kept.count;
    if (intern_add(&search->kept, (uint32_t)(hash >> 32), (uint32_t)hash, &at, error) != 0)
        return -1;
    if (at < before)
        return 0;
    if (array_reserve(&out->items, &out->capacity, out->count + 1, error) != 0)
        return -1;
    out->items[out->count++] = search->ring;
    return 0;
}

static int search_all(struct search *search, struct error *error)
{
    for (uint32_t length = 2; length <= LOCK_CYCLE_MAX; length++)
        for (uint32_t i = 0; i < search->edges_count; i++) {
            const struct lock_order_edge *edge = &search->edges[i];
            if (search->covered[i] || edge->first == edge->second ||
                search->component[edge->first] != search->component[edge->second])
                continue;
            search->ring = (struct lock_cycle){.length = 1, .orders = {i}};
            search->steps = 0;
            if (search_from(search, length) && keep(search, error) != 0)
                return -1;
        }
    return 0;
}

static int index_edges(struct search *search, struct error *error)
{
    search->begin = calloc((size_t)search->nodes + 2, sizeof *search->begin);
    search->by_first = calloc(search->edges_count + 1, sizeof *search->by_first);
    search->to = calloc(search->edges_count + 1, sizeof *search->to);
    search->component = calloc((size_t)search->nodes + 1, sizeof *search->component);
    search->covered = calloc(search->edges_count + 1, sizeof *search->covered);
    if (search->begin == NULL || search->by_first == NULL || search->to == NULL ||
        search->component == NULL || search->covered == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < search->edges_count; i++)
        search->begin[search->edges[i].first + 2]++;
    for (uint32_t node = 2; node <= search->nodes; node++)
        search->begin[node] += search->begin[node - 1];
    for (uint32_t i = 0; i < search->edges_count; i++) {
        uint32_t at = search->begin[search->edges[i].first + 1]++;
        search->by_first[at] = i;
        search->to[at] = search->edges[i].second;
    }
    return 0;
}

int lock_cycles_find(const struct lock_order_edge *edges, size_t count, uint32_t nodes,
                     struct lock_cycles *cycles, struct error *error)
{
    struct search search = {.edges = edges, .edges_count = count, .nodes = nodes, .out = cycles};
    int result = index_edges(&search, error);
    if (result == 0)
        result = components_find(search.nodes, search.begin, search.to, search.component, error);
    if (result == 0)
        result = search_all(&search, error);
    intern_release(&search.kept);
    free(search.begin);
    free(search.by_first);
    free(search.to);
    free(search.component);
    free(search.covered);
    return result;
}
