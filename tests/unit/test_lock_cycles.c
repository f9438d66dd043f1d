/* Rings of orders of locks (loader/tables/lock_cycles.h): those that there are are found and no others, also of random
 * orders, by a search that tries everything; and large and hostile ones come to an end. */
#include "loader/tables/lock_cycles.h"

#include "tests/unit/check.h"

#include <stdlib.h>

#define EDGES_MAX 200000u
#define READS 0x80000000u

static struct lock_order_edge edges[EDGES_MAX];
static size_t count;
static struct lock_cycles found;

/* An order: node a was held while node b was wanted. Locks are named as nodes, plus 100. */
static struct lock_order_edge *order(uint32_t a, uint32_t b)
{
    edges[count] = (struct lock_order_edge){.first = a, .second = b, .first_lock = a + 100};
    return &edges[count++];
}

static void guarded(struct lock_order_edge *edge, uint32_t lock)
{
    edge->guards[edge->guards_count++] = lock;
}

static size_t find(uint32_t nodes)
{
    struct error error;
    free(found.items);
    found = (struct lock_cycles){NULL, 0, 0};
    if (lock_cycles_find(edges, count, nodes, &found, &error) != 0)
        check(false, "no error: %s", error.text);
    return found.count;
}

static void begin(void)
{
    count = 0;
}

static void ring_of(uint32_t length)
{
    begin();
    for (uint32_t i = 0; i < length; i++)
        order(i, (i + 1) % length);
}

static void test_lengths(void)
{
    for (uint32_t length = 2; length <= LOCK_CYCLE_MAX; length++) {
        ring_of(length);
        check(find(length) == 1 && found.items[0].length == length, "a ring of %u is found",
              length);
    }
    ring_of(LOCK_CYCLE_MAX + 1);
    check_equal(0, find(LOCK_CYCLE_MAX + 1), "one that is longer is not looked for");
    begin();
    order(0, 0);
    check_equal(0, find(1), "a lock that is wanted while it is held itself is none");
    begin();
    order(0, 1);
    order(1, 1)->first_reads = true;
    order(1, 0)->first_reads = true;
    check(find(2) == 1 && found.items[0].length == 2, "nor is it a step of another one");
    begin();
    check_equal(0, find(0), "nothing has no rings");
}

static void test_guards(void)
{
    ring_of(2);
    guarded(&edges[0], 7);
    check_equal(1, find(2), "a guard of one step alone does not help");
    guarded(&edges[1], 7);
    check_equal(0, find(2), "a common guard does");
    edges[1].guards[0] = 8;
    check_equal(1, find(2), "another lock is no common guard");
    edges[0].guards[0] = edges[1].guards[0] = 7 | READS;
    check_equal(1, find(2), "nor is one that both only read");
    edges[0].guards[0] = 7;
    check_equal(0, find(2), "it is one if one of them has it alone");
    ring_of(3);
    guarded(&edges[0], 7);
    guarded(&edges[2], 7);
    check_equal(0, find(3), "two guarded steps of three are enough");
    ring_of(3);
    guarded(&edges[1], 100); /* the second step holds the first one's lock, too */
    check_equal(0, find(3), "a lock of the ring can be the guard");
}

static void test_reads(void)
{
    ring_of(2);
    edges[0].second_reads = edges[1].first_reads = true;
    check_equal(0, find(2), "a lock that is only read on both sides stops nobody");
    edges[1].first_reads = false;
    check_equal(1, find(2), "one that is read on one side does");
    edges[0].second_reads = false;
    edges[1].second_reads = edges[0].first_reads = true;
    check_equal(0, find(2), "likewise where the ring closes");
}

static void test_shared(void)
{
    begin();
    order(0, 1);
    order(1, 0);
    order(1, 2);
    order(2, 0);
    check(find(3) == 2 && found.items[0].length == 2 && found.items[1].length == 3,
          "two rings share a step: both are found, the short one first");
    ring_of(2);
    order(0, 1);
    order(1, 0);
    check_equal(1, find(2), "the same locks are one ring, however often they are taken so");
    begin();
    guarded(order(0, 1), 7);
    guarded(order(1, 0), 7);
    order(0, 1);
    check_equal(1, find(2), "a step that is guarded here and not there is one");
}

static void chain_of(uint32_t length)
{
    begin();
    for (uint32_t i = 0; i + 1 < length; i++)
        order(i, i + 1);
}

