/*
 * A program traced by hand, without hooks, that is asked where it is: as asked.c it says which scopes each thread is in,
 * as "TID: stay (FILE:LINE) ... main (FILE:LINE)", the lines those of the macros, and ends when its input does.
 *
 *   stand       three threads, each in scopes of its own
 *   fork        parent and child: each enters a scope that is new to it, after one that both have from before
 *   rounds      for each number on its input it calls one() so often, and says so
 */
#include "fisql_trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define SCOPES_MAX 16

/* On one line, as the macros are that it stands for. */
#define SCOPE()                                                                                    \
    FISQL_FUNCTION(1);                                                                             \
    into(__func__, __LINE__)

static __thread struct {
    const char *name;
    int line;
} scopes[SCOPES_MAX];
static __thread int depth;
static pthread_mutex_t said = PTHREAD_MUTEX_INITIALIZER;
static volatile int sum;

static void into(const char *name, int line)
{
    scopes[depth].name = name;
    scopes[depth].line = line;
    depth++;
}

APART static void stay(int input)
{
    char byte;
    SCOPE();
    pthread_mutex_lock(&said);
    printf("%ld:", syscall(SYS_gettid));
    for (int i = depth - 1; i >= 0; i--)
        printf(" %s (trace_asked.c:%d)", scopes[i].name, scopes[i].line);
    printf("\n");
    fflush(stdout);
    pthread_mutex_unlock(&said);
    if (input)
        sum += (int)read(0, &byte, 1);
    else
        pause();
    depth--;
}

APART static void red(int way);

APART static void green(int way)
{
    SCOPE();
    red(way - 1);
    sum++;
}

APART static void blue(int way)
{
    SCOPE();
    stay(way == 7);
    sum++;
}

APART static void red(int way)
{
    SCOPE();
    if (way > 1)
        green(way);
    else
        stay(0);
    sum++;
}

static void *stander(void *way)
{
    SCOPE();
    red(*(int *)way);
    return NULL;
}

static void stand(void)
{
    static int ways[3] = {1, 2, 3};
    pthread_t threads[3];
    SCOPE();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, stander, &ways[i]);
    stay(1);
    fflush(stdout);
    _exit(0);
}

APART static void child(void)
{
    SCOPE();
    stay(1);
}

APART static void forks(void)
{
    SCOPE();
    if (fork() == 0) {
        child();
        _exit(0);
    }
    blue(7);
    wait(NULL);
}

APART static void three(int n)
{
    FISQL_FUNCTION(3);
    FISQL_CHECKPOINT(4, "four", n);
    sum += n;
}

APART static void one(int n)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(2, "two", n);
    FISQL_VALUE(n);
    three(n);
}

static void rounds(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int count = atoi(line);
        for (int i = 0; i < count; i++)
            one(i);
        printf("%d rounds\n", count);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    SCOPE();
    if (strcmp(what, "stand") == 0)
        stand();
    if (strcmp(what, "fork") == 0)
        forks();
    if (strcmp(what, "rounds") == 0)
        rounds();
    return 0;
}
