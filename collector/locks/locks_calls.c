/*
 * The functions in front of locks: see locks.h. Each does and returns what the C library's function
 * does and returns. If the lock is free, we take it by its try function; if the try fails, for any
 * reason, we call the function itself, which judges anew. So we try a lock only if a failed try
 * leaves no trace, and only with arguments that the function does not refuse before it looks at the
 * lock.
 */
#include "collector/locks/locks.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#define USE(object, what, how)                                                                     \
    (struct lock_use)                                                                              \
    {                                                                                              \
        .address = ADDRESS(object), .site = SITE(), .kind = (uint8_t)(what), .mode = (how)         \
    }

#define MUTEX(mutex, how)                                                                          \
    (struct lock_use)                                                                              \
    {                                                                                              \
        .address = ADDRESS(mutex), .site = SITE(), .kind = (uint8_t)mutex_kind(mutex),             \
        .mode = (how), .robust = mutex_is_robust(mutex)                                            \
    }

void *lock_next(const char *name)
{
#if defined(__GLIBC__) && defined(__x86_64__)
    /* Conditions have an older version, too, which programs are not linked with. clockwait came
     * after this one: asking in vain would allocate. */
    bool versions = strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name + 13, "clockwait") != 0;
    void *found = versions ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return found != NULL ? found : dlsym(RTLD_NEXT, name);
#else
    return dlsym(RTLD_NEXT, name);
#endif
}

static bool took(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

static unsigned mutex_kind(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP ? FISQL_LOCK_KIND_RECURSIVE
                                                                    : FISQL_LOCK_KIND_MUTEX;
#else
    (void)mutex;
    return FISQL_LOCK_KIND_MUTEX;
#endif
}

/* Does the mutex itself refuse a thread that already holds it? */
static bool mutex_checks(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
#else
    (void)mutex;
    return true;
#endif
}

/* What the C library says of a mutex whose taking we did not see, when it is released. */
static enum lock_doubt mutex_doubt(const void *object, const struct lock_thread *thread)
{
#if defined(__GLIBC__)
    const pthread_mutex_t *mutex = object;
    uint32_t owner = (uint32_t)mutex->__data.__owner;
    if (mutex->__data.__kind == -1)
        return LOCK_NO_DOUBT;
    if (mutex->__data.__lock == 0)
        return LOCK_NOT_HELD;
    return owner != 0 && owner != thread->tid ? LOCK_HELD_BY_OTHER : LOCK_NO_DOUBT;
#else
    (void)object, (void)thread;
    return LOCK_NO_DOUBT;
#endif
}

/* ---- the two ways to take a lock ---- */

struct attempt {
    struct lock_thread *thread;
    struct lock_use use;
    struct lock_wait wait;
    bool waits;
};

/* After a try: is the attempt over? */
static bool tried(struct attempt *attempt, int result)
{
    if (attempt->thread == NULL)
        return false;
    if (LIKELY(took(result)))
        lock_taken(attempt->thread, &attempt->use, false);
    else if (result == EBUSY) {
        lock_wait_begin(attempt->thread, &attempt->use, NULL, &attempt->wait);
        attempt->waits = true;
    }
    lock_leave(attempt->thread);
    return took(result);
}

/* The function itself returned. */
static int waited(struct attempt *attempt, int result)
{
    if (attempt->thread == NULL)
        return result;
    int error = errno;
    attempt->thread->inside = 1;
    attempt->wait.got = took(result);
    if (attempt->waits)
        lock_wait_end(&attempt->wait);
    if (took(result))
        lock_taken(attempt->thread, &attempt->use, attempt->waits);
    lock_leave(attempt->thread);
    errno = error;
    return result;
}

/* After a function that only tries. */
static int tried_only(struct attempt *attempt, int result)
{
    if (attempt->thread == NULL)
        return result;
    if (took(result))
        lock_taken(attempt->thread, &attempt->use, false);
    else if (result == EBUSY)
        lock_failed(attempt->thread, &attempt->use);
    lock_leave(attempt->thread);
    return result;
}

/* The program uses a destroyed lock, as the C library says. */
static void used_destroyed(const struct lock_use *use)
{
    struct lock_name name;
    struct object_end end;
    struct lock_thread *thread = lock_enter();
    if (thread == NULL)
        return;
    if (object_was_destroyed(use->address, &name, &end)) {
        object_tell(&name);
        const struct fisql_lock_record record = {.what = FISQL_LOCK_MISUSED,
                                                 .kind = FISQL_LOCK_MISUSE_USED_DESTROYED,
                                                 .lock = name.id,
                                                 .site = use->site,
                                                 .thread = end.thread,
                                                 .point = end.point,
                                                 .other_site = end.site};
        fisql_lock_record(&record);
    }
    lock_leave(thread);
}

/* ---- mutexes ---- */

FIND(int, pthread_mutex_lock, (pthread_mutex_t *))
FIND(int, pthread_mutex_trylock, (pthread_mutex_t *))
FIND(int, pthread_mutex_unlock, (pthread_mutex_t *))
FIND(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))
FIND(int, pthread_mutex_destroy, (pthread_mutex_t *))

