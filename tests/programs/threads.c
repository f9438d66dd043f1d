/* Many short threads: joined, detached, ended by pthread_exit and by cancellation, named. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np */
#endif
#include "count.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
COUNTED_NAMES;

static int detached_left; /* detached and cancelled threads that have yet to do their work */

static void leaf(int n)
{
    COUNT();
    free(malloc((size_t)n + 1));
}
static void work(int n)
{
    COUNT();
    for (int i = 0; i < n; i++)
        leaf(i);
}
static void *plain_thread(void *arg)
{
    COUNT();
    pthread_setname_np(pthread_self(), "plain");
    work(3);
    return arg;
}
static void *exiting_thread(void *arg)
{
    COUNT();
    work(2);
    pthread_exit(arg);
}
static void *detached_thread(void *arg)
{
    COUNT();
    work(1);
    __atomic_fetch_sub(&detached_left, 1, __ATOMIC_ACQ_REL);
    return arg;
}
static void *cancelled_thread(void *arg)
{
    COUNT();
    work(1);
    __atomic_fetch_sub(&detached_left, 1, __ATOMIC_ACQ_REL);
    for (;;)
        pause();
    return arg;
}
int main(int argc, char **argv)
{
    COUNT();
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
    for (int i = 0; i < rounds; i++) {
        pthread_t threads[4];
        __atomic_fetch_add(&detached_left, 2, __ATOMIC_ACQ_REL);
        pthread_create(&threads[0], NULL, plain_thread, NULL);
        pthread_create(&threads[1], NULL, exiting_thread, NULL);
        pthread_create(&threads[2], NULL, detached_thread, NULL);
        pthread_detach(threads[2]);
        pthread_create(&threads[3], NULL, cancelled_thread, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        while (__atomic_load_n(&detached_left, __ATOMIC_ACQUIRE) != 0)
            usleep(50);
        pthread_cancel(threads[3]);
        pthread_join(threads[3], NULL);
    }
    usleep(20000);
    report();
    return 0;
}
