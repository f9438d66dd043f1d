/* What the simulation and the search for its critical path share. */
#ifndef FISQL_CLI_WHATIF_REPLAY_PARTS_H
#define FISQL_CLI_WHATIF_REPLAY_PARTS_H

#include "cli/whatif/replay.h"

#define NONE UINT32_MAX

/* A thread in the replay. */
struct runner {
    uint32_t op, end; /* the present operation, and the one behind its last; indexes in graph.ops */
    uint32_t next;    /* in the queue of what it waits for; NONE */
    uint32_t cause;   /* operation of another thread that ended its wait; NONE */
    double load;      /* processors that it uses, if it may */
    double parallel_ns; /* of the present stretch: what is left, to be spread over threads */
    double speedup;     /* by which it is faster then */
    bool blocked;
    bool
        waking; /* the lock that it waited for was given back; it tries to take it when it is awake */
};

/* Waits to come to an end: running threads by the clock that goes while they run, others by time. */
struct due {
    double at;
    uint32_t thread;
};

struct dues {
    struct due *items;
    size_t count;
};

struct event_state {
    uint32_t posts, first; /* first: of the threads that wait; NONE */
    uint32_t cause;        /* the last post */
    double ns;
};

struct lock_state {
    uint32_t readers, first, last; /* the queue; NONE */
    uint32_t cause;                /* the last release */
    bool alone;                    /* held to write */
};

struct simulation {
    const struct replay_plan *plan;
    const struct graph *graph;
    struct runner *runners;
    struct dues running, sleeping;
    struct event_state *events;
    struct lock_state *locks;
    size_t *lock_base;     /* by lock: index in locks of the first of those that it is split into */
    uint32_t *splits;      /* by lock: into how many */
    uint32_t *unlocked;    /* by lock: of a hundred turns, those that wait for nobody */
    double *run_factor;    /* by class */
    double *wait_factor;   /* by class */
    double *overlap_since; /* by thread and change: when the wait before was over; below 0: never */
    const struct change **active; /* by number of the change, from 1; NULL = it is not made */
    double now_ns, clock, load;
    size_t enders;   /* threads with which the run ends that have not ended */
    double *done_ns; /* by operation, if the path is wanted; NULL */
    uint32_t *cause; /* by operation */
    uint32_t last;   /* thread that ended the run */
    long long forced;
};

/* ---- replay_path.c ---- */

/* How long the stretch takes: in line, and what can be spread over threads. */
struct stretch {
    double serial_ns, parallel_ns, speedup;
};
struct stretch stretch_of(const struct simulation *simulation, const struct graph_op *op);

/* 0, or 2 without memory. */
int path_find(const struct simulation *simulation, struct replay_path *path);

#endif
