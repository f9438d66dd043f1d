/*
 * A run as a graph of who waited for whom: what `fisql whatif` replays.
 *
 * Each thread is a list of operations, in its order. OP_RUN is time on the processor, added up by
 * function over as long a stretch as nothing waits in: the graph grows with the waits, not with the
 * calls. The others are what a stretch ends by:
 *
 *   OP_SLEEP    a wait that nobody of the run ends, or of which that is not known: keeps its length
 *   OP_ACQUIRE  takes a lock of which every acquisition was recorded; in a replay the threads queue,
 *               and one that waited needs a while to wake up, in which another one may come first
 *   OP_RELEASE  gives it back. The log has no such record: graph_locks.c infers when
 *   OP_POST     an event: the end of a thread, a condition that is signalled, an arrival at a barrier
 *   OP_AWAIT    goes on when an event was posted as often as it needs
 *
 * Whatever the log does not say, and how it is inferred, is in graph_wakers.c; what cannot be
 * inferred is counted in struct graph_doubts, which `fisql whatif` prints.
 */
#ifndef FISQL_CLI_WHATIF_GRAPH_H
#define FISQL_CLI_WHATIF_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/run/run_view.h"
#include "cli/whatif/change.h"

enum op_kind { OP_RUN, OP_SLEEP, OP_ACQUIRE, OP_RELEASE, OP_POST, OP_AWAIT };

#define OP_READS 1u  /* flags: a lock is taken with other readers */
#define OP_ALWAYS 2u /* the wait's latency passes even if the event was posted before */
#define OP_ASIDE 8u  /* OP_SLEEP: put aside by the scheduler, while others ran */
#define OP_PLAIN 4u  /* OP_SLEEP: before the thread begins; no wait of the program's */

struct graph_op {
    uint8_t kind, flags;
    uint8_t
        overlaps; /* OP_SLEEP: number of the change that makes it asynchronous, from 1; 0 = none */
    uint8_t spread;  /* number of the change that spreads it over threads, from 1; 0 = none */
    uint16_t owner;  /* class of the function that waits */
    uint16_t lock;   /* OP_AWAIT: index of the lock that it is a wait for, from 1; 0 = none */
    uint32_t target; /* OP_RUN: first slice; locks: index; events: number */
    uint32_t number; /* OP_RUN: slices; locks: of the acquisition, by which a lock is split */
    int64_t
        ns; /* OP_SLEEP: length; OP_POST: delay; OP_AWAIT, OP_ACQUIRE: latency from the event on */
};

/* A part of an OP_RUN: what a function took of it. */
struct graph_slice {
    uint16_t class;
    uint8_t spread;     /* as in graph_op */
    bool held;          /* the thread holds a lock: it cannot be spread over threads */
    int64_t raw_ns, ns; /* with and without the hooks' cost */
};

/* Functions whose times are told apart. Class 0 is what lies outside any call, class 1 all functions
 * that take little. */
enum { CLASS_OUTSIDE, CLASS_OTHERS, CLASSES_FIRST };
#define CLASSES_MAX 2000u

struct graph_class {
    uint32_t function; /* functions.id; 0 = the first two */
    int64_t self_ns;   /* on the processor, without the hooks' cost */
    int64_t raw_ns;
    int64_t wait_ns; /* waits that keep their length */
    int64_t waits;
};

struct graph_lock {
    int64_t id; /* locks.id */
    char *name, *variable;
    uint8_t kind;           /* enum lock_kind of graph_waits.h */
    bool modelled;          /* every acquisition is known: threads queue for it */
    int64_t wait_ns, waits; /* recorded */
    int64_t hold_ns, times;
};

struct graph_thread {
    size_t first_op, ops; /* in graph.ops */
    bool ends_run;        /* its process ends with it */
};

/* What is not known, or was inferred. */
struct graph_doubts {
    int64_t unknown_ns,
        unknown;           /* waits for another thread of which it is not known who ended them */
    int64_t kept_ns, kept; /* waits of other kinds: input, sleep, or what was not recorded */
    int64_t inferred_ns, inferred; /* waits whose waker was inferred from what threads did then */
    int64_t queues;                /* conditions that are taken for those of a queue */
    int64_t locks_partly;          /* locks with waits of which not each acquisition was recorded */
    int64_t user_locks;            /* locks of the program's own, whose waits were not recorded */
    bool locks_recorded;
};

struct graph {
    const struct run_view *view;
    struct graph_thread *threads; /* as view->threads */
    struct graph_op *ops;
    size_t ops_count, ops_capacity;
    struct graph_slice *slices;
    size_t slices_count, slices_capacity;
    struct graph_class *classes;
    uint32_t classes_count;
    uint16_t *class_of;    /* by functions.id */
    uint16_t *frame_class; /* by frames.id: that its own time counts for */
    struct graph_lock *locks;
    size_t locks_count, locks_capacity;
    uint32_t *events; /* by number: posts that it needs */
    size_t events_count, events_capacity;
    int64_t start_ns, end_ns; /* of the run, as recorded */
    double cost_share;        /* part of the hooks' cost by which times may be off */
    struct graph_doubts doubts;
};

/* Reads the run, and finds what the changes mean in it. 0, or 2 after saying what is wrong; release
 * in both cases. */
int graph_open(struct graph *graph, const struct run_view *view, struct change_list *changes);
void graph_release(struct graph *graph);

/* A new event. Returns its number, or UINT32_MAX without memory. */
uint32_t graph_event(struct graph *graph, uint32_t needed);

/* The name of a class. */
const char *graph_class_name(const struct graph *graph, uint32_t class);

#endif
