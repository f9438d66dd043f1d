/*
 * Does what it reads: for `fisql top`. Each line of stdin is one of
 *   c N      call step() N times, which calls leaf() 3 times
 *   t K N    the same in K threads at once
 *   b MS     compute for MS milliseconds of processor time in busy()
 *   s MS     sleep for MS milliseconds in nap()
 *   l        call a function with a long name
 * and is answered by a line "done".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

static volatile long sink;
static long count;

__attribute__((noinline)) long leaf(long n)
{
    sink = n;
    return n;
}

__attribute__((noinline)) long step(long n)
{
    return leaf(n) + leaf(n + 1) + leaf(n + 2);
}

__attribute__((noinline)) long
a_function_with_a_name_that_is_much_longer_than_a_terminal_is_wide_of_course(long n)
{
    sink = n;
    return n;
}

__attribute__((noinline)) void busy(long ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (long i = 0; i < 10000; i++)
            sink = i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

__attribute__((noinline)) void nap(long ms)
{
    usleep((useconds_t)ms * 1000);
}

static void *body(void *unused)
{
    (void)unused;
    for (long i = 0; i < count; i++)
        step(i);
    return NULL;
}

static void run_threads(long threads)
{
    pthread_t ids[THREADS_MAX];
    for (long i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, body, NULL);
    for (long i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

int main(void)
{
    char line[64], *end;
    while (fgets(line, sizeof line, stdin) != NULL) {
        long first = strtol(line + 1, &end, 10), second = strtol(end, NULL, 10);
        if (line[0] == 'c')
            count = first, body(NULL);
        else if (line[0] == 't')
            count = second, run_threads(first);
        else if (line[0] == 'b')
            busy(first);
        else if (line[0] == 's')
            nap(first);
        else if (line[0] == 'l')
            a_function_with_a_name_that_is_much_longer_than_a_terminal_is_wide_of_course(first);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
