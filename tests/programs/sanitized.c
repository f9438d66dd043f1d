/* For the sanitizers: calls work() 1,000 times in each of two threads and allocates six blocks.
 * With "bug" it writes behind a block, with "leak" it forgets one, with "overflow" an integer
 * overflows. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;
static void *volatile blocks[6];
__attribute__((noinline)) static void work(int i)
{
    sink = i ^ 3;
}

#ifdef OWN_OPTIONS
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "exitcode=44";
}
#endif

static void *thread(void *argument)
{
    for (int i = 0; i < 1000; i++)
        work(i);
    return argument;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < 6; i++)
        blocks[i] = malloc(1237);
    if (strcmp(how, "bug") == 0)
        ((volatile char *)blocks[0])[1237] = 1;
    volatile int large = INT_MAX;
    if (strcmp(how, "overflow") == 0)
        large = large + 1;
    for (int i = strcmp(how, "leak") == 0; i < 6; i++)
        free(blocks[i]);
    blocks[0] = NULL;
    return 3;
}
