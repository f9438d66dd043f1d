/* Two threads add to one number without a lock, for ThreadSanitizer to report. With an argument the
 * program ends by _exit(). */
#include <pthread.h>
#include <unistd.h>

static int shared;
__attribute__((noinline)) static void add(void)
{
    shared++;
}

static void *thread(void *argument)
{
    for (int i = 0; i < 1000; i++)
        add();
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (argc > 1)
        _exit(0);
    return 0;
}
