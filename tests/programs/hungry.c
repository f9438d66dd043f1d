/* Makes many calls and prints how many, for logs that find no room: on a full disk, beyond a limit
 * on the size of files.
 *
 *   hungry plain           one thread
 *   hungry threads         four threads
 *   hungry fork            a child that goes on after its parent
 *   hungry relief FILE     removes FILE in the midst of a call: from there on there is room again
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long made; /* atomic */
static volatile int sink;

static int leaf(int n)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return n ^ 3;
}

static void many(int count)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < count; i++)
        sink += leaf(i);
}

/* Entered while nothing can be written, and open when there is room again. */
static void relieved(const char *file, int depth)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    if (depth > 0) {
        relieved(file, depth - 1);
    } else {
        many(50000);
        unlink(file);
        many(100000);
    }
}

static void *thread(void *unused)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    many(50000);
    return unused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t threads[4];
    made++;
    if (strcmp(what, "threads") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "relief") == 0) {
        many(100000);
        relieved(argv[2], 40);
    } else {
        many(200000);
    }
    if (strcmp(what, "fork") == 0 && fork() == 0) {
        usleep(100000); /* the parent has ended */
        many(50000);
    } else if (strcmp(what, "fork") == 0) {
        made = 0; /* the child says it for both */
    }
    if (made > 0)
        printf("%lu\n", made);
    fflush(stdout);
    return 0;
}
