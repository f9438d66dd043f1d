/*
 * libfisql-locks.so (`fisql record --locks`) stands in front of the C library's locks and of
 * everything else in which one thread waits for another. It records (lock_events.h) who waits for
 * whom, in which order threads take locks, how long they hold them, and what they misuse.
 * locks_calls.c has the functions in front of mutexes, read-write locks, spin locks and C11's mtx;
 * locks_blocking.c those of conditions, semaphores, barriers, joined threads and once; locks.c what
 * a thread holds, for how long, in which order, and its waits; locks_objects.c the locks' numbers.
 *
 * We try a lock first. Only if that fails the thread waits, and the wait is two records. Everything
 * else lies in the thread's own memory: the locks it holds, and counts, which are written now and
 * then and at the ends of thread and process. Nothing calls malloc. While the library works in a
 * thread, a signal handler that takes locks there passes unseen.
 */
#ifndef FISQL_COLLECTOR_LOCKS_LOCKS_H
#define FISQL_COLLECTOR_LOCKS_LOCKS_H

#include "collector/locks/locks_objects.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

/* Where the function that this stands in was called. */
#define SITE() lock_site((uint64_t)(uintptr_t)__builtin_return_address(0), FRAME_ADDRESS())
static inline uint64_t lock_site(uint64_t address, uint64_t stack)
{
    return fisql_true_return != NULL ? fisql_true_return(address, stack) : address;
}
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* ---- locks.c ---- */

#define HOLDS_MAX 64u
#define THREAD_LOCKS 1024u  /* a power of two: locks that a thread counts at a time */
#define THREAD_ORDERS 1024u /* a power of two: orders, in the same way */

struct lock_hold {
    struct lock_name name;
    uint64_t tick, point, site;
    struct fisql_live_stack stack; /* where it was taken */
    uint32_t depth;                /* how often a recursive one is taken */
    uint8_t mode;                  /* FISQL_LOCK_READ */
    uint8_t lost;                  /* atomic: another thread has released it */
    bool robust;                   /* it may outlive its thread */
};

/* A thread's counts of a lock, and the part of them that the log has (_told). Other threads read
 * them to write counts at the process's end. */
struct lock_count {
    struct lock_name name;
    uint64_t times, ticks, failed, times_told, ticks_told, failed_told;
    uint64_t longest, point, site;
};

struct lock_order {
    uint64_t key; /* from the two locks, their modes, what else was held; 0 = empty */
    uint64_t times, times_told;
    uint32_t number;
};

/* A thread, in a list that only grows: a new thread takes the memory of one that ended. */
struct lock_thread {
    struct lock_thread *next;
    uint32_t tid;    /* atomic: 0 = free */
    uint32_t number; /* as in the log; FISQL_LOCK_THREAD_NONE = not known */
    uint64_t self;   /* pthread_self() */
    uint32_t inside; /* the library is at work in it */
    uint32_t held;   /* number of holds */
    uint32_t more;   /* locks held without a place in holds */
    uint32_t mode;   /* 1, 2: as in FISQL_OPTIONS */
    uint32_t locks_used, orders_used, orders_number;
    uint64_t flushed_tick, second;
    struct fisql_live_slot *slot; /* that shows our holds */
    struct lock_hold holds[HOLDS_MAX];
    struct lock_count locks[THREAD_LOCKS];
    struct lock_order orders[THREAD_ORDERS];
};

extern HIDDEN THREAD_LOCAL struct lock_thread *lock_self;
struct lock_thread *lock_thread_begin(void);

/* Enters the library in the calling thread. NULL = do nothing. */
static inline struct lock_thread *lock_enter(void)
{
    struct lock_thread *thread = lock_self;
    if (UNLIKELY(thread == NULL))
        thread = lock_thread_begin();
    if (UNLIKELY(thread == NULL || thread->inside != 0))
        return NULL;
    thread->inside = 1;
    BARRIER();
    return thread;
}

static inline void lock_leave(struct lock_thread *thread)
{
    BARRIER();
    thread->inside = 0;
}

/* A lock that is taken or released: which, how, and where. */
struct lock_use {
    uint64_t address, site;
    uint8_t kind, mode;
    bool robust; /* of a mutex: it may outlive the thread that holds it */
};

/* Call all of these between lock_enter() and lock_leave(). The thread took the lock; ordered: after
 * lock_wait_begin(). */
void lock_taken(struct lock_thread *thread, const struct lock_use *use, bool ordered);
/* The thread is about to release the lock. `doubt`: what the C library says, if the caller does not
 * hold it. */
enum lock_doubt { LOCK_NO_DOUBT, LOCK_NOT_HELD, LOCK_HELD_BY_OTHER };
void lock_given(struct lock_thread *thread, const struct lock_use *use, enum lock_doubt doubt);
/* A try failed. */
void lock_failed(struct lock_thread *thread, const struct lock_use *use);
/* Does the thread hold it? */
bool lock_is_held(const struct lock_thread *thread, uint64_t address);
/* Records a misuse. */
void lock_misused(struct lock_thread *thread, const struct lock_use *use,
                  enum fisql_lock_misuse what, uint32_t other);

/* A wait. `mutex`: the name of a condition's mutex. */
struct lock_wait {
    struct lock_thread *thread;
    struct lock_name name;
    bool got; /* it ended with success */
};
void lock_wait_begin(struct lock_thread *thread, const struct lock_use *use,
                     const struct lock_name *mutex, struct lock_wait *wait);
void lock_wait_end(struct lock_wait *wait);

/* These enter and leave themselves. The lock is about to be destroyed; it has been; it was made
 * (locks_calls.c). */
void lock_ending(const struct lock_use *use);
void lock_destroyed(const struct lock_use *use);
void lock_made(uint64_t address, unsigned kind, uint64_t site);

/* May the mutex outlive the thread that holds it? */
static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return (mutex->__data.__kind & 16) != 0;
#else
    (void)mutex;
    return true;
#endif
}

/* glibc refuses other values before it looks at the lock. */
#define TIME_IS_VALID(time) ((time)->tv_nsec >= 0 && (time)->tv_nsec < 1000000000)
#define UNTIL const struct timespec *until
#define CLOCK_IS_VALID(clock) ((clock) == CLOCK_MONOTONIC || (clock) == CLOCK_REALTIME)

/* The thread's point of its timeline now. */
uint64_t lock_point(struct lock_thread *thread, uint64_t *tick);

/* The C library's function of this name. */
void *lock_next(const char *name);

/* The C library's functions. We look up all of them when the library is loaded: dlsym() may
 * allocate, and that would count for the program. */
#define NEXT(name) next_##name
#define FIND(type, name, parameters)                                                               \
    static type(*NEXT(name)) parameters;                                                           \
    static __attribute__((constructor(101))) void find_##name(void)                                \
    {                                                                                              \
        void *found = lock_next(#name);                                                            \
        __builtin_memcpy(&NEXT(name), &found, sizeof found);                                       \
    }
#define FOUND(name) (LIKELY(NEXT(name) != NULL) ? NEXT(name) : (find_##name(), NEXT(name)))

#endif
