/*
 * A program that is asked where it is: each thread writes down which calls it is in before it waits
 * for the end, as "TID: innermost ... outermost" on stdout. What it does comes as words:
 *
 *   stand N     N threads, each in a chain of calls of its own
 *   deep N      one thread in N calls, which has filled chunks there
 *   churn       threads come and go; one stands
 *   fork        a child stands, and the parent
 *   exec        becomes the same program, which stands
 *   tick N      N threads call some ten thousand times a second
 *   run N       N threads call without pause; how often stands on stdout at the end
 *
 * It ends when its standard input does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define CHAIN_MAX 24

static atomic_int ended;
static atomic_ulong worked;
static pthread_mutex_t said = PTHREAD_MUTEX_INITIALIZER;

struct stand {
    unsigned seed;
    int length, at;
    char names[CHAIN_MAX][8];
};

__attribute__((no_instrument_function)) static void tell(const struct stand *stand,
                                                         const char *outer)
{
    pthread_mutex_lock(&said);
    printf("%ld: stay", syscall(SYS_gettid));
    for (int i = stand->length - 1; i >= 0; i--)
        printf(" %s", stand->names[i]);
    printf(" %s\n", outer);
    fflush(stdout);
    pthread_mutex_unlock(&said);
}

__attribute__((no_instrument_function)) static void until_the_end(void)
{
    while (!ended)
        usleep(2000);
}

APART static void stay(const struct stand *stand, const char *outer)
{
    tell(stand, outer);
    until_the_end();
}

static void onwards(struct stand *stand, const char *outer);

APART static void red(struct stand *stand, const char *outer)
{
    onwards(stand, outer);
    worked++;
}

APART static void green(struct stand *stand, const char *outer)
{
    onwards(stand, outer);
    worked += 2;
}

APART static void blue(struct stand *stand, const char *outer)
{
    onwards(stand, outer);
    worked += 3;
}

/* Not recorded: which function comes next is what the thread knows of itself. */
__attribute__((no_instrument_function)) static void onwards(struct stand *stand, const char *outer)
{
    static void (*const ways[])(struct stand *, const char *) = {red, green, blue};
    static const char *const names[] = {"red", "green", "blue"};
    if (stand->at == stand->length) {
        stay(stand, outer);
        return;
    }
    stand->seed = stand->seed * 1103515245u + 12345u;
    unsigned way = (stand->seed >> 16) % 3;
    snprintf(stand->names[stand->at], sizeof stand->names[0], "%s", names[way]);
    stand->at++;
    ways[way](stand, outer);
}

static void *stander(void *argument)
{
    unsigned kind = (unsigned)(size_t)argument % CHAIN_MAX;
    struct stand stand = {.seed = kind, .length = (int)kind};
    onwards(&stand, "stander");
    return NULL;
}

APART static void leaf(void)
{
    worked++;
}

APART static void dive(int depth)
{
    if (depth > 0) {
        dive(depth - 1);
    } else {
        for (int i = 0; i < 200000; i++)
            leaf();
        printf("deep\n");
        fflush(stdout);
        until_the_end();
    }
    worked++;
}

static void *runner(void *argument)
{
    unsigned long count = 0;
    for (; !ended; count++)
        leaf();
    (void)argument;
    return (void *)count;
}

static void *ticker(void *argument)
{
    for (; !ended; usleep(1000))
        for (int i = 0; i < 100; i++)
            leaf();
    (void)argument;
    return NULL;
}

static void *guest(void *argument)
{
    for (int i = 0; i < 500; i++)
        leaf();
    return argument;
}

static void wait_input(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    ended = 1;
}

static void *churner(void *argument)
{
    while (!ended) {
        pthread_t guests[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&guests[i], NULL, guest, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(guests[i], NULL);
    }
    return argument;
}

static void many(int count, void *(*begin)(void *), unsigned long *sum)
{
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, begin, (void *)(size_t)(i + 1));
    wait_input();
    for (int i = 0; i < count; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        *sum += (unsigned long)result;
    }
    free(threads);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "stand";
    int count = argc > 2 ? atoi(argv[2]) : 1;
    unsigned long sum = 0;
    if (strcmp(what, "exec") == 0) {
        execl("/proc/self/exe", argv[0], "stand", "2", (char *)NULL);
        return 1;
    }
    if (strcmp(what, "deep") == 0) {
        pthread_t watch;
        pthread_create(&watch, NULL, (void *(*)(void *))(void *)wait_input, NULL);
        dive(count - 2); /* main and itself come on top */
        pthread_join(watch, NULL);
    } else if (strcmp(what, "churn") == 0) {
        pthread_t churn;
        pthread_create(&churn, NULL, churner, NULL);
        many(1, stander, &sum);
        pthread_join(churn, NULL);
    } else if (strcmp(what, "fork") == 0) {
        pid_t child = fork();
        many(child == 0 ? 3 : 2, stander, &sum);
        if (child != 0)
            waitpid(child, NULL, 0);
    } else {
        many(count,
             strcmp(what, "run") == 0    ? runner
             : strcmp(what, "tick") == 0 ? ticker
                                         : stander,
             &sum);
    }
    if (sum != 0)
        printf("%lu\n", sum);
    return 0;
}
