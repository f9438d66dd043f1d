/* A thread with the smallest stack there is, which is the first to call a library, and which forks.
 * Argument: the library (plugin.c). */
#include "count.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
COUNTED_NAMES;

static int (*plugin)(int);

static int down(int n)
{
    COUNT();
    return n == 0 ? plugin(1) : down(n - 1) + 1;
}
static void *thread(void *arg)
{
    COUNT();
    down(5);
    return arg;
}
static void *forking_thread(void *arg)
{
    COUNT();
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        memset(counted_names, 0, sizeof counted_names);
        down(5);
        report();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (status != 0)
        abort();
    return arg;
}
int main(int argc, char **argv)
{
    COUNT();
    pthread_t id;
    pthread_attr_t attributes;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 1;
    plugin = (int (*)(int))dlsym(library, "plugin");
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_create(&id, &attributes, thread, NULL);
    pthread_join(id, NULL);
    pthread_create(&id, &attributes, forking_thread, NULL);
    pthread_join(id, NULL);
    report();
    return 0;
}
