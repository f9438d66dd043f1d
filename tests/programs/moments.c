/*
 * Diaries in awkward places: `moments many` keeps moments of more objects than the table holds; `moments handler` keeps
 * and tells in a signal handler on an alternate stack that interrupts the same; `moments threads` keeps one object's
 * from many threads at once while another tells; `moments fork` tells in a child; `moments deep` below many calls;
 * `moments assert` fails FISQL_ASSERT_OBJECT; `moments orphan` kills fisql
 * record and tells; `moments states` keeps every kind of state, with errno kept.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/fisql.h"

static int objects[20000];
static pid_t parent;

static void keep(const int *object, const char *state)
{
    FISQL_KEEP(object, state);
}

static void many(void)
{
    for (int i = 0; i < 20000; i++)
        keep(&objects[i], "made");
    keep(&objects[19999], "changed");
    FISQL_TELL(&objects[19999]);
    FISQL_TELL(&objects[0]);
}

static volatile sig_atomic_t handled;

/* From the eighth on, as many moments are kept as are told. */
static void handler(int number)
{
    (void)number;
    keep(&objects[1], "in the handler");
    if (++handled >= 8 && handled % 4 == 0)
        FISQL_TELL(&objects[1]);
}

static void in_handlers(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    stack_t stack = {.ss_sp = malloc(SIGSTKSZ), .ss_size = SIGSTKSZ};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    long kept = 0;
    for (; handled < 100; kept++)
        keep(&objects[1], "in between");
    setitimer(ITIMER_REAL, &never, NULL);
    printf("kept %ld\nhandled %d\n", kept, (int)handled);
}

static void *keep_many(void *unused)
{
    for (int i = 0; i < 5000; i++)
        FISQL_KEEP(&objects[2], i);
    return unused;
}

static void in_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, keep_many, NULL);
    for (int i = 0; i < 30; i++)
        FISQL_TELL(&objects[2]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void in_child(void)
{
    keep(&objects[3], "in the parent");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        keep(&objects[3], "in the child");
        FISQL_TELL(&objects[3]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    FISQL_TELL(&objects[3]);
}

static void deep(int calls)
{
    if (calls > 0) {
        deep(calls - 1);
        return;
    }
    keep(&objects[4], "deep");
    FISQL_TELL(&objects[4]);
}

static int check(const int *object)
{
    FISQL_ASSERT_OBJECT(object, *object == 1, "it is %d", *object);
    return *object;
}

static void orphan(void)
{
    keep(&objects[7], "made");
    kill(getppid(), SIGKILL);
    while (getppid() == parent)
        usleep(1000);
    FISQL_TELL(&objects[7]);
}

static void states(void)
{
    char text[] = "changeable";
    const char *nothing = NULL;
    enum { LAST = 7 } state = LAST;
    errno = EDOM;
    FISQL_KEEP(&objects[6], text);
    FISQL_KEEP(&objects[6], nothing);
    FISQL_KEEP(&objects[6], state);
    FISQL_KEEP(&objects[6], -5LL);
    FISQL_KEEP(&objects[6],
               "0123456789012345678901234567890123456789012345678901234567890\303\274\303\274");
    FISQL_KEEP(&objects[6], "a\nb\033[31m");
    FISQL_TELL(&objects[6]);
    printf("errno %s\n", errno == EDOM ? "kept" : "changed");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    parent = getppid();
    if (strcmp(what, "many") == 0)
        many();
    else if (strcmp(what, "handler") == 0)
        in_handlers();
    else if (strcmp(what, "threads") == 0)
        in_threads();
    else if (strcmp(what, "fork") == 0)
        in_child();
    else if (strcmp(what, "deep") == 0)
        deep(40);
    else if (strcmp(what, "orphan") == 0)
        orphan();
    else if (strcmp(what, "assert") == 0) {
        keep(&objects[5], "made");
        check(&objects[5]);
    } else
        states();
    puts("done");
    return 0;
}