/* glibc's try of a robust mutex that is not recoverable says so and leaves it locked for good: the
 * next pthread_mutex_lock(), which would also say so, hangs. So we look at a robust mutex instead
 * of trying it. */
#define NOT_TRIED (-1)

static int mutex_try(const struct attempt *attempt, pthread_mutex_t *mutex)
{
    if (LIKELY(!attempt->use.robust))
        return FOUND(pthread_mutex_trylock)(mutex);
#if defined(__GLIBC__)
    uint32_t word = (uint32_t)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
    uint32_t owner = word & FUTEX_TID_MASK;
    bool answers = owner == attempt->thread->tid &&
                   (mutex_checks(mutex) || mutex_kind(mutex) == FISQL_LOCK_KIND_RECURSIVE);
    return owner != 0 && (word & FUTEX_OWNER_DIED) == 0 && !answers ? EBUSY : NOT_TRIED;
#else
    return NOT_TRIED;
#endif
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct attempt attempt = {.thread = lock_enter()};
    if (UNLIKELY(attempt.thread == NULL))
        return FOUND(pthread_mutex_lock)(mutex);
    attempt.use = MUTEX(mutex, 0);
    int result = mutex_try(&attempt, mutex);
    if (UNLIKELY(result == EBUSY && mutex_checks(mutex) &&
                 lock_is_held(attempt.thread, ADDRESS(mutex)))) {
        lock_leave(attempt.thread);
        return FOUND(pthread_mutex_lock)(mutex);
    }
    if (LIKELY(tried(&attempt, result)))
        return result;
    result = waited(&attempt, FOUND(pthread_mutex_lock)(mutex));
    if (result == EINVAL)
        used_destroyed(&attempt.use);
    return result;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct attempt attempt = {.thread = lock_enter()};
    attempt.use = MUTEX(mutex, FISQL_LOCK_TRIED);
    int result = tried_only(&attempt, FOUND(pthread_mutex_trylock)(mutex));
    if (result == EINVAL)
        used_destroyed(&attempt.use);
    return result;
}

/* `valid`: the function does not refuse its arguments. */
#define TIMED_MUTEX(name, parameters, arguments, valid)                                            \
    FIND(int, name, parameters)                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct attempt attempt = {.thread = lock_enter()};                                         \
        attempt.use = MUTEX(mutex, FISQL_LOCK_TRIED);                                              \
        if (attempt.thread != NULL) {                                                              \
            int at_once = (valid) ? mutex_try(&attempt, mutex) : NOT_TRIED;                        \
            if (tried(&attempt, at_once))                                                          \
                return at_once;                                                                    \
        }                                                                                          \
        return waited(&attempt, FOUND(name) arguments);                                            \
    }
