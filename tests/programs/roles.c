/* Four threads of one name, which begin with the same function: two of them crunch, two sift. */
#include <pthread.h>

static volatile int sink;

static int step(int n)
{
    return n ^ 3;
}

static void *crunch(void *count)
{
    for (int i = 0; i < *(int *)count; i++)
        sink = step(i);
    return 0;
}

static void *sift(void *count)
{
    for (int i = *(int *)count; i > 0; i--)
        sink = step(i) + 1;
    return 0;
}

static int count = 20000;

static void *start(void *task)
{
    void *(*run)(void *) = *(void *(**)(void *))task;
    return run(&count);
}

int main(void)
{
    static void *(*tasks[4])(void *) = {crunch, sift, crunch, sift};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, start, &tasks[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
