/* Leaves processes behind. Each makes 100 calls of work() in a minute at most, and says what it is.
 *
 *   orphan       the child of a child says who its parent is
 *   daemon       a daemon works until it gets SIGUSR1, then once more
 *   stuck        a daemon works, then waits for ever
 *   namespace    as stuck, as the first process of a namespace of pids of its own
 *   exec COMMAND a child works and then runs that
 *   spawn        works, and starts itself to work, not waiting for it
 *   late         the same, the copy nicer than its parent, which goes on when it is within exec
 *   crowd N      N children work and are killed together
 *   threads N    N threads work at the same time
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
static volatile sig_atomic_t told;
static pthread_barrier_t all;

__attribute__((noinline)) static void work(int i)
{
    sum += i;
}

static void work_all(void)
{
    for (int i = 0; i < 100; i++)
        work(i);
}

static void on_signal(int number)
{
    (void)number;
    told = 1;
}

static void *work_together(void *unused)
{
    work_all();
    pthread_barrier_wait(&all);
    return unused;
}

static void say(const char *what, int value)
{
    printf("%s %d\n", what, value);
    fflush(stdout);
}

static int orphan(void)
{
    if (fork() == 0) {
        pid_t parent = getpid();
        if (fork() != 0)
            _exit(0);
        for (int i = 0; i < 1000 && getppid() == parent; i++)
            usleep(10000);
        say("parent", getppid());
        _exit(0);
    }
    wait(NULL);
    sleep(1);
    return 0;
}

static int leave(int flags, int (*act)(char **arguments), char **arguments)
{
    if (flags != 0 && unshare(flags) != 0)
        return 77;
    say("program", getpid());
    if (fork() == 0) {
        if (flags == 0)
            setsid();
        work_all();
        _exit(act(arguments));
    }
    return 3;
}

static int stay(char **arguments)
{
    char path[64] = "";
    FILE *file = fopen("/proc/self/stat", "r"); /* the pid that others know */
    if (file != NULL && fgets(path, sizeof path, file) != NULL)
        say("left", atoi(path));
    while (!told || strcmp(arguments[1], "daemon") != 0)
        usleep(10000);
    work_all();
    return 0;
}

static int become(char **arguments)
{
    say("left", getpid());
    execvp(arguments[2], arguments + 2);
    return 1;
}

static int spawn(char *self)
{
    char *const arguments[] = {self, (char *)(uintptr_t) "worker", NULL};
    pid_t child;
    work_all();
    return posix_spawn(&child, self, NULL, NULL, arguments, environ);
}

static int late(char *self)
{
    char *const arguments[] = {self, (char *)(uintptr_t) "worker", NULL};
    if (vfork() == 0) {
        nice(10);
        execv(self, arguments);
        _exit(127);
    }
    work_all();
    return 0;
}

static int crowd(int count)
{
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0) {
            work_all();
            say("ready", i);
            pause();
        }
    }
    signal(SIGTERM, SIG_IGN);
    while (!told)
        pause();
    kill(0, SIGTERM);
    while (wait(NULL) > 0)
        ;
    return 0;
}

static int threads(int count)
{
    pthread_t *started = calloc((size_t)count, sizeof *started);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    pthread_barrier_init(&all, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        if (pthread_create(&started[i], &small, work_together, NULL) != 0)
            exit(1);
    for (int i = 0; i < count; i++)
        pthread_join(started[i], NULL);
    free(started);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    signal(SIGUSR1, on_signal);
    if (strcmp(what, "orphan") == 0)
        return orphan();
    if (strcmp(what, "daemon") == 0 || strcmp(what, "stuck") == 0)
        return leave(0, stay, argv);
    if (strcmp(what, "namespace") == 0)
        return leave(CLONE_NEWPID, stay, argv);
    if (strcmp(what, "exec") == 0)
        return leave(0, become, argv);
    if (strcmp(what, "spawn") == 0)
        return spawn(argv[0]);
    if (strcmp(what, "late") == 0)
        return late(argv[0]);
    if (strcmp(what, "worker") == 0)
        work_all();
    if (strcmp(what, "crowd") == 0)
        return crowd(atoi(argv[2]));
    return strcmp(what, "threads") == 0 ? threads(atoi(argv[2])) : 0;
}
