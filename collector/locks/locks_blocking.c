/*
 * The functions in front of everything that threads wait for besides locks: see locks.h. Most are
 * cancellation points: if the thread ends in one, the wait ends on its way out.
 */
#include "collector/locks/locks.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* ---- waiting ---- */

struct blocked {
    struct lock_thread *thread; /* NULL = record nothing */
    struct lock_use use, mutex; /* mutex: a condition's; address 0 = none */
    struct lock_wait wait;
    bool holds; /* the thread has the mutex before and after */
};

static struct blocked blocked_begin(struct lock_thread *thread, uint64_t address, unsigned kind,
                                    uint64_t site)
{
    struct blocked blocked = {.thread = thread,
                              .use = {.address = address, .site = site, .kind = (uint8_t)kind}};
    if (thread != NULL) {
        int error = errno;
        lock_wait_begin(thread, &blocked.use, NULL, &blocked.wait);
        lock_leave(thread);
        errno = error;
    }
    return blocked;
}

/* Also runs if the thread is cancelled in the wait, when it holds the condition's mutex again. */
static void blocked_end(struct blocked *blocked)
{
    struct lock_thread *thread = blocked->thread;
    if (thread == NULL)
        return;
    int error = errno;
    thread->inside = 1;
    BARRIER();
    lock_wait_end(&blocked->wait);
    if (blocked->mutex.address != 0) {
        object_waits(blocked->use.address, blocked->wait.name.id, 0, -1);
        if (blocked->holds)
            lock_taken(thread, &blocked->mutex, false);
    }
    lock_leave(thread);
    errno = error;
}
#define BLOCKED __attribute__((cleanup(blocked_end))) struct blocked blocked

/* ---- conditions ---- */

static struct blocked condition_begin(uint64_t condition, pthread_mutex_t *mutex, uint64_t site)
{
    struct lock_name name;
    struct lock_thread *thread = lock_enter();
    struct blocked blocked = {
        .thread = thread,
        .use = {.address = condition, .site = site, .kind = FISQL_LOCK_KIND_CONDITION},
        .mutex = {.address = ADDRESS(mutex),
                  .site = site,
                  .kind = FISQL_LOCK_KIND_MUTEX,
                  .robust = mutex_is_robust(mutex)},
        .holds = true};
    if (thread == NULL)
        return blocked;
    int error = errno;
#if defined(__GLIBC__)
    if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP)
        blocked.mutex.kind = FISQL_LOCK_KIND_RECURSIVE;
#endif
    object_find(blocked.mutex.address, blocked.mutex.kind, site, &name);
    object_tell(&name);
    if (!lock_is_held(thread, ADDRESS(mutex))
#if defined(__GLIBC__)
        && (uint32_t)mutex->__data.__owner != thread->tid
#endif
    ) {
        blocked.holds = false;
        lock_misused(thread, &blocked.use, FISQL_LOCK_MISUSE_CONDITION_NOT_HELD, name.id);
    }
    lock_given(thread, &blocked.mutex, LOCK_NO_DOUBT);
    lock_wait_begin(thread, &blocked.use, &name, &blocked.wait);
    uint32_t other = object_waits(condition, blocked.wait.name.id, name.id, 1);
    if (other != 0)
        lock_misused(thread, &blocked.use, FISQL_LOCK_MISUSE_CONDITION_OTHER_MUTEX, other);
    lock_leave(thread);
    errno = error;
    return blocked;
}

/* The call returned. A mutex that is not recoverable is not held then. One that was not held before
 * may be held only if the wait was not refused. */
static void condition_ends(struct blocked *blocked, bool woken, int result)
{
    blocked->wait.got = woken || result == EOWNERDEAD;
    blocked->holds = (blocked->holds || woken) && result != ENOTRECOVERABLE;
}

/* `done`: the result that says that the thread was woken. */
#define CONDITION(name, parameters, arguments, done)                                               \
    FIND(int, name, parameters)                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        BLOCKED = condition_begin(ADDRESS(condition), (pthread_mutex_t *)(void *)mutex, SITE());   \
        int result = FOUND(name) arguments;                                                        \
        condition_ends(&blocked, result == (done), result);                                        \
        return result;                                                                             \
    }
CONDITION(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
          (condition, mutex), 0)
CONDITION(pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, UNTIL),
          (condition, mutex, until), 0)
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           UNTIL);
CONDITION(pthread_cond_clockwait,
          (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, UNTIL),
          (condition, mutex, clock, until), 0)
CONDITION(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), thrd_success)
CONDITION(cnd_timedwait, (cnd_t * condition, mtx_t *mutex, UNTIL), (condition, mutex, until),
          thrd_success)

#define MAKE(name, what, parameters, arguments)                                                    \
    FIND(int, name, parameters)                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        int result = FOUND(name) arguments;                                                        \
        if (result == 0)                                                                           \
            lock_made(ADDRESS(object), what, SITE());                                              \
        return result;                                                                             \
    }
#define DESTROY(name, type)                                                                        \
    FIND(int, name, (type *))                                                                      \
    EXPORT int name(type *object)                                                                  \
    {                                                                                              \
        int result = FOUND(name)(object);                                                          \
        if (result == 0)                                                                           \
            lock_destroyed(&(struct lock_use){.address = ADDRESS(object), .site = SITE()});        \
        return result;                                                                             \
    }
