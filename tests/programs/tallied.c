/* Counts its calls in a file that outlives it, so that a test can kill it at any instant: each of N
 * threads calls tallied() until it has done so LAST times, and writes how often it has entered it.
 *
 *     tallied FILE THREADS LAST */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE 8 /* counters of threads lie in cache lines of their own */

static volatile uint64_t *tallies;
static uint64_t last;

static __attribute__((noinline)) int leaf(int n)
{
    return n + 1;
}

static __attribute__((noinline)) int tallied(volatile uint64_t *tally)
{
    *tally = *tally + 1;
    return leaf((int)*tally);
}

static void *worker(void *argument)
{
    volatile uint64_t *tally = tallies + LINE * (uintptr_t)argument;
    while (*tally < last)
        tallied(tally);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    long count = argc == 4 ? atol(argv[2]) : 0;
    if (count < 1 || count > 16)
        return 2;
    last = strtoull(argv[3], NULL, 10);
    int file = open(argv[1], O_RDWR);
    tallies = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (tallies == MAP_FAILED)
        return 2;
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
