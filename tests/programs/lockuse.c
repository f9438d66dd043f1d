/* Uses of locks, one a run: `lockuse NAME`. Those of misuse() do what must not be done and print nothing; the others
 * print what they count themselves, or what the functions gave, to be compared with a run without fisql. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static sem_t go;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void rest(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&t, &t) != 0)
        ;
}
static struct timespec in_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static void in_thread(void *(*what)(void *), void *with)
{
    pthread_t thread;
    pthread_create(&thread, NULL, what, with);
    pthread_join(thread, NULL);
}

/* ---- misuse ---- */

static void *unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
    return NULL;
}
static void *lock(void *mutex)
{
    pthread_mutex_lock(mutex);
    return NULL;
}
static void by_other(void)
{
    pthread_mutex_lock(&a);
    in_thread(unlock, &a);
}
static void unlocked(void)
{
    pthread_mutex_unlock(&a);
}
static void destroyed_held(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_destroy(&a);
    pthread_mutex_unlock(&a);
}
static void freed_held(void)
{
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    free(mutex);
}
static void used_destroyed(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_destroy(&a);
    pthread_mutex_lock(&a);
}
static void ended_holding(void)
{
    in_thread(lock, &a);
}
static void condition_not_held(void)
{
    struct timespec t = in_ms(1);
    pthread_cond_timedwait(&ready, &a, &t);
    pthread_mutex_unlock(&a);
}
static void *wait_with_a(void *unused)
{
    struct timespec t = in_ms(300);
    pthread_mutex_lock(&a);
    pthread_cond_timedwait(&ready, &a, &t);
    pthread_mutex_unlock(&a);
    return unused;
}
static void condition_two_mutexes(void)
{
    pthread_t thread;
    struct timespec t = in_ms(150);
    pthread_create(&thread, NULL, wait_with_a, NULL);
    rest(50);
    pthread_mutex_lock(&b);
    pthread_cond_timedwait(&ready, &b, &t);
    pthread_mutex_unlock(&b);
    pthread_join(thread, NULL);
}
static void *locked_twice_thread(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    return unused;
}
static void locked_twice(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, locked_twice_thread, NULL);
    rest(100);
}
static void *deadlock_thread(void *unused)
{
    pthread_mutex_lock(&b);
    sem_post(&go);
    pthread_mutex_lock(&a);
    return unused;
}
static void deadlock(void) /* for good */
{
    pthread_t thread;
    pthread_mutex_lock(&a);
    pthread_create(&thread, NULL, deadlock_thread, NULL);
    sem_wait(&go);
    pthread_mutex_lock(&b);
}

/* ---- what is counted ---- */

static pthread_mutex_t locks[5] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static void *take_turns(void *with)
{
    for (long i = 0; i < 1000 * (long)with; i++) {
        pthread_mutex_t *mutex = &locks[i % 5];
        if (i % 3 == 0 && pthread_mutex_trylock(mutex) == 0)
            pthread_mutex_unlock(mutex);
        else {
            pthread_mutex_lock(mutex);
            pthread_mutex_unlock(mutex);
        }
    }
    return NULL;
}
static void
counted(void) /* 1000 + 2000 + 3000 in threads, 4000 in this one, a fifth of each lock */
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, take_turns, (void *)(i + 1));
    take_turns((void *)4);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", 10000 / 5);
}

static long long waited_ns[4];
static void *contend(void *with)
{
    for (int i = 0; i < 10; i++) {
        long long before = now_ns();
        pthread_mutex_lock(&a);
        waited_ns[(long)with] += now_ns() - before;
        rest(3);
        pthread_mutex_unlock(&a);
    }
    return NULL;
}
static void waits(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, contend, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%lld\n", waited_ns[0] + waited_ns[1] + waited_ns[2] + waited_ns[3]);
}

/* ---- what the functions give ---- */

