/* A thread with the smallest stack there is. `smallstack uses N`: it uses N bytes, and then calls for the first time.
 * `smallstack overflows N`: it calls deeper and deeper by functions that use N bytes each, which it passes on. */
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *what, *text;
static size_t bytes;

__attribute__((noinline)) static int leaf(const char *some, int n)
{
    __asm__ volatile("" ::"r"(some) : "memory");
    return n;
}

__attribute__((noinline)) static int deep(const char *some, int n)
{
    volatile char *mine = alloca(bytes + 1);
    for (size_t i = 0; i <= bytes; i += 64)
        mine[bytes - i] = (char)n;
    return deep((const char *)mine, n + 1) + mine[0] + (some != NULL);
}

__attribute__((noinline, no_instrument_function)) static int uses(void)
{
    volatile char *mine = alloca(bytes + 1);
    for (size_t i = 0; i <= bytes; i += 64)
        mine[bytes - i] = 1;
    return leaf(text, 1) + mine[0];
}

__attribute__((no_instrument_function)) static void *run(void *argument)
{
    if (strcmp(what, "uses") == 0)
        uses();
    else
        deep(NULL, 0);
    return argument;
}

int main(int count, char **words)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (count < 3)
        return 1;
    what = words[1];
    bytes = strtoul(words[2], NULL, 10);
    text = strdup("on the heap");
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    if (pthread_create(&thread, &attributes, run, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
