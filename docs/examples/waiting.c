/* For docs/asking.md: two workers take from a queue that stays empty, until the input ends. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int jobs, ended;

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (jobs == 0 && !ended)
        pthread_cond_wait(&filled, &lock);
    int taken = jobs > 0 ? jobs-- : 0;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void *work(void *nothing)
{
    while (take() != 0)
        ;
    return nothing;
}

static void wait_input(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

int main(void)
{
    pthread_t workers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    wait_input();
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
