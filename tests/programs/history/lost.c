/* Two threads' lost update: both read the count, then both write what they read and one more. */
#include <pthread.h>
#include <stdlib.h>

struct counter {
    long count;
};

static struct counter *counter;
static pthread_barrier_t both;

long read_count(struct counter *from)
{
    return from->count;
}

void write_count(struct counter *to, long value)
{
    to->count = value; /* GUILTY, the second one: what the other thread wrote is lost */
}

static void *bump(void *nothing)
{
    long value = read_count(counter);
    pthread_barrier_wait(&both);
    write_count(counter, value + 1);
    return nothing;
}

int check(const struct counter *wanted, long count)
{
    return wanted->count == count;
}

int main(void)
{
    pthread_t threads[2];
    counter = calloc(1, sizeof *counter);
    counter->count = 7;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, bump, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int right = check(counter, 9); /* noticed: it is 8 */
    free(counter);
    return right;
}
