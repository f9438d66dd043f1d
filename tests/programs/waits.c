/*
 * Threads that wait in known ways, each printing at its end what the kernel says of it:
 *
 *   NAME WALL_NS RUN_NS      from its first call to its last one of mark(); RUN_NS from
 *                            /proc/self/task/TID/schedstat
 *
 * With the argument "busy" two processes compute beside it.
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

static QUIET uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The account is read, and the thread was not put aside since. */
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
static QUIET struct account account_read(void)
{
    struct account account;
    long before;
    do {
        sched_yield();
        before = switches();
        account = account_try();
        mark();
    } while (switches() != before);
    return account;
}

/* The thread is new: what it ran until here is no more than its start. */
static QUIET struct account account_begin(void)
{
    return (struct account){now_ns(), 0};
}

static QUIET void account_print(const char *name, struct account before)
{
    struct account after = account_read();
    char line[128];
    int length = snprintf(line, sizeof line, "%s %llu %llu\n", name,
                          (unsigned long long)(after.wall_ns - before.wall_ns),
                          (unsigned long long)(after.run_ns - before.run_ns));
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        abort();
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
    usleep(ms * 1000);
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
    struct account before = account_begin();
    for (int i = 0; i < 200; i++)
        nap(385);
    account_print("napper", before);
    return unused;
}

static void *worker(void *unused)
{
    struct account before = account_begin();
    unsigned seed = 1;
    for (int i = 0; i < 500; i++)
        seed = compute(seed);
    touch_pages();
    account_print(seed == 0 ? "none" : "worker", before);
    return unused;
}

static void *holder(void *unused)
{
    struct account before = account_begin();
    hold(180);
    account_print("holder", before);
    return unused;
}

static void *waiter(void *unused)
{
    struct account before = account_begin();
    nap(20000);
    wait_for_lock();
    account_print("waiter", before);
    return unused;
}

static void *reader(void *unused)
{
    struct account before = account_begin();
    int sum = 0;
    for (int byte; (byte = read_one()) >= 0;)
        sum += byte;
    account_print(sum == 0 ? "none" : "reader", before);
    return unused;
}

static void *blocked(void *unused)
{
    nap(1000000000);
    return unused;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*run)(void *);
    } kinds[] = {{"napper", napper}, {"worker", worker}, {"holder", holder},
                 {"waiter", waiter}, {"reader", reader}, {"blocked", blocked}};
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
    for (int i = 0; i < KINDS; i++) {
        if (pthread_create(&threads[i], NULL, kinds[i].run, NULL) != 0)
            return 1;
        pthread_setname_np(threads[i], kinds[i].name);
    }
    for (int i = 0; i < 40; i++) {
        nap(2000);
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
