/*
 * Threads that wait in known ways, each printing at its end what the kernel says of it:
 *
 *   NAME WALL_NS RUN_NS WHOLE_NS   from its last call of begin() to its last one of mark(); RUN_NS from
 *                                  /proc/self/task/TID/schedstat, WHOLE_NS the same from the thread's start on
 *   lock LEAST_NS MOST_NS          how long one thread has waited for another's lock
 *
 * With the argument "busy" two processes compute beside it. Who waits for whom does not depend on the load: a
 * thread that lets another one wait goes on only when it has seen that one asleep.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2];

struct account {
    uint64_t wall_ns, run_ns;
};

/* Threads that others have to see asleep: their ids, atomic, set when all that they still do is wait. */
static long reader_tid, waiter_tid, blocked_tid;
static int is_held; /* atomic */
static uint64_t held_least_ns;

static QUIET uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The account is read, and the thread was not put aside since. */
__attribute__((noinline)) static void begin(void)
{
    __asm__ volatile("");
}

/* The same, at the end. */
__attribute__((noinline)) static void mark(void)
{
    __asm__ volatile("");
}

static QUIET long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static QUIET struct account account_try(void)
{
    struct account account = {0, 0};
    char path[64];
    unsigned long long run = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%llu", &run) != 1)
        run = 0;
    if (file != NULL)
        fclose(file);
    account.run_ns = run;
    account.wall_ns = now_ns();
    return account;
}

/* A system call that gives the processor up brings the account up to date. */
static QUIET struct account account_read(void (*reached)(void))
{
    struct account account;
    long before;
    do {
        sched_yield();
        before = switches();
        account = account_try();
        reached();
    } while (switches() != before);
    return account;
}

static QUIET struct account account_begin(const char *name)
{
    prctl(PR_SET_NAME, name);
    return account_read(begin);
}

static QUIET void account_print(const char *name, struct account before)
{
    struct account after = account_read(mark);
    char line[128];
    int length = snprintf(line, sizeof line, "%s %llu %llu %llu\n", name,
                          (unsigned long long)(after.wall_ns - before.wall_ns),
                          (unsigned long long)(after.run_ns - before.run_ns),
                          (unsigned long long)after.run_ns);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        abort();
}

static QUIET void tell_tid(long *tid)
{
    __atomic_store_n(tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
}

static QUIET int is_asleep(long tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", tid);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = 0;
        fclose(file);
    }
    return state == 'S';
}

/* Returns when the thread sleeps that has told its id. */
static QUIET void see_asleep(const long *tid)
{
    while (__atomic_load_n(tid, __ATOMIC_ACQUIRE) == 0 || !is_asleep(*tid))
        usleep(1000);
}

__attribute__((noinline)) static void nap(unsigned us)
{
    usleep(us);
}

/* Some 200 us of work. */
__attribute__((noinline)) static unsigned compute(unsigned seed)
{
    for (unsigned i = 0; i < 100000; i++)
        seed = seed * 1664525u + 1013904223u;
    return seed;
}

__attribute__((noinline)) static void hold(unsigned ms)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&is_held, 1, __ATOMIC_RELEASE);
    see_asleep(&waiter_tid);
    uint64_t from = now_ns();
    usleep(ms * 1000);
    held_least_ns = now_ns() - from;
    pthread_mutex_unlock(&lock);
}

/* Waits in pthread_mutex_lock, which has no hooks. */
__attribute__((noinline)) static void wait_for_lock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static int read_one(void)
{
    char byte;
    return read(pipe_ends[0], &byte, 1) == 1 ? byte : -1;
}

__attribute__((noinline)) static void touch_pages(void)
{
    size_t size = 4 << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; memory != MAP_FAILED && i < size; i += 4096)
        memory[i] = 1;
    munmap(memory, size);
}

static void *napper(void *unused)
{
    struct account before = account_begin("napper");
    for (int i = 0; i < 200; i++)
        nap(385);
    account_print("napper", before);
    return unused;
}

static void *worker(void *unused)
{
    struct account before = account_begin("worker");
    unsigned seed = 1;
    for (int i = 0; i < 500; i++)
        seed = compute(seed);
    touch_pages();
    account_print(seed == 0 ? "none" : "worker", before);
    return unused;
}

static void *holder(void *unused)
{
    struct account before = account_begin("holder");
    hold(180);
    account_print("holder", before);
    return unused;
}

static QUIET void lock_print(uint64_t most_ns)
{
    printf("lock %llu %llu\n", (unsigned long long)held_least_ns, (unsigned long long)most_ns);
    fflush(stdout);
}

static void *waiter(void *unused)
{
    struct account before = account_begin("waiter");
    while (!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE))
        nap(1000);
    tell_tid(&waiter_tid);
    uint64_t from = now_ns();
    wait_for_lock();
    lock_print(now_ns() - from);
    account_print("waiter", before);
    return unused;
}

static void *reader(void *unused)
{
    struct account before = account_begin("reader");
    int sum = 0;
    tell_tid(&reader_tid);
    for (int byte; (byte = read_one()) >= 0;)
        sum += byte;
    account_print(sum == 0 ? "none" : "reader", before);
    return unused;
}

static void *blocked(void *unused)
{
    prctl(PR_SET_NAME, "blocked");
    tell_tid(&blocked_tid);
    nap(1000000000);
    return unused;
}

int main(int argc, char **argv)
{
    static void *(*const kinds[])(void *) = {napper, worker, holder, waiter, reader, blocked};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    pthread_t threads[KINDS];
    pid_t busy[2] = {0, 0};
    for (int i = 0; argc > 1 && strcmp(argv[1], "busy") == 0 && i < 2; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                continue;
        }
    }
    if (pipe(pipe_ends) != 0)
        return 1;
    for (int i = 0; i < KINDS; i++)
        if (pthread_create(&threads[i], NULL, kinds[i], NULL) != 0)
            return 1;
    see_asleep(&reader_tid);
    see_asleep(&blocked_tid);
    for (int i = 0; i < 40; i++) {
        nap(3000);
        if (write(pipe_ends[1], "x", 1) != 1)
            return 1;
    }
    close(pipe_ends[1]);
    for (int i = 0; i + 1 < KINDS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        if (busy[i] > 0)
            kill(busy[i], SIGKILL);
    for (int i = 0; i < 2; i++)
        if (busy[i] > 0)
            waitpid(busy[i], NULL, 0);
    return 0; /* "blocked" never ends */
}
