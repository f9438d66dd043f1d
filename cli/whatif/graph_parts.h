/* What the files that read a run into a graph share. */
#ifndef FISQL_CLI_WHATIF_GRAPH_PARTS_H
#define FISQL_CLI_WHATIF_GRAPH_PARTS_H

#include "cli/whatif/graph.h"

#include "formats/log.h"

#define NONE UINT32_MAX

enum { WAIT_GAP = FISQL_LOCK_KINDS_COUNT, WAIT_UNKNOWN }; /* kinds beside enum fisql_lock_kind */

/* How a wait is replayed. */
enum wait_means { MEANS_SLEEP, MEANS_ACQUIRE, MEANS_AWAIT, MEANS_NOTHING };

/* A wait of a thread, or an acquisition without one: its until_ns is its start_ns. */
struct wait {
    int64_t start_ns, until_ns; /* until the next event of the thread */
    int64_t asleep_ns, preempted_ns;
    int64_t latency_ns;   /* MEANS_AWAIT, MEANS_ACQUIRE: from the event to its end */
    uint32_t lock, mutex; /* indexes in graph.locks; NONE */
    uint32_t holder;      /* index of a thread; NONE */
    uint32_t event;
    uint32_t number; /* of the acquisition */
    uint32_t waker;  /* acquisition of the thread that signalled; NONE = not known */
    uint16_t owner;
    uint8_t kind, means;
    uint8_t overlaps, spread;
    bool taken, open, reads; /* reads: takes a lock to read; of a gap: reads a pipe or the like */
};

/* A place in a thread's time at which something is done: in this order if all else is equal. */
enum mark_what { MARK_RELEASE, MARK_POST, MARK_AWAIT, MARK_WAIT };

struct mark {
    int64_t ns, delay_ns;
    uint32_t what;
    uint32_t order;  /* at the same instant: by the thread's waits, this is before or after one */
    uint32_t target; /* MARK_WAIT: index in the thread's waits; else the event or the lock */
    uint32_t number;
};

struct thread_waits {
    struct wait *items; /* by start_ns */
    size_t count, capacity;
    struct mark *marks;
    size_t marks_count, marks_capacity;
    uint32_t start_event, end_event; /* NONE */
};

struct acquisition {
    int64_t ns, least_ns, most_ns, release_ns;
    uint32_t thread, wait; /* indexes; of the thread's waits */
    uint32_t lock;
    bool reads, returns; /* returns: from a wait for a condition */
};

/* A call that lets another thread go on, or begin. */
enum signal_kind { SIGNAL_NONE, SIGNAL_CONDITION, SIGNAL_SEMAPHORE, SIGNAL_CREATE, SIGNAL_WRITE };

struct signal_call {
    int64_t ns;
    uint32_t thread;
    enum signal_kind kind;
};

struct building {
    struct graph *graph;
    struct change_list *changes;
    sqlite3 *database;
    bool all_locks;               /* those too that no thread waited for */
    struct thread_waits *threads; /* as graph.threads */
    uint32_t *key_of;             /* by frames.id: class and spread of time on the processor */
    uint16_t *owner_of;           /* by frames.id: class of what waits there */
    uint8_t *overlaps_of, *spread_of;
    struct acquisition *acquisitions; /* of the locks that are modelled, by lock and time */
    size_t acquisitions_count, acquisitions_capacity;
    struct signal_call *signals; /* by kind and time */
    size_t signals_count, signals_capacity;
};

#define KEY_SPREADS (CHANGES_MAX + 1u)
static inline uint32_t key_make(uint32_t class, uint32_t spread)
{
    return class * KEY_SPREADS + spread;
}

/* ---- graph_parts.c ---- */

/* The index of a thread or a lock by its id; NONE if there is none. */
uint32_t thread_of_id(const struct graph *graph, int64_t id);
uint32_t lock_of_id(const struct graph *graph, int64_t id);

/* The wait of the thread that the instant lies within, which it neither begins nor ends; NULL. */
const struct wait *wait_around(const struct thread_waits *thread, int64_t ns);
int mark_add(struct building *building, uint32_t thread, struct mark mark);
/* The order of what is done behind a wait, by its index, before the next one; of a wait it is one
 * less. */
static inline uint32_t order_behind(uint32_t wait)
{
    return 2 * wait + 2;
}
/* Of what is done then, before a wait that begins then. */
uint32_t order_at(const struct thread_waits *thread, int64_t ns);
/* The thread posts the event then; before a wait that it was in. */
int mark_post(struct building *building, uint32_t thread, int64_t ns, uint32_t event);

/* ---- the other files: all of these return 0, or 2 after saying what is wrong. */

/* graph_classes.c: which functions are told apart, and what the changes mean. */
int classes_choose(struct building *building);

/* graph_waits.c */
int locks_read(struct building *building);
int waits_read(struct building *building);

/* graph_locks.c: acquisitions, and when each lock was given back. */
int acquisitions_find(struct building *building);
/* The last acquisition of the wait's mutex by another thread in it, rather one of another function:
 * index; NONE. */
uint32_t acquisition_in(const struct building *building, uint32_t thread, const struct wait *wait);

/* graph_signals.c: calls that end waits. */
int signals_read(struct building *building);
/* May a wait in a function of this name be for what another thread writes? */
bool signals_function_reads(const char *name);
/* The last such call of another thread, after `after_ns` and not after `ns`; NULL. */
const struct signal_call *signal_before(const struct building *building, enum signal_kind kind,
                                        uint32_t thread, int64_t after_ns, int64_t ns);

/* graph_wakers.c: who ended each wait. */
int wakers_find(struct building *building);

/* graph_queues.c: conditions that are queues. */
int queues_find(struct building *building);

/* graph.c: what is known of locks alone. Release both afterwards, whatever it returns. */
int graph_open_locks(struct graph *graph, struct building *building, const struct run_view *view);
void building_release(struct building *building);

/* graph_stream.c: makes the operations of all threads. */
int stream_calls(struct building *building);

#endif
