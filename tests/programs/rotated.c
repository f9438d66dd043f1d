/*
 * Writes much, in a known number of calls: for `fisql record --rotate` and `fisql top`.
 *
 * usage: rotated THREADS ROUNDS [CHILDREN [GENERATIONS [US]]]
 * Each thread calls round_of() ROUNDS times, which calls work() 9 times; the calls of outer() and
 * inner() stay open all the time. main() runs the threads in CHILDREN children at once, GENERATIONS
 * times one after another, and then itself. US: microseconds of a pause after each 100 rounds. At the
 * end the program prints what it called.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 64

static long threads, rounds, pause_us;
static volatile long sink;

__attribute__((noinline)) long work(long n)
{
    sink = n;
    return n + 1;
}

__attribute__((noinline)) long round_of(long n)
{
    for (int i = 0; i < 9; i++)
        n = work(n);
    return n;
}

__attribute__((noinline)) long inner(long n)
{
    for (long i = 0; i < rounds; i++) {
        n = round_of(n);
        if (pause_us > 0 && i % 100 == 99)
            usleep((useconds_t)pause_us);
    }
    return n;
}

__attribute__((noinline)) long outer(long n)
{
    n = inner(n);
    sink = n;
    return n;
}

static void *body(void *number)
{
    outer((long)number);
    return NULL;
}

__attribute__((noinline)) static void run_threads(void)
{
    pthread_t ids[THREADS_MAX];
    for (long i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, body, (void *)i);
    outer(0);
    for (long i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
    threads = argc > 1 ? atol(argv[1]) : 1;
    rounds = argc > 2 ? atol(argv[2]) : 1;
    long children = argc > 3 ? atol(argv[3]) : 0, generations = argc > 4 ? atol(argv[4]) : 1;
    pause_us = argc > 5 ? atol(argv[5]) : 0;
    for (long generation = 0; generation < generations && children > 0; generation++) {
        for (long i = 0; i < children; i++)
            if (fork() == 0) {
                run_threads();
                exit(0);
            }
        while (wait(NULL) > 0)
            ;
    }
    run_threads();
    long all = threads * (1 + children * generations);
    printf("inner %ld\nouter %ld\nround_of %ld\nwork %ld\n", all, all, all * rounds,
           all * rounds * 9);
    return 0;
}