TIMED_MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until),
            (mutex, until), true)
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
TIMED_MUTEX(pthread_mutex_clocklock,
            (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
            (mutex, clock, until), CLOCK_IS_VALID(clock))

/* Before a release. `doubt_of`: what the C library says; NULL = it knows nothing of the lock. */
static void give(const struct lock_use *use, const void *object,
                 enum lock_doubt (*doubt_of)(const void *, const struct lock_thread *))
{
    struct lock_thread *thread = lock_enter();
    if (UNLIKELY(thread == NULL))
        return;
    int error = errno;
    lock_given(thread, use, doubt_of != NULL ? doubt_of(object, thread) : LOCK_HELD_BY_OTHER);
    lock_leave(thread);
    errno = error;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    const struct lock_use use = MUTEX(mutex, 0);
#if defined(__GLIBC__)
    if (UNLIKELY(mutex->__data.__kind == -1))
        used_destroyed(&use);
#endif
    give(&use, mutex, mutex_doubt);
    return FOUND(pthread_mutex_unlock)(mutex);
}

void lock_made(uint64_t address, unsigned kind, uint64_t site)
{
    struct lock_thread *thread = lock_enter();
    if (thread == NULL)
        return;
    object_made(address, kind, site);
    lock_leave(thread);
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int result = FOUND(pthread_mutex_init)(mutex, attributes);
    if (result == 0)
        lock_made(ADDRESS(mutex), mutex_kind(mutex), SITE());
    return result;
}

/* Reports a lock that is still held; forgets a destroyed one. */
#define DESTROY(name, type, what)                                                                  \
    EXPORT int name(type *object)                                                                  \
    {                                                                                              \
        const struct lock_use use = USE(object, what, 0);                                          \
        lock_ending(&use);                                                                         \
        int result = FOUND(name)((void *)object);                                                  \
        if (result == 0)                                                                           \
            lock_destroyed(&use);                                                                  \
        return result;                                                                             \
    }
DESTROY(pthread_mutex_destroy, pthread_mutex_t, mutex_kind(object))

/* ---- C11: the same objects, other results ---- */

FIND(int, mtx_init, (mtx_t *, int))
FIND(void, mtx_destroy, (mtx_t *))
FIND(int, mtx_lock, (mtx_t *))
FIND(int, mtx_trylock, (mtx_t *))
FIND(int, mtx_timedlock, (mtx_t *, const struct timespec *))
FIND(int, mtx_unlock, (mtx_t *))

#define MUTEX_OF(mutex) ((pthread_mutex_t *)(void *)(mutex))

static int error_of(int result)
{
    return result == thrd_success ? 0 : result == thrd_busy ? EBUSY : EINVAL;
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
    int result = FOUND(mtx_init)(mutex, type);
    if (result == thrd_success)
        lock_made(ADDRESS(mutex), mutex_kind(MUTEX_OF(mutex)), SITE());
    return result;
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    const struct lock_use use = USE(mutex, mutex_kind(MUTEX_OF(mutex)), 0);
    lock_ending(&use);
    lock_destroyed(&use);
    FOUND(mtx_destroy)(mutex);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    struct attempt attempt = {.thread = lock_enter()};
    if (attempt.thread == NULL)
        return FOUND(mtx_lock)(mutex);
    attempt.use = USE(mutex, mutex_kind(MUTEX_OF(mutex)), 0);
    int result = FOUND(mtx_trylock)(mutex);
    if (tried(&attempt, error_of(result)))
        return result;
    result = FOUND(mtx_lock)(mutex);
    waited(&attempt, error_of(result));
    return result;
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    struct attempt attempt = {.thread = lock_enter()};
    attempt.use = USE(mutex, mutex_kind(MUTEX_OF(mutex)), FISQL_LOCK_TRIED);
    int result = FOUND(mtx_trylock)(mutex);
    tried_only(&attempt, error_of(result));
    return result;
}

EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    struct attempt attempt = {.thread = lock_enter()};
    attempt.use = USE(mutex, mutex_kind(MUTEX_OF(mutex)), FISQL_LOCK_TRIED);
    int result = attempt.thread != NULL ? FOUND(mtx_trylock)(mutex) : thrd_busy;
    if (attempt.thread != NULL && tried(&attempt, error_of(result)))
        return result;
    result = FOUND(mtx_timedlock)(mutex, until);
    waited(&attempt, error_of(result));
    return result;
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    const struct lock_use use = USE(mutex, mutex_kind(MUTEX_OF(mutex)), 0);
    give(&use, mutex, mutex_doubt);
    return FOUND(mtx_unlock)(mutex);
}

/* ---- read-write locks ---- */

FIND(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))
FIND(int, pthread_rwlock_destroy, (pthread_rwlock_t *))
FIND(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))
FIND(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))
FIND(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))
FIND(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))
FIND(int, pthread_rwlock_unlock, (pthread_rwlock_t *))

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int result = FOUND(pthread_rwlock_init)(lock, attributes);
    if (result == 0)
        lock_made(ADDRESS(lock), FISQL_LOCK_KIND_RWLOCK, SITE());
    return result;
}
DESTROY(pthread_rwlock_destroy, pthread_rwlock_t, FISQL_LOCK_KIND_RWLOCK)

#define RWLOCK(name, try_name, how, parameters, arguments, valid)                                  \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct attempt attempt = {.thread = lock_enter()};                                         \
        attempt.use = USE(lock, FISQL_LOCK_KIND_RWLOCK, how);                                      \
        if (attempt.thread != NULL &&                                                              \
            tried(&attempt, (valid) ? FOUND(try_name)(lock) : NOT_TRIED))                          \
            return 0;                                                                              \
        return waited(&attempt, FOUND(name) arguments);                                            \
    }
#define TIMED_RWLOCK(name, try_name, how, parameters, arguments, valid)                            \
    FIND(int, name, parameters)                                                                    \
    RWLOCK(name, try_name, (how) | FISQL_LOCK_TRIED, parameters, arguments, valid)
RWLOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, FISQL_LOCK_READ, (pthread_rwlock_t * lock),
       (lock), true)
RWLOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 0, (pthread_rwlock_t * lock), (lock), true)
TIMED_RWLOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, FISQL_LOCK_READ,
             (pthread_rwlock_t * lock, UNTIL), (lock, until), TIME_IS_VALID(until))
