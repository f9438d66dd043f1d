/* Loops of calls: which of them share blocks or a lock is said by their names. See tests/e2e/locks.sh. */
#include <pthread.h>
#include <stdlib.h>
#define APART __attribute__((noinline))

static volatile long sink;
static char *volatile handed;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

__attribute__((always_inline, no_instrument_function)) static inline void work(void)
{
    for (int i = 0; i < 20000; i++)
        sink += i;
}

APART static void alone(size_t number)
{
    char *volatile own = malloc(100 + number);
    work();
    free(own);
}

APART static void hands_on(size_t number)
{
    free(handed); /* that of the call before */
    handed = malloc(10 + number);
    work();
}

APART static void keeps(size_t number)
{
    handed = malloc(10 + number);
    work();
}

APART static void locks(size_t number)
{
    pthread_mutex_lock(&guard);
    sink += (long)number;
    pthread_mutex_unlock(&guard);
    work();
}

APART static void once(void)
{
    work();
}

int main(void)
{
    for (size_t i = 0; i < 100; i++)
        alone(i);
    for (size_t i = 0; i < 100; i++)
        hands_on(i);
    free(handed);
    for (size_t i = 0; i < 100; i++)
        keeps(i);
    for (size_t i = 0; i < 100; i++)
        locks(i);
    once();
    return 0;
}
