/* Functions that end with a jump into a library: the library's caller is then who called them. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void *make(unsigned long bytes)
{
    return malloc(bytes + 60);
}

__attribute__((noinline)) void drop(void *block)
{
    free(block);
}

__attribute__((noinline)) int enter(void)
{
    return pthread_mutex_lock(&lock);
}

__attribute__((noinline)) int leave(void)
{
    return pthread_mutex_unlock(&lock);
}

int main(void)
{
    enter();
    void *first = make(10);
    void *second = make(11);
    void *third = make(12);
    leave();
    drop(first);
    drop(second);
    drop(third);
    return 0;
}
