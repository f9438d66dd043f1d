/* Children that free what their parents had when they forked, while the parent frees it too and
 * other threads of the parent allocate. Everything that is freed was allocated. Argument:
 * "threads". */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *published[64];
static volatile int stop;

__attribute__((noinline)) static void drop(void *block)
{
    free(block);
}
__attribute__((noinline)) static void *take(size_t size)
{
    return malloc(size);
}
static void *maker(void *arg)
{
    for (unsigned i = 0; !stop; i++) {
        void **place = &published[i % 64];
        void *old = __atomic_exchange_n(place, NULL, __ATOMIC_ACQ_REL);
        drop(old);
        __atomic_store_n(place, take(100 + i % 4000), __ATOMIC_RELEASE);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int threaded = argc > 1 && strcmp(argv[1], "threads") == 0;
    if (threaded)
        pthread_create(&thread, NULL, maker, NULL);
    for (int i = 0; i < 200; i++) {
        void *small = take(100), *large = take(3000);
        pid_t child = fork();
        if (child == 0) {
            drop(small);
            drop(large);
            for (int k = 0; threaded && k < 64; k++)
                drop(published[k]);
            _exit(0);
        }
        drop(small);
        void *again = take(77);
        waitpid(child, NULL, 0);
        drop(again);
        drop(large);
    }
    stop = 1;
    if (threaded)
        pthread_join(thread, NULL);
    return 0;
}
