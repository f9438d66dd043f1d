/*
 * Pauses, and between which bounds each function's paused time and self time must lie by the program's own
 * clock, read just outside and just inside of what it measures: "NAME paused_least paused_most self_least
 * self_most", in ns, of all calls. How long anything takes is not part of any check. Only main() is at work at
 * the beginning and the end, for who selects a range with a mouse loses a pixel there.
 */
#include "fisql_trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function))

enum { WAITS, SPINS, DEEP, HELPER, FUNCTIONS };
static const char *const names[] = {"waits", "spins", "deep", "helper"};

struct bounds {
    long long least, most;
};
static struct bounds paused[FUNCTIONS], whole[FUNCTIONS], below[FUNCTIONS];

static PLAIN long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Both threads add up; a lock would be something to wait for outside of pauses. */
static PLAIN void add(struct bounds *sum, long long least, long long most)
{
    __atomic_fetch_add(&sum->least, least, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->most, most, __ATOMIC_RELAXED);
}

static PLAIN void spin(int us)
{
    long long until = now() + us * 1000LL;
    while (now() < until)
        continue;
}

static PLAIN void nap(int us)
{
    const struct timespec time = {0, us * 1000L};
    nanosleep(&time, NULL);
}

/* A call of `callee` in a call of `caller`, in a pause of it or not. */
#define CALLED(caller, callee, call, pause_callees)                                                \
    do {                                                                                           \
        long long outer = now();                                                                   \
        long long inside = call;                                                                   \
        long long took = now() - outer;                                                            \
        add(&whole[callee], inside, took);                                                         \
        if ((caller) >= 0)                                                                         \
            add(&below[caller], inside, took);                                                     \
        *(struct bounds *)(pause_callees) =                                                        \
            (struct bounds){((struct bounds *)(pause_callees))->least + inside,                    \
                            ((struct bounds *)(pause_callees))->most + took};                      \
    } while (0)

/* Each returns how long it was inside itself, by its own clock. */
__attribute__((noinline)) long long helper(int us)
{
    long long begin = now();
    spin(us);
    return now() - begin;
}

__attribute__((noinline)) long long waits(int us)
{
    long long begin = now(), outer, inner;
    struct bounds callees = {0, 0}, none = {0, 0};
    spin(us / 4);
    outer = now();
    FISQL_PAUSE();
    inner = now();
    nap(us);
    CALLED(WAITS, HELPER, helper(us / 2), &callees);
    nap(us / 2);
    CALLED(WAITS, HELPER, helper(us / 3), &callees);
    nap(us / 3);
    inner = now() - inner;
    FISQL_RESUME();
    outer = now() - outer;
    add(&paused[WAITS], inner - callees.most, outer - callees.least);
    CALLED(WAITS, HELPER, helper(us / 5), &none);
    return now() - begin;
}

/* Paused while it computes. */
__attribute__((noinline)) long long spins(int us)
{
    long long begin = now(), outer = now(), inner;
    FISQL_PAUSE();
    inner = now();
    spin(us);
    inner = now() - inner;
    FISQL_RESUME();
    add(&paused[SPINS], inner, now() - outer);
    return now() - begin;
}

__attribute__((noinline)) long long deep(int levels)
{
    long long begin = now(), outer = now(), inner;
    struct bounds callees = {0, 0};
    FISQL_PAUSE();
    inner = now();
    nap(300);
    if (levels > 0)
        CALLED(DEEP, DEEP, deep(levels - 1), &callees);
    nap(200);
    inner = now() - inner;
    FISQL_RESUME();
    add(&paused[DEEP], inner - callees.most, now() - outer - callees.least);
    spin(100);
    return now() - begin;
}

static void *run(void *argument)
{
    struct bounds none = {0, 0};
    (void)argument;
    for (int i = 0; i < 5; i++) {
        CALLED(-1, WAITS, waits(2000), &none);
        CALLED(-1, SPINS, spins(700), &none);
    }
    CALLED(-1, DEEP, deep(6), &none);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    long long begin = now();
    nap(100000);
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 1;
    run(NULL);
    pthread_join(thread, NULL);
    nap((int)((now() - begin) / 10000)); /* a tenth of it */
    for (int i = 0; i < FUNCTIONS; i++)
        printf("%s %lld %lld %lld %lld\n", names[i], paused[i].least, paused[i].most,
               whole[i].least - below[i].most - paused[i].most,
               whole[i].most - below[i].least - paused[i].least);
    return 0;
}
