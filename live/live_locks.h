/*
 * Which locks the threads of a live area hold and wait for (`fisql record --locks`), and whether they
 * wait for each other in a circle.
 */
#ifndef FISQL_LIVE_LIVE_LOCKS_H
#define FISQL_LIVE_LIVE_LOCKS_H

#include "live/live_threads.h"

#define LIVE_NOBODY SIZE_MAX

/* What a thread of live_threads waits for. */
struct live_wait {
    struct fisql_live_locks locks; /* of the thread, whole */
    bool known;                    /* they could be read */
    size_t holder;        /* index in live_threads of the lock's holder; LIVE_NOBODY = not known */
    uint64_t holder_site; /* where that thread took it: a return address; 0 = not known */
};

struct live_waits {
    struct live_wait *items; /* one for each of the threads */
    size_t count;
};

/* -1: no memory. Release in both cases. */
int live_waits_read(struct live_waits *waits, const struct live_threads *threads,
                    const struct live_source *source, struct error *error);
void live_waits_release(struct live_waits *waits);

/* The circle of threads that a thread waits in, all of them for ever: their indices, in the order of waiting, `first` being the
 * smallest; at most `room`. Returns their number, 0 = it waits in none, or is not the first. */
size_t live_waits_circle(const struct live_waits *waits, size_t first, size_t *members,
                         size_t room);

/* Does the same wait still go on? */
bool live_wait_lasts(const struct live_wait *wait, const struct live_thread *thread,
                     const struct live_source *source);

#endif
