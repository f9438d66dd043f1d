/* A program whose threads do nothing for long: each waits for a condition, the first one for the others'
 * ends. attach_waits THREADS ROUNDS: after ROUNDS wake-ups each, 50 ms apart, it prints how many there
 * were, and ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int rounds, turns, woken;

__attribute__((noinline)) static int wake_up(int by)
{
    woken += by;
    return woken;
}

static void *waiter(void *ignored)
{
    (void)ignored;
    pthread_mutex_lock(&lock);
    for (int seen = 0; seen < rounds; seen++) {
        while (turns <= seen)
            pthread_cond_wait(&turn, &lock);
        wake_up(1);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[1]) : 2;
    pthread_t threads[16];
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    if (count > 16)
        return 2;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    if (fork() == 0) {
        execlp("true", "true", (char *)NULL); /* the collector has nothing to do with it */
        _exit(1);
    }
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    for (int i = 0; i < rounds; i++) {
        usleep(50000);
        pthread_mutex_lock(&lock);
        turns++;
        pthread_cond_broadcast(&turn);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("woken %d\n", woken);
    return 0;
}
