/* Very many threads or processes at once: slots threads N, slots processes N (which are then
 * killed). */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static int work(int i)
{
    return i ^ 3;
}
static void work_all(void)
{
    volatile int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += work(i);
}
static void *thread(void *arg)
{
    work_all();
    pthread_barrier_wait(&barrier);
    return arg;
}
static int threads(int count)
{
    pthread_t *made = calloc((size_t)count, sizeof *made);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++)
        if (pthread_create(&made[i], &attributes, thread, NULL) != 0)
            return 77;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < count; i++)
        pthread_join(made[i], NULL);
    free(made);
    return 0;
}
static int processes(int count)
{
    int ready[2], result = 0;
    char byte = 0;
    pid_t *made = calloc((size_t)count, sizeof *made);
    if (pipe(ready) != 0)
        return 1;
    for (int i = 0; i < count; i++) {
        made[i] = fork();
        if (made[i] == 0) {
            work_all();
            if (write(ready[1], &byte, 1) == 1)
                pause();
            _exit(1);
        }
        if (made[i] < 0) {
            result = 77;
            count = i;
        }
    }
    for (int i = 0; i < count; i++)
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    for (int i = 0; i < count; i++) {
        kill(made[i], SIGKILL);
        waitpid(made[i], NULL, 0);
    }
    free(made);
    return result;
}
int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    return argc > 2 && strcmp(argv[1], "threads") == 0 ? threads(count) : processes(count);
}