MAKE(pthread_cond_init, FISQL_LOCK_KIND_CONDITION,
     (pthread_cond_t * object, const pthread_condattr_t *attributes), (object, attributes))
DESTROY(pthread_cond_destroy, pthread_cond_t)
MAKE(sem_init, FISQL_LOCK_KIND_SEMAPHORE, (sem_t * object, int shared, unsigned value),
     (object, shared, value))
DESTROY(sem_destroy, sem_t)
MAKE(pthread_barrier_init, FISQL_LOCK_KIND_BARRIER,
     (pthread_barrier_t * object, const pthread_barrierattr_t *attributes, unsigned count),
     (object, attributes, count))
DESTROY(pthread_barrier_destroy, pthread_barrier_t)

/* ---- semaphores ---- */

FIND(int, sem_wait, (sem_t *))
FIND(int, sem_trywait, (sem_t *))
FIND(int, sem_timedwait, (sem_t *, const struct timespec *))
int sem_clockwait(sem_t *semaphore, clockid_t clock, UNTIL);
FIND(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))

/* Takes the semaphore if it is free. A pending cancellation comes first, as in the function
 * itself. */
static bool semaphore_taken(sem_t *semaphore)
{
    int error = errno;
    pthread_testcancel();
    bool taken = FOUND(sem_trywait)(semaphore) == 0;
    errno = error;
    return taken;
}

#define SEMAPHORE(name, parameters, arguments, valid)                                              \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        if ((valid) && lock_self != NULL && lock_self->inside == 0 && semaphore_taken(semaphore))  \
            return 0;                                                                              \
        BLOCKED =                                                                                  \
            blocked_begin(lock_enter(), ADDRESS(semaphore), FISQL_LOCK_KIND_SEMAPHORE, SITE());    \
        int result = FOUND(name) arguments;                                                        \
        blocked.wait.got = result == 0;                                                            \
        return result;                                                                             \
    }
SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore), true)
SEMAPHORE(sem_timedwait, (sem_t * semaphore, UNTIL), (semaphore, until), TIME_IS_VALID(until))
SEMAPHORE(sem_clockwait, (sem_t * semaphore, clockid_t clock, UNTIL), (semaphore, clock, until),
          TIME_IS_VALID(until) && CLOCK_IS_VALID(clock))

/* ---- barriers, threads, once ---- */

FIND(int, pthread_barrier_wait, (pthread_barrier_t *))

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    BLOCKED = blocked_begin(lock_enter(), ADDRESS(barrier), FISQL_LOCK_KIND_BARRIER, SITE());
    int result = FOUND(pthread_barrier_wait)(barrier);
    blocked.wait.got = result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD;
    return result;
}

/* When a joined thread's pthread_t comes again, it is another thread's. */
static void joined(struct blocked *blocked, bool got)
{
    blocked->wait.got = got;
    if (got)
        lock_destroyed(&blocked->use);
}

#define JOIN(name, parameters, arguments, done)                                                    \
    FIND(int, name, parameters)                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        BLOCKED = blocked_begin(lock_enter(), (uint64_t)thread, FISQL_LOCK_KIND_THREAD, SITE());   \
        int result = FOUND(name) arguments;                                                        \
        joined(&blocked, result == (done));                                                        \
        return result;                                                                             \
    }
JOIN(pthread_join, (pthread_t thread, void **value), (thread, value), 0)
JOIN(pthread_timedjoin_np, (pthread_t thread, void **value, UNTIL), (thread, value, until), 0)
int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, UNTIL);
JOIN(pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t clock, UNTIL),
     (thread, value, clock, until), 0)
JOIN(thrd_join, (thrd_t thread, int *value), (thread, value), thrd_success)

static bool once_done(const int *control)
{
#if defined(__GLIBC__)
    return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 2) != 0;
#else
    (void)control;
    return true;
#endif
}

/* Does another thread run it, as far as we can see? */
static bool once_runs(const int *control)
{
#if defined(__GLIBC__)
    return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 3) == 1;
#else
    (void)control;
    return false;
#endif
}

FIND(int, pthread_once, (pthread_once_t *, void (*)(void)))
FIND(void, call_once, (once_flag *, void (*)(void)))

/* The thread that runs the routine does not wait; we record a wait if another thread runs it. */
#define ONCE(type, name, control_type, call)                                                       \
    EXPORT type name(control_type *control, void (*routine)(void))                                 \
    {                                                                                              \
        const int *word = (const int *)(const void *)control;                                      \
        bool waits = !once_done(word) && once_runs(word);                                          \
        BLOCKED = blocked_begin(waits ? lock_enter() : NULL, ADDRESS(control),                     \
                                FISQL_LOCK_KIND_ONCE, SITE());                                     \
        blocked.wait.got = true;                                                                   \
        call;                                                                                      \
    }
ONCE(int, pthread_once, pthread_once_t, return FOUND(pthread_once)(control, routine))
ONCE(void, call_once, once_flag, FOUND(call_once)(control, routine))
