/*
 * Rings in the order of taking locks: deadlocks that have not happened yet. An order says that a
 * thread wanted a lock while it held another. In a ring, each order wants what the next one holds.
 * It can stop as many threads for ever, unless two of them hold a common lock (a guard, or one of
 * the ring), or both sides of a lock only read.
 *
 * Strongly connected components (Tarjan 1972) leave few orders. In them we search rings from each
 * order that lies on none yet, the shortest first. Guards as in GoodLock (Havelund 2000), read
 * locks as in Linux's lockdep.
 */
#ifndef FISQL_LOADER_TABLES_LOCK_CYCLES_H
#define FISQL_LOADER_TABLES_LOCK_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

#define LOCK_CYCLE_MAX 8u /* orders of a ring: we search no longer ones */

struct lock_order_edge {
    uint32_t first, second; /* nodes, from 0: locks, or places that made locks */
    uint32_t first_lock;    /* the lock's id, as in guards */
    bool first_reads, second_reads;
    uint8_t guards_count;
    uint32_t guards[FISQL_LOCK_GUARDS_MAX]; /* locks; the top bit: read */
};

struct lock_cycle {
    uint32_t length;
    uint32_t orders[LOCK_CYCLE_MAX]; /* indices of edges */
};

struct lock_cycles {
    struct lock_cycle *items;
    size_t count, capacity;
};

/* Adds the rings of the orders among `nodes` nodes, one of each set of nodes. Release items by
 * free(). */
int lock_cycles_find(const struct lock_order_edge *edges, size_t count, uint32_t nodes,
                     struct lock_cycles *cycles, struct error *error);

#endif
