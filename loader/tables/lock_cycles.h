/*
 * Rings in the order in which locks are taken: a deadlock that did not happen yet. An order says that a lock was
 * wanted while another one was held. A ring of orders, each wanting what the next one holds, can stop as many
 * threads for ever, if they can be in it at once: not where two of them hold a common lock (a guard, or one of
 * the ring), and not where a lock is only read on both sides.
 *
 * Strongly connected components (Tarjan 1972) leave few orders; in them rings are looked for from each order that
 * lies on none yet, the shortest first. Guards as in GoodLock (Havelund 2000), read locks as in Linux's lockdep.
 */
#ifndef FISQL_LOADER_TABLES_LOCK_CYCLES_H
#define FISQL_LOADER_TABLES_LOCK_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

#define LOCK_CYCLE_MAX 8u /* orders of a ring: longer ones are not looked for */

struct lock_order_edge {
    uint32_t first, second; /* numbers of nodes, from 0: locks, or places where locks were made */
    uint32_t first_lock;    /* the lock itself, as guards name it */
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

/* Adds the rings of the orders among `nodes` nodes, one of each set of nodes. Release items by free(). */
int lock_cycles_find(const struct lock_order_edge *edges, size_t count, uint32_t nodes,
                     struct lock_cycles *cycles, struct error *error);

#endif