static void *try_it(void *mutex)
{
    struct timespec t = in_ms(5);
    printf("try %d\n", pthread_mutex_trylock(mutex));
    printf("timed %d\n", pthread_mutex_timedlock(mutex, &t));
    return NULL;
}
static void *blocked_in_wait(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &a);
    for (;;)
        pthread_cond_wait(&ready, &a);
    pthread_cleanup_pop(1);
    return unused;
}
static void *blocked_in_semaphore(void *unused)
{
    sem_wait(&go);
    return unused;
}
static void cancel(void *(*what)(void *))
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, what, NULL);
    rest(30);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
    errno = 0; /* the C library may have looked for libgcc_s, or found it loaded */
}
static int once_runs;
static void once_routine(void)
{
    once_runs++;
}
static void handler(int number)
{
    (void)number;
    sem_post(&go);
}
static void say(const char *what, int result)
{
    printf("%s %d errno %d\n", what, result, errno);
    errno = 0;
}
#define SAY(call) say(#call, call)
static void mutex_gives(int type, int robust)
{
    pthread_mutexattr_t how;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, type);
    pthread_mutexattr_setrobust(&how, robust);
    SAY(pthread_mutex_init(&mutex, &how));
    SAY(pthread_mutex_lock(&mutex));
    if (type != PTHREAD_MUTEX_NORMAL)
        SAY(pthread_mutex_lock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE)
        SAY(pthread_mutex_unlock(&mutex));
    in_thread(try_it, &mutex);
    SAY(pthread_mutex_unlock(&mutex));
    if (robust == PTHREAD_MUTEX_ROBUST && getenv("NO_ROBUST") == NULL) { /* qemu-user has none */
        in_thread(lock, &mutex);
        SAY(pthread_mutex_lock(&mutex));
        SAY(pthread_mutex_consistent(&mutex));
        SAY(pthread_mutex_unlock(&mutex));
    }
    SAY(pthread_mutex_destroy(&mutex));
}
/* The thread that held it ended, and what it guards was not made consistent. */
static void not_recoverable(int type, int protocol)
{
    struct timespec t = in_ms(5);
    pthread_mutexattr_t how;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, type);
    pthread_mutexattr_setprotocol(&how, protocol);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    SAY(pthread_mutex_init(&mutex, &how));
    in_thread(lock, &mutex);
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_cond_timedwait(&ready, &mutex, &t));
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_mutex_timedlock(&mutex, &t));
    SAY(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &t));
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_mutex_trylock(&mutex));
}
/* Arguments that are refused whether the lock is free or not. */
static void refused(void)
{
    pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    struct timespec t = in_ms(1000), wrong = {0, -1};
    SAY(pthread_mutex_timedlock(&m, &wrong));
    SAY(pthread_mutex_trylock(&m));
    SAY(pthread_mutex_unlock(&m));
    SAY(pthread_mutex_clocklock(&m, CLOCK_THREAD_CPUTIME_ID, &t));
    SAY(pthread_mutex_trylock(&m));
    SAY(pthread_rwlock_timedrdlock(&r, &wrong));
    SAY(pthread_rwlock_timedwrlock(&r, &wrong));
    SAY(pthread_rwlock_clockrdlock(&r, CLOCK_THREAD_CPUTIME_ID, &t));
    SAY(pthread_rwlock_clockwrlock(&r, CLOCK_THREAD_CPUTIME_ID, &t));
    SAY(pthread_rwlock_trywrlock(&r));
    SAY(pthread_cond_clockwait(&ready, &m, CLOCK_THREAD_CPUTIME_ID, &t));
    SAY(pthread_mutex_trylock(&m));
}
static void refuses(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK};
    for (int i = 0; i < 6; i++) {
        not_recoverable(types[i % 3], i < 3 ? PTHREAD_PRIO_NONE : PTHREAD_PRIO_INHERIT);
        fflush(stdout);
    }
    refused();
}
/* The wait is refused, for the thread does not hold the mutex. */
static void condition_refused(void)
{
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    printf("%d\n", pthread_cond_wait(&ready, &mutex));
}
static void *condition_refused_thread(void *unused)
{
    condition_refused();
    return unused;
}
static void condition_refuses(void)
{
    in_thread(condition_refused_thread, NULL);
}
static void rwlock_gives(void)
{
    pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec t = in_ms(5);
    SAY(pthread_rwlock_rdlock(&r));
    SAY(pthread_rwlock_tryrdlock(&r));
    SAY(pthread_rwlock_trywrlock(&r));
    SAY(pthread_rwlock_timedwrlock(&r, &t));
    SAY(pthread_rwlock_unlock(&r));
    SAY(pthread_rwlock_unlock(&r));
    SAY(pthread_rwlock_wrlock(&r));
    SAY(pthread_rwlock_wrlock(&r));
    SAY(pthread_rwlock_unlock(&r));
}
static void semaphore_gives(void)
{
    struct timespec t = in_ms(5), wrong = {0, -1};
    errno = 77;
    sem_post(&go);
    SAY(sem_wait(&go));
    SAY(sem_trywait(&go));
    SAY(sem_timedwait(&go, &t));
    SAY(sem_timedwait(&go, &wrong));
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    SAY(sem_wait(&go));
    cancel(blocked_in_semaphore);
}
static void condition_gives(void)
{
    struct timespec t = in_ms(5), wrong = {0, -1};
    SAY(pthread_mutex_lock(&a));
    SAY(pthread_cond_timedwait(&ready, &a, &t));
    SAY(pthread_cond_timedwait(&ready, &a, &wrong));
    SAY(pthread_mutex_unlock(&a));
    cancel(blocked_in_wait);
    SAY(pthread_mutex_trylock(&a));
    SAY(pthread_mutex_unlock(&a));
}
static void others_give(void)
{
    struct timespec t = in_ms(5);
    pthread_once_t once = PTHREAD_ONCE_INIT;
    once_flag flag = ONCE_FLAG_INIT;
    pthread_barrier_t barrier;
    mtx_t m;
    SAY(pthread_once(&once, once_routine));
    SAY(pthread_once(&once, once_routine));
    call_once(&flag, once_routine);
    say("runs", once_runs);
    SAY(pthread_barrier_init(&barrier, NULL, 1));
    SAY(pthread_barrier_wait(&barrier));
    SAY(pthread_barrier_destroy(&barrier));
    SAY(mtx_init(&m, mtx_timed));
    SAY(mtx_lock(&m));
    SAY(mtx_trylock(&m));
    SAY(mtx_timedlock(&m, &t));
    SAY(mtx_unlock(&m));
}
static void fork_gives(void)
{
    int status;
    pthread_mutex_lock(&a);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        SAY(pthread_mutex_unlock(&a));
        SAY(pthread_mutex_lock(&b));
        SAY(pthread_mutex_unlock(&b));
        fflush(stdout);
        _exit(3);
    }
    waitpid(child, &status, 0);
    say("status", WEXITSTATUS(status));
    SAY(pthread_mutex_unlock(&a));
}
static void gives(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK};
    errno = 0; /* newer loaders leave that of a library that they looked for */
    for (int i = 0; i < 6; i++)
        mutex_gives(types[i % 3], i < 3 ? PTHREAD_MUTEX_STALLED : PTHREAD_MUTEX_ROBUST);
    rwlock_gives();
    semaphore_gives();
    condition_gives();
    others_give();
    fork_gives();
}