TIMED_RWLOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, 0,
             (pthread_rwlock_t * lock, UNTIL), (lock, until), TIME_IS_VALID(until))
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, UNTIL);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, UNTIL);
TIMED_RWLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, FISQL_LOCK_READ,
             (pthread_rwlock_t * lock, clockid_t clock, UNTIL), (lock, clock, until),
             TIME_IS_VALID(until) && CLOCK_IS_VALID(clock))
TIMED_RWLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, 0,
             (pthread_rwlock_t * lock, clockid_t clock, UNTIL), (lock, clock, until),
             TIME_IS_VALID(until) && CLOCK_IS_VALID(clock))

#define TRY_ONLY(name, type, what, how)                                                            \
    EXPORT int name(type lock)                                                                     \
    {                                                                                              \
        struct attempt attempt = {.thread = lock_enter()};                                         \
        attempt.use = USE(lock, what, (how) | FISQL_LOCK_TRIED);                                   \
        return tried_only(&attempt, FOUND(name)(lock));                                            \
    }
TRY_ONLY(pthread_rwlock_tryrdlock, pthread_rwlock_t *, FISQL_LOCK_KIND_RWLOCK, FISQL_LOCK_READ)
TRY_ONLY(pthread_rwlock_trywrlock, pthread_rwlock_t *, FISQL_LOCK_KIND_RWLOCK, 0)

/* A rwlock's words say no more than this: its readers are not known. */
static enum lock_doubt rwlock_doubt(const void *object, const struct lock_thread *thread)
{
#if defined(__GLIBC__)
    const pthread_rwlock_t *lock = object;
    uint32_t writer = (uint32_t)lock->__data.__cur_writer;
    if (writer != 0)
        return writer != thread->tid ? LOCK_HELD_BY_OTHER : LOCK_NO_DOUBT;
    return lock->__data.__readers >> 3 == 0 ? LOCK_NOT_HELD : LOCK_NO_DOUBT;
#else
    (void)object, (void)thread;
    return LOCK_NO_DOUBT;
#endif
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    const struct lock_use use = USE(lock, FISQL_LOCK_KIND_RWLOCK, 0);
    give(&use, lock, rwlock_doubt);
    return FOUND(pthread_rwlock_unlock)(lock);
}

/* ---- spin locks ---- */

FIND(int, pthread_spin_init, (pthread_spinlock_t *, int))
FIND(int, pthread_spin_destroy, (pthread_spinlock_t *))
FIND(int, pthread_spin_lock, (pthread_spinlock_t *))
FIND(int, pthread_spin_trylock, (pthread_spinlock_t *))
FIND(int, pthread_spin_unlock, (pthread_spinlock_t *))

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    int result = FOUND(pthread_spin_init)(lock, shared);
    if (result == 0)
        lock_made(ADDRESS(lock), FISQL_LOCK_KIND_SPIN, SITE());
    return result;
}
DESTROY(pthread_spin_destroy, volatile pthread_spinlock_t, FISQL_LOCK_KIND_SPIN)
#define SPIN volatile pthread_spinlock_t *lock
#define OBJECT ((void *)(uintptr_t)lock)
EXPORT int pthread_spin_lock(SPIN)
{
    struct attempt attempt = {.thread = lock_enter()};
    attempt.use = USE(lock, FISQL_LOCK_KIND_SPIN, 0);
    if (attempt.thread != NULL && tried(&attempt, FOUND(pthread_spin_trylock)(OBJECT)))
        return 0;
    return waited(&attempt, FOUND(pthread_spin_lock)(OBJECT));
}

EXPORT int pthread_spin_trylock(SPIN)
{
    struct attempt attempt = {.thread = lock_enter()};
    attempt.use = USE(lock, FISQL_LOCK_KIND_SPIN, FISQL_LOCK_TRIED);
    return tried_only(&attempt, FOUND(pthread_spin_trylock)(OBJECT));
}

EXPORT int pthread_spin_unlock(SPIN)
{
    const struct lock_use use = USE(lock, FISQL_LOCK_KIND_SPIN, 0);
    give(&use, OBJECT, NULL);
    return FOUND(pthread_spin_unlock)(OBJECT);
}

/* the program's own locks */

EXPORT void fisql_locked(const void *lock);
EXPORT void fisql_unlocked(const void *lock);

EXPORT void fisql_locked(const void *lock)
{
    const struct lock_use use = USE(lock, FISQL_LOCK_KIND_USER, 0);
    struct lock_thread *thread = lock_enter();
    if (thread == NULL)
        return;
    int error = errno;
    lock_taken(thread, &use, false);
    lock_leave(thread);
    errno = error;
}

EXPORT void fisql_unlocked(const void *lock)
{
    const struct lock_use use = USE(lock, FISQL_LOCK_KIND_USER, 0);
    give(&use, lock, NULL);
}
