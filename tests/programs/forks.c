/* fork, fork in a threaded program, vfork, posix_spawn, exec, a daemon. Argument: which. */
#include "count.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
COUNTED_NAMES;
extern char **environ;

static void leaf(void)
{
    COUNT();
}
static void work(int n)
{
    COUNT();
    for (int i = 0; i < n; i++)
        leaf();
}
static void child_work(void)
{
    COUNT();
    work(10);
}
static void fork_once(int depth)
{
    COUNT();
    pid_t pid = fork();
    if (pid == 0) {
        memset(counted_names, 0, sizeof counted_names);
        child_work();
        if (depth > 0)
            fork_once(depth - 1);
        report();
        exit(3);
    }
    work(5);
    waitpid(pid, NULL, 0);
}
static void *thread(void *stop)
{
    COUNT();
    while (!__atomic_load_n((int *)stop, __ATOMIC_ACQUIRE))
        work(2);
    return NULL;
}
static void threaded(void)
{
    COUNT();
    static int stop;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, thread, &stop);
    pthread_create(&threads[1], NULL, thread, &stop);
    for (int i = 0; i < 20; i++)
        fork_once(0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
/* Children that return through the calls of their parent, which does not wait for them. */
static pid_t deep_fork(int depth)
{
    COUNT();
    pid_t pid = depth > 0 ? deep_fork(depth - 1) : fork();
    if (pid == 0 && depth == 0)
        memset(counted_names, 0, sizeof counted_names);
    leaf();
    return pid;
}
static void racing(void)
{
    COUNT();
    for (int i = 0; i < 40; i++) {
        fflush(NULL);
        if (deep_fork(8) == 0) {
            work(3);
            report();
            _exit(0);
        }
        work(2000);
    }
    while (wait(NULL) > 0)
        ;
}
static void vforked(char *self)
{
    COUNT();
    char *args[] = {self, "leaf", NULL};
    pid_t pid = vfork();
    if (pid == 0) {
        execv(self, args);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    pid = vfork();
    if (pid == 0)
        _exit(5);
    waitpid(pid, NULL, 0);
    work(1);
}
static void spawned(char *self)
{
    COUNT();
    char *args[] = {self, "leaf", NULL};
    pid_t pid;
    posix_spawn(&pid, self, NULL, NULL, args, environ);
    waitpid(pid, NULL, 0);
    work(1);
}
static void daemonic(void)
{
    COUNT();
    fflush(NULL);
    int out = dup(1);
    if (fork() != 0) {
        report();
        exit(0);
    }
    memset(counted_names, 0, sizeof counted_names);
    setsid();
    if (chdir("/") != 0)
        abort();
    for (int fd = 0; fd < 70000; fd++)
        if (fd != out)
            close(fd);
    open("/dev/null", O_RDWR);
    work(100000);
    dup2(out, 1);
    report();
}
int main(int argc, char **argv)
{
    COUNT();
    const char *what = argc > 1 ? argv[1] : "fork";
    if (strcmp(what, "fork") == 0)
        fork_once(2);
    else if (strcmp(what, "threaded") == 0)
        threaded();
    else if (strcmp(what, "race") == 0)
        racing();
    else if (strcmp(what, "vfork") == 0)
        vforked(argv[0]);
    else if (strcmp(what, "spawn") == 0)
        spawned(argv[0]);
    else if (strcmp(what, "daemon") == 0)
        daemonic();
    else if (strcmp(what, "leaf") == 0)
        leaf();
    else if (strcmp(what, "exec") == 0) {
        work(3);
        execl("/nonexistent/program", "x", NULL);
        if (errno != ENOENT)
            abort();
        report();
        execl(argv[0], argv[0], "leaf", NULL);
    }
    if (strcmp(what, "daemon") != 0)
        report();
    return 0;
}
