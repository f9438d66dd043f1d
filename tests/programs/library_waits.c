/* Waits in functions of the C library: for a child's word through a pipe, and for a lock's condition. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void pause_ms(long ms)
{
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static void *thread(void *argument)
{
    pause_ms(20);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return argument;
}

__attribute__((noinline)) static char ask(int from)
{
    char word = 0;
    return read(from, &word, 1) == 1 ? word : '?';
}

__attribute__((noinline)) static void await(void)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    int ends[2];
    pthread_t other;
    if (pipe(ends) != 0)
        return 1;
    fflush(stdout);
    if (fork() == 0) {
        pause_ms(50);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    char word = ask(ends[0]);
    wait(NULL);
    pthread_create(&other, NULL, thread, NULL);
    await();
    pthread_join(other, NULL);
    printf("%c\n", word);
    return 0;
}
