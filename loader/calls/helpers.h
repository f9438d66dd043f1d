/*
 * The threads of a load that have no thread of the log to decode, and what they do for those that have: steps of
 * the rows that wait (call_rows.h), and errands: what who decodes will need soon, done before it is asked for.
 */
#ifndef FISQL_LOADER_CALLS_HELPERS_H
#define FISQL_LOADER_CALLS_HELPERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct row_window;
struct errand;

/* The threads that decode, and those that help them; shared by all workers of a load. */
struct helpers {
    pthread_mutex_t lock; /* guards all but what is atomic */
    pthread_cond_t changed;
    struct row_window *windows;
    struct errand *errands;
    uint32_t decoding, idle; /* threads that decode, and that could help */
    uint32_t changes;        /* atomic: so often something has changed */
    uint32_t looks;          /* for a change, before a thread sleeps until there is one */
};

/* decoding: how many threads will say helpers_leave(). */
void helpers_init(struct helpers *helpers, uint32_t decoding);
void helpers_release(struct helpers *helpers);
/* So many threads will decode no more. */
void helpers_leave(struct helpers *helpers, uint32_t threads);

/* Something that others wait for has changed. The lock is held. */
void helpers_tell(struct helpers *helpers);
/* Waits for a change; it may return early. The lock is held, but not meanwhile. */
void helpers_wait(struct helpers *helpers);

/* One at a time of its kind, and of who decodes. */
struct errand {
    struct helpers *helpers; /* NULL: it is done when it is needed */
    struct errand *next;     /* in helpers->errands */
    void (*run)(void *context);
    void *context;
    enum errand_state { ERRAND_NONE, ERRAND_WANTED, ERRAND_BUSY } state;
};

/* helpers: NULL, or they must not be at it any more when the errand's memory goes (errand_drop). */
void errand_init(struct errand *errand, struct helpers *helpers, void (*run)(void *context),
                 void *context);
/* It is wanted from now on. It must not be so already. */
void errand_ask(struct errand *errand);
/* If it is wanted, it is done when this returns: by a helper, or by who asks where none has begun. */
void errand_finish(struct errand *errand);
/* It is not wanted, and nobody is at it, when this returns. */
void errand_drop(struct errand *errand);
/* Does one that is wanted and returns true. The lock is held, but not meanwhile. */
bool helpers_run_errand(struct helpers *helpers);

#endif
