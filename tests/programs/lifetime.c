/* Code before and after main: constructors, atexit, destructors, thread-specific destructors. */
#include "count.h"
#include <pthread.h>
#include <stdlib.h>
COUNTED_NAMES;

static pthread_key_t key;

static void leaf(void)
{
    COUNT();
}
static __attribute__((constructor)) void early(void)
{
    COUNT();
    free(malloc(100));
    leaf();
}
static void at_exit(void)
{
    COUNT();
    leaf();
}
static __attribute__((destructor)) void late(void)
{
    COUNT();
    leaf();
    report();
}
static void key_destructor(void *value)
{
    COUNT();
    leaf();
    if (value != (void *)4)
        pthread_setspecific(key, (char *)value + 1);
}
static void *thread(void *arg)
{
    COUNT();
    pthread_setspecific(key, (void *)1);
    return arg;
}
int main(void)
{
    COUNT();
    atexit(at_exit);
    pthread_key_create(&key, key_destructor);
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return 0;
}
