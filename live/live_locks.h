/*
 * The locks that the threads of a live area hold and wait for (`fisql record --locks`), and the
 * circles in which they wait for each other. Without --locks the kernel tells waits for locks that
 * say who holds them, if it lets us look (live_futex.h).
 */
#ifndef FISQL_LIVE_LIVE_LOCKS_H
#define FISQL_LIVE_LIVE_LOCKS_H

#include "live/live_threads.h"

#define LIVE_NOBODY SIZE_MAX
#define LIVE_NO_HOLD UINT32_MAX

/* What a thread of live_threads waits for. */
struct live_wait {
    struct fisql_live_locks locks; /* of the thread, whole */
    bool known;                    /* we could read them */
    bool outside;                  /* the kernel told us */
    uint64_t switches;             /* then: see live_futex.h */
    size_t holder;                 /* its index in live_threads; LIVE_NOBODY = not known */
    uint32_t hold;                 /* the holder's number of the hold; LIVE_NO_HOLD = not known */
    bool circle;                   /* it is part of a circle, which was told */
};

/* The stack in which a thread took a lock: the first calls that it still has open, perhaps some
 * that we do not know, and those that the collector kept. */
struct live_taken {
    size_t open;      /* of its open calls, from the outermost on */
    uint32_t unknown; /* calls in these */
    uint32_t kept;    /* frames of the hold's stack, from the innermost on */
};

struct live_waits {
    struct live_wait *items; /* one a thread */
    size_t count;
    bool denied; /* the program records no locks, and we may not look from outside */
};

/* -1: no memory. Release them in both cases. */
int live_waits_read(struct live_waits *waits, const struct live_threads *threads,
                    const struct live_source *source, struct error *error);
void live_waits_release(struct live_waits *waits);

/* The number of the holds that we can see. */
static inline uint32_t live_holds_count(const struct fisql_live_locks *locks)
{
    return locks->held < FISQL_LIVE_HOLDS_MAX ? locks->held : FISQL_LIVE_HOLDS_MAX;
}

/* The stack in which the thread took its hold of this number. False: it is not known. */
bool live_hold_taken(const struct live_thread *thread, const struct fisql_live_locks *locks,
                     uint32_t hold, struct live_taken *taken);

/* Finds the circle of threads that all wait for ever and of which `first` has the smallest index.
 * Writes at most `room` indices in the order of waiting. Returns their number; 0 = `first` waits in
 * no circle, or another has a smaller index. */
size_t live_waits_circle(const struct live_waits *waits, size_t first, size_t *members,
                         size_t room);

/* Does the same wait still go on? */
bool live_wait_lasts(const struct live_wait *wait, const struct live_thread *thread,
                     const struct live_source *source);

#endif