static void test_large(void)
{
    chain_of(1000);
    check_equal(0, find(1000), "1000 locks in a chain are no ring");
    order(999, 0);
    check_equal(0, find(1000), "closed, they are a ring that is not looked for");
    order(500, 499);
    check_equal(1, find(1000), "a short one in it is found");
    begin();
    for (uint32_t i = 0; i < 300; i++)
        for (uint32_t k = 0; k < 300; k++)
            if (i != k)
                order(i, k);
    check_equal(300 * 299 / 2, find(300),
                "each of 300 locks before each other: as many rings as pairs");
    for (size_t i = 0; i < count; i++)
        guarded(&edges[i], 7);
    check_equal(0, find(300), "all of them guarded: none");
    begin();
    for (uint32_t i = 0; i < 900; i++) /* nine layers of 100: each way round is of nine steps */
        for (uint32_t k = 0; k < 100; k++)
            order(i, (i / 100 + 1) % 9 * 100 + k);
    check_equal(0, find(900), "90,000 orders with no ring of 8: the search ends");
    begin();
    for (uint32_t i = 0; i < EDGES_MAX; i++)
        order(i % 2, 1 - i % 2);
    check_equal(1, find(2), "200,000 orders of two locks are one ring");
}

/* ---- everything is tried ---- */

enum mode { NOT_HELD, HELD_TO_READ, HELD_ALONE };

static enum mode mode_of(const struct lock_order_edge *edge, uint32_t lock)
{
    enum mode mode = NOT_HELD;
    for (uint32_t i = edge->guards_count; i > 0; i--)
        if ((edge->guards[i - 1] | READS) == (lock | READS))
            mode = edge->guards[i - 1] == lock ? HELD_ALONE : HELD_TO_READ;
    if (edge->first_lock == lock)
        mode = edge->first_reads ? HELD_TO_READ : HELD_ALONE;
    return mode;
}

/* Could threads stand at all of these steps at once, each waiting for the next? */
static bool stops(const uint32_t *ring, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t k = 0; k < i; k++)
            if (edges[ring[i]].first == edges[ring[k]].first)
                return false;
    for (uint32_t i = 0; i < length; i++) {
        const struct lock_order_edge *one = &edges[ring[i]], *next = &edges[ring[(i + 1) % length]];
        if (one->second != next->first || (one->second_reads && next->first_reads))
            return false;
        for (uint32_t k = 0; k < length; k++)
            for (uint32_t lock = 0; lock < 200 && k != i; lock++)
                if (mode_of(one, lock) * mode_of(&edges[ring[k]], lock) >= HELD_ALONE)
                    return false; /* both hold it, one of them alone */
    }
    return true;
}

static uint32_t nodes_of(const uint32_t *ring, uint32_t length)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < length; i++)
        set |= 1u << edges[ring[i]].first;
    return set;
}

static bool is_told(uint32_t set)
{
    for (size_t i = 0; i < found.count; i++)
        if (nodes_of(found.items[i].orders, found.items[i].length) == set)
            return true;
    return false;
}

/* Goes on from ring[0 .. length) over all rings through ring[0]: there is one, and one is told. */
static void try_all(uint32_t *ring, uint32_t length, uint32_t set, bool *there, bool *told)
{
    const struct lock_order_edge *last = &edges[ring[length - 1]];
    if (length > 1 && last->second == edges[ring[0]].first && stops(ring, length)) {
        *there = true;
        *told = *told || is_told(nodes_of(ring, length));
    }
    for (uint32_t i = 0; i < count && length < LOCK_CYCLE_MAX; i++)
        if (edges[i].first == last->second && (set >> edges[i].first & 1) == 0) {
            ring[length] = i;
            try_all(ring, length + 1, set | 1u << edges[i].first, there, told);
        }
}

static uint32_t next_random(void)
{
    static uint64_t state = 42;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void make_random(uint32_t nodes)
{
    begin();
    for (uint32_t i = 5 + next_random() % 8; i > 0; i--) {
        uint32_t a = next_random() % nodes, b = next_random() % nodes;
        struct lock_order_edge *edge = order(a, b);
        edge->first_reads = next_random() % 4 == 0;
        edge->second_reads = next_random() % 4 == 0;
        for (uint32_t lock = 0; lock < nodes; lock++)
            if (lock != a && next_random() % 4 == 0)
                guarded(edge, (lock + 100) | (next_random() % 3 == 0 ? READS : 0));
        if (next_random() % 4 == 0)
            guarded(edge, 7 | (next_random() % 3 == 0 ? READS : 0));
    }
}

static void test_random(void)
{
    uint32_t wrong = 0, missed = 0, rings = 0;
    for (int trial = 0; trial < 5000; trial++) {
        make_random(5);
        find(5);
        rings += (uint32_t)found.count;
        for (size_t i = 0; i < found.count; i++)
            wrong += !stops(found.items[i].orders, found.items[i].length);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t ring[LOCK_CYCLE_MAX] = {i};
            bool there = false, told = false;
            if (edges[i].first != edges[i].second)
                try_all(ring, 1, 1u << edges[i].first, &there, &told);
            missed += there && !told;
        }
    }
    check(rings > 1000, "random orders have rings (%u)", rings);
    check_equal(0, wrong, "each of them can stop its threads");
    check_equal(0, missed, "and each order that lies on one is told of");
}

int main(void)
{
    test_lengths();
    test_guards();
    test_reads();
    test_shared();
    test_large();
    test_random();
    free(found.items);
    return check_status();
}
