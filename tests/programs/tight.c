/* A program that is short of address space: tight threads (how many allocations and threads fail),
 * tight size (what address space it and a thread take), tight full (no room for anything more: a
 * thread on a stack of its own, and deep recursion). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 16
static pthread_barrier_t barrier;
static int fails;
static _Alignas(4096) char stack[1 << 20];

static int work(int i)
{
    return i + 1;
}
static int down(int i)
{
    return i == 0 ? 0 : down(i - 1) + 1;
}
/* Has the stack mapped that later calls take. */
__attribute__((no_instrument_function, noinline)) static void touch_stack(void)
{
    volatile char room[6 << 20];
    for (size_t i = sizeof room; i >= 4096; i -= 4096)
        room[i - 1] = 1;
}
static void *thread(void *arg)
{
    work(1);
    char *block = malloc((size_t)20 << 20);
    if (block == NULL)
        __atomic_fetch_add(&fails, 1, __ATOMIC_RELAXED);
    else
        memset(block, 1, 100);
    pthread_barrier_wait(&barrier);
    free(block);
    return arg;
}
static void *idle(void *arg)
{
    work(1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return arg;
}
static void *lost(void *arg)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return arg;
}
static long size_kb(int field)
{
    long pages[2] = {0, 0};
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2)
        abort();
    fclose(file);
    return pages[field] * (sysconf(_SC_PAGESIZE) / 1024);
}
static void threads(void *(*function)(void *), int two_barriers)
{
    pthread_t made[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    long before[2] = {size_kb(0), size_kb(1)};
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&made[i], &attributes, function, NULL) != 0) {
            puts("no thread");
            exit(1);
        }
    pthread_barrier_wait(&barrier);
    if (two_barriers) {
        printf("process %ld %ld\nthread %ld %ld\n", before[0], before[1],
               (size_kb(0) - before[0]) / THREADS, (size_kb(1) - before[1]) / THREADS);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(made[i], NULL);
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "threads") == 0) {
        threads(thread, 0);
        printf("%d\n", fails);
    } else if (strcmp(how, "size") == 0) {
        threads(idle, 1);
    } else {
        pthread_t made;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, sizeof stack);
        touch_stack();
        down(1000);
        struct rlimit limit = {(rlim_t)size_kb(0) << 10, RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
        if (pthread_create(&made, &attributes, lost, NULL) != 0)
            return 1;
        pthread_join(made, NULL);
        for (int i = 0; i < 3; i++)
            down(40000);
        puts("done");
    }
    return 0;
}
