/* For the sanitizers, without hooks: faults and leaks a few calls deep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
static char *volatile kept;

APART static char *made(int bytes)
{
    char *block = malloc(bytes);
    memset(block, 1, bytes);
    return block;
}
APART static void touched(char *block, int at)
{
    block[at] = 1;
}
APART static void gives_back(char *block)
{
    free(block);
}
/* Nothing of an ended thread's stack and registers refers to the block. */
static void *forgets(void *argument)
{
    kept = made(33);
    return argument;
}
static void *thread(void *argument)
{
    char *block = made(100);
    gives_back(block);
    touched(block, 5);
    return argument;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t other;
    kept = made(50);
    if (strcmp(how, "behind") == 0)
        touched(kept, 50);
    if (strcmp(how, "freed") == 0 || strcmp(how, "twice") == 0)
        gives_back(kept);
    if (strcmp(how, "freed") == 0)
        touched(kept, 3);
    if (strcmp(how, "null") == 0)
        touched(NULL, 0);
    if (strcmp(how, "thread") == 0 || strcmp(how, "leak") == 0) {
        char *before = kept;
        pthread_create(&other, NULL, strcmp(how, "leak") == 0 ? forgets : thread, NULL);
        pthread_join(other, NULL);
        kept = before;
    }
    gives_back(kept);
    return 3;
}
