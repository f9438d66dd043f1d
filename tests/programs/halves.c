/* Small, with something of everything that a load makes rows of: threads, a fork, locks, blocks, recursion, and an
 * end by abort() below open calls. The log is loaded a thousand times (tests/e2e/self_faults.sh). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
    int number;
    const char *name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept;

static int weigh(const struct item *item)
{
    return item->number + (int)strlen(item->name);
}

static char *copy(const char *name)
{
    char *made = malloc(strlen(name) + 1);
    return made != NULL ? strcpy(made, name) : NULL;
}

static void *work(void *name)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        struct item item = {i, name};
        free(kept);
        kept = copy(name);
        weigh(&item);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void fall(int deeper)
{
    char *block = realloc(copy("x"), 40);
    if (deeper > 0)
        fall(deeper - 1);
    free(block);
    free(copy("y"));
    abort();
}

int main(void)
{
    char one[] = "one", two[] = "two", three[] = "three";
    pthread_t thread;
    pthread_create(&thread, NULL, work, one);
    pthread_join(thread, NULL);
    work(two);
    pid_t child = fork();
    if (child == 0) {
        work(three);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    fall(2);
}
