/* Threads that wait for locks, for good or for long: what `fisql stacks` says of them is in tests/e2e/locks.sh. Each
 * thread takes its own lock, and wants its neighbour's when all have theirs. Ends when its input does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 8

static pthread_mutex_t locks[THREADS_MAX];
static pthread_barrier_t all_have;
static int threads;
static int circle; /* the last one wants the first one's lock, too, */
static int timed;  /* but not for ever */

static void wanted(int number)
{
    static const struct timespec end = {.tv_sec = 1L << 40};
    if (timed && number + 1 == threads)
        pthread_mutex_timedlock(&locks[0], &end);
    else
        pthread_mutex_lock(&locks[(number + 1) % threads]);
    pthread_mutex_unlock(&locks[(number + 1) % threads]);
}

static void taken(int number)
{
    pthread_mutex_lock(&locks[number]);
    pthread_barrier_wait(&all_have);
    if (circle || number + 1 < threads)
        wanted(number);
    else
        for (;;)
            pause(); /* the others wait long */
}

static void *stuck(void *number)
{
    taken((int)(long)number);
    return NULL;
}

int main(int argc, char **argv)
{
    threads = argc > 2 ? atoi(argv[2]) : 2;
    timed = argc > 1 && strcmp(argv[1], "timed") == 0;
    circle = timed || (argc > 1 && strcmp(argv[1], "circle") == 0);
    pthread_barrier_init(&all_have, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, stuck, (void *)i);
    }
    pthread_barrier_wait(&all_have);
    puts("all have their own");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    _exit(0);
}
