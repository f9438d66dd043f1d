/* Two threads take two mutexes in opposite order, by way of a wrapper that has returned when they wait: a deadlock.
 * Ends when its input does. tests/e2e/deadlock.sh says what is told of it, while it lasts and after its death. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_have;

static void grab(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
}

static void open_accounts(void)
{
    grab(&accounts);
}

static void open_journal(void)
{
    grab(&journal);
}

static void *pays(void *unused)
{
    open_accounts();
    pthread_barrier_wait(&both_have);
    open_journal();
    return unused;
}

static void *audits(void *unused)
{
    open_journal();
    pthread_barrier_wait(&both_have);
    open_accounts();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both_have, NULL, 3);
    pthread_create(&threads[0], NULL, pays, NULL);
    pthread_create(&threads[1], NULL, audits, NULL);
    pthread_barrier_wait(&both_have);
    puts("both have one");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    _exit(0);
}
