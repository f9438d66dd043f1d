/*
 * A program that is followed: each line on stdin is an order for one of its threads, done when "done" stands on stdout.
 *
 *   WHO N       N rounds: step(i) with a checkpoint of level 2, a message of level 1 and, within, leaf(i)
 *   WHO say X   says X, a message of level 1
 *   WHO end     the thread ends
 *   WHO on, WHO off, WHO as     FISQL_RECORD_THREAD(1), (0), (-1)
 *
 * WHO: main, feeder (its start is `feed`; it names itself by FISQL_THREAD) or drainer (its start is `drain`; by
 * pthread_setname_np). It ends when its standard input does.
 */
#define _GNU_SOURCE
#include "fisql_trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static volatile unsigned long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char order[1024];
static const char *whose; /* NULL = nobody's */

APART static void leaf(unsigned long i)
{
    sum += i;
}

APART static void step(unsigned long i)
{
    FISQL_CHECKPOINT(2, "at", i);
    leaf(i);
    FISQL_SAY(1, "step %lu", i);
    sum += i;
}

APART static void rounds(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        step(i);
}

/* Returns whether the thread is to end. */
APART static int obey(const char *what)
{
    if (strcmp(what, "end") == 0)
        return 1;
    if (strcmp(what, "on") == 0)
        FISQL_RECORD_THREAD(1);
    else if (strcmp(what, "off") == 0)
        FISQL_RECORD_THREAD(0);
    else if (strcmp(what, "as") == 0)
        FISQL_RECORD_THREAD(-1);
    else if (strncmp(what, "say ", 4) == 0)
        FISQL_SAY(1, "%s", what + 4);
    else
        rounds(strtoul(what, NULL, 10));
    return 0;
}

APART static void serve(const char *name)
{
    for (int end = 0; !end;) {
        char mine[sizeof order];
        pthread_mutex_lock(&lock);
        while (whose == NULL || strcmp(whose, name) != 0)
            pthread_cond_wait(&changed, &lock);
        strcpy(mine, order);
        pthread_mutex_unlock(&lock);
        end = obey(mine);
        pthread_mutex_lock(&lock);
        whose = NULL;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

APART static void *feed(void *nothing)
{
    FISQL_THREAD("feeder");
    serve("feeder");
    return nothing;
}

APART static void *drain(void *nothing)
{
    pthread_setname_np(pthread_self(), "drainer");
    serve("drainer");
    return nothing;
}

/* Gives the order to another thread, and waits until it is done. */
static void give(const char *who)
{
    pthread_mutex_lock(&lock);
    whose = who;
    pthread_cond_broadcast(&changed);
    while (whose != NULL)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t threads[2];
    char line[sizeof order];
    pthread_create(&threads[0], NULL, feed, NULL);
    pthread_create(&threads[1], NULL, drain, NULL);
    puts("ready");
    fflush(stdout);
    int alive[2] = {1, 1};
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        char *what = strchr(line, ' ');
        if (what == NULL)
            continue;
        *what++ = 0;
        int thread = strcmp(line, "feeder") == 0 ? 0 : strcmp(line, "drainer") == 0 ? 1 : -1;
        strcpy(order, what);
        if (thread >= 0 && alive[thread])
            give(thread == 0 ? "feeder" : "drainer");
        else if (thread < 0)
            obey(what);
        if (thread >= 0 && strcmp(what, "end") == 0) {
            pthread_join(threads[thread], NULL);
            alive[thread] = 0;
        }
        puts("done");
        fflush(stdout);
    }
    for (int i = 0; i < 2; i++) {
        strcpy(order, "end");
        if (!alive[i])
            continue;
        give(i == 0 ? "feeder" : "drainer");
        pthread_join(threads[i], NULL);
    }
    return 0;
}
