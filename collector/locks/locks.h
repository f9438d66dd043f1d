/*
 * libfisql-locks.so (`fisql record --locks`): stands in front of the C library's locks and of whatever else one
 * thread waits for another in, and tells the collector (lock_events.h) who waits for whom, in which order locks
 * are taken, how long they are held, and what is misused.
 *
 *   locks_calls.c     the functions in front of mutexes, read-write locks, spin locks, C11's mtx
 *   locks_blocking.c  likewise of conditions, semaphores, barriers, threads that are joined, once
 *   locks.c           what a thread holds, for how long, in which order; its waits
 *   locks_objects.c   numbers of locks: one at the address of a destroyed one is another one
 *
 * A lock is tried first. Only where that fails the thread waits, and the wait is two records. Else all that is
 * done lies in the thread's own memory: which locks it holds, and counts, that are written now and then, at
 * the thread's end and at the process's. Nothing is allocated by malloc. While the library is at work in a
 * thread, a signal's handler that takes locks there is let through without being seen.
 */
#ifndef FISQL_COLLECTOR_LOCKS_LOCKS_H
#define FISQL_COLLECTOR_LOCKS_LOCKS_H

#include "collector/locks/locks_objects.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

#define SITE() ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* ---- locks.c ---- */

#define HOLDS_MAX 64u
#define THREAD_LOCKS 1024u  /* a power of two: locks of which a thread keeps counts at a time */
#define THREAD_ORDERS 1024u /* likewise orders */

struct lock_hold {
    struct lock_name name;
    uint64_t tick, point, site;
    uint32_t depth; /* how often it was taken, of a recursive one */
    uint8_t mode;   /* FISQL_LOCK_READ */
    uint8_t lost;   /* atomic: another thread gave it back */
    bool robust;    /* it may outlive its thread */
};

/* What is counted of a lock in a thread, and what of that the log has. Others read it: writers of counts
 * at the process's end. */
struct lock_count {
    struct lock_name name;
    uint64_t times, ticks, failed, times_told, ticks_told, failed_told;
    uint64_t longest, point, site;
};

struct lock_order {
    uint64_t key; /* 0 = empty: of the two locks, their modes, what else was held */
    uint64_t times, times_told;
    uint32_t number;
};

/* A thread; in a list that only grows: the memory of one that ended is used again. */
struct lock_thread {
    struct lock_thread *next;
    uint32_t tid;    /* atomic: 0 = free */
    uint32_t number; /* as in the log, FISQL_LOCK_THREAD_NONE = not known */
    uint64_t self;   /* pthread_self() */
    uint32_t inside; /* the library is at work */
    uint32_t held;   /* how many of holds */
    uint32_t more;   /* held without a place there */
    uint32_t mode;   /* 1, 2: as in FISQL_OPTIONS */
    uint32_t locks_used, orders_used, orders_number;
    uint64_t flushed_tick, second;
    struct fisql_live_slot *slot; /* that has our holds */
    struct lock_hold holds[HOLDS_MAX];
    struct lock_count locks[THREAD_LOCKS];
    struct lock_order orders[THREAD_ORDERS];
};

extern HIDDEN THREAD_LOCAL struct lock_thread *lock_self;
struct lock_thread *lock_thread_begin(void);

/* The calling thread, with the library at work in it; NULL where nothing is to be done. */
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

/* What is taken: a lock, how, and where from. */
struct lock_use {
    uint64_t address, site;
    uint8_t kind, mode;
    bool robust; /* of a mutex: it is made to outlive the thread that holds it */
};

/* All of these between lock_enter() and lock_leave(). It was taken; ordered: lock_wait_begin() was there. */
void lock_taken(struct lock_thread *thread, const struct lock_use *use, bool ordered);
/* It is about to be given back. `others`: the C library says that the caller does not hold it. */
enum lock_doubt { LOCK_NO_DOUBT, LOCK_NOT_HELD, LOCK_HELD_BY_OTHER };
void lock_given(struct lock_thread *thread, const struct lock_use *use, enum lock_doubt doubt);
/* A try did not get it. */
void lock_failed(struct lock_thread *thread, const struct lock_use *use);
/* Whether the thread holds it. */
bool lock_is_held(const struct lock_thread *thread, uint64_t address);
/* Says that it is misused. */
void lock_misused(struct lock_thread *thread, const struct lock_use *use,
                  enum fisql_lock_misuse what, uint32_t other);

/* A wait, from begin to end. `mutex`: of a condition, the name of its mutex. */
struct lock_wait {
    struct lock_thread *thread;
    struct lock_name name;
    bool got; /* what was waited for */
};
void lock_wait_begin(struct lock_thread *thread, const struct lock_use *use,
                     const struct lock_name *mutex, struct lock_wait *wait);
void lock_wait_end(struct lock_wait *wait);

/* It is about to be destroyed; it was. */
void lock_ending(struct lock_thread *thread, const struct lock_use *use);
void lock_destroyed(struct lock_thread *thread, const struct lock_use *use);

/* A mutex that is made to outlive the thread that holds it. */
static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return (mutex->__data.__kind & 16) != 0;
#else
    (void)mutex;
    return true;
#endif
}

/* What glibc refuses before it looks at the lock. */
#define TIME_IS_VALID(time) ((time)->tv_nsec >= 0 && (time)->tv_nsec < 1000000000)
#define CLOCK_IS_VALID(clock) ((clock) == CLOCK_MONOTONIC || (clock) == CLOCK_REALTIME)

/* Where the thread is now. */
uint64_t lock_point(struct lock_thread *thread, uint64_t *tick);

/* The next function of a name behind ours. */
void *lock_next(const char *name);

/* The functions behind ours. All are looked up when the library is loaded: dlsym() may allocate, which would count
 * for the program. */
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