/* With so many KiB of address space more than there are now. One waits for the other. */
static int gate[2];
static void *counts_tight(void *number)
{
    char byte;
    if (read(gate[0], &byte, 1) != 1)
        abort();
    pthread_mutex_lock(&a);
    ++*(int *)number;
    pthread_mutex_unlock(&a);
    return NULL;
}
static int tight(unsigned long more_kib)
{
    int number = 0;
    unsigned long pages;
    pthread_t thread;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (pipe(gate) != 0 || pthread_create(&thread, NULL, counts_tight, &number) != 0 ||
        statm == NULL || fscanf(statm, "%lu", &pages) != 1)
        return 1;
    rlim_t bytes = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (more_kib << 10);
    const struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 1;
    pthread_mutex_lock(&a);
    if (write(gate[1], "", 1) != 1)
        return 1;
    rest(20);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&b);
        number++;
        pthread_mutex_unlock(&b);
    }
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    printf("%d\n", number);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "tight") == 0)
        return tight(strtoul(argv[2], NULL, 10));
    static const struct {
        const char *name;
        void (*run)(void);
    } uses[] = {{"by_other", by_other},
                {"unlocked", unlocked},
                {"destroyed_held", destroyed_held},
                {"freed_held", freed_held},
                {"used_destroyed", used_destroyed},
                {"ended_holding", ended_holding},
                {"condition_not_held", condition_not_held},
                {"condition_two_mutexes", condition_two_mutexes},
                {"locked_twice", locked_twice},
                {"deadlock", deadlock},
                {"counted", counted},
                {"waits", waits},
                {"gives", gives},
                {"refuses", refuses},
                {"condition_refuses", condition_refuses}};
    sem_init(&go, 0, 0);
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (argc > 1 && strcmp(argv[1], uses[i].name) == 0)
            uses[i].run();
    return 0;
}
