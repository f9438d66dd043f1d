/* A crash beside one thread that lives: all others have ended, each in another way. */
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t inside;

static void leave(void)
{
    pthread_exit(NULL);
}

static void stay(void)
{
    sem_post(&inside);
    for (;;)
        pause();
}

static void *returns(void *context)
{
    return context;
}

static void *leaves(void *context)
{
    leave();
    return context;
}

static void *cancelled(void *context)
{
    stay();
    return context;
}

static void *detached(void *context)
{
    pthread_detach(pthread_self());
    leave();
    return context;
}

static void *lives(void *context)
{
    stay();
    return context;
}

static int threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

int main(void)
{
    pthread_t pool[4], thread;
    sem_init(&inside, 0, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&pool[i], NULL, i % 2 == 0 ? returns : leaves, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(pool[i], NULL);
    pthread_create(&thread, NULL, cancelled, NULL);
    sem_wait(&inside);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, detached, NULL);
    while (threads() > 1)
        usleep(1000);
    pthread_create(&thread, NULL, lives, NULL);
    sem_wait(&inside);
    *(volatile int *)8 = 1;
    return 0;
}
