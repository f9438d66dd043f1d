/*
 * Helpers: threads of a load without a thread of the log to decode. They take steps of waiting rows
 * (call_rows.h) and run errands: work that a decoder will need soon, done ahead.
 */
#ifndef FISQL_LOADER_CALLS_HELPERS_H
#define FISQL_LOADER_CALLS_HELPERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct row_window;
struct errand;

/* Shared by all workers of a load. */
struct helpers {
    pthread_mutex_t lock; /* guards all that is not atomic */
    pthread_cond_t changed;
    struct row_window *windows;
    struct errand *errands;
    uint32_t decoding, idle; /* threads that decode, and that could help */
    uint32_t changes;        /* atomic: counts helpers_tell() */
    uint32_t looks;          /* for a change, before a thread sleeps */
};

/* decoding: the number of threads that will call helpers_leave(). */
void helpers_init(struct helpers *helpers, uint32_t decoding);
void helpers_release(struct helpers *helpers);
/* `threads` threads have stopped decoding. */
void helpers_leave(struct helpers *helpers, uint32_t threads);

/* Wakes the threads that wait for a change. The caller holds the lock. */
void helpers_tell(struct helpers *helpers);
/* Waits for a change; may return early. The caller holds the lock, which is free meanwhile. */
void helpers_wait(struct helpers *helpers);

/* An errand of one decoder. */
struct errand {
    struct helpers *helpers; /* NULL: it runs when it is needed */
    struct errand *next;     /* in helpers->errands */
    void (*run)(void *context);
    void *context;
    enum errand_state { ERRAND_NONE, ERRAND_WANTED, ERRAND_BUSY } state;
};

/* helpers: NULL, or call errand_drop before the errand's memory goes. */
void errand_init(struct errand *errand, struct helpers *helpers, void (*run)(void *context),
                 void *context);
/* Asks for it. It must not be wanted yet. */
void errand_ask(struct errand *errand);
/* Waits for a wanted errand, or runs it if no helper has started. */
void errand_finish(struct errand *errand);
/* Cancels it, and waits for a helper that runs it. */
void errand_drop(struct errand *errand);
/* Runs a wanted errand; false if there is none. The caller holds the lock, which is free
 * meanwhile. */
bool helpers_run_errand(struct helpers *helpers);

#endif
