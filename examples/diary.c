/*
 * A queue that one thread closes while another still uses it: the mutex is destroyed, then locked.
 * The queue keeps a diary of its mutex, and prints it if the mutex is not as it has to be.
 *
 *     fisql cc gcc -g -O1 -o diary diary.c && fisql record ./diary
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "fisql.h"

struct queue {
    pthread_mutex_t lock;
    atomic_int state; /* of the lock: 0 = not made, 1 = made, 2 = destroyed */
    int items;
};

static void queue_open(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    atomic_store(&queue->state, 1);
    FISQL_KEEP(&queue->lock, "made");
}

static void queue_close(struct queue *queue)
{
    atomic_store(&queue->state, 2);
    FISQL_KEEP(&queue->lock, "destroyed");
    pthread_mutex_destroy(&queue->lock);
}

static int queue_put(struct queue *queue)
{
    if (atomic_load(&queue->state) != 1) {
        FISQL_KEEP(&queue->lock, "wanted by queue_put");
        FISQL_TELL(&queue->lock);
        return -1;
    }
    pthread_mutex_lock(&queue->lock);
    queue->items++;
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

/* ---- the program: it gives the queue up one step too early ---- */

static struct queue queue;
static atomic_int step;

static void wait_for(int wanted)
{
    while (atomic_load(&step) < wanted)
        ;
}

static void *produce(void *unused)
{
    int failed = queue_put(&queue);
    atomic_store(&step, 1);
    wait_for(2);
    failed += queue_put(&queue); /* behind shut_down() */
    printf("%d of 2 were put\n", 2 + failed);
    return unused;
}

static void shut_down(void)
{
    wait_for(1);
    queue_close(&queue);
    atomic_store(&step, 2);
}

int main(void)
{
    pthread_t producer;
    queue_open(&queue);
    if (pthread_create(&producer, NULL, produce, NULL) != 0)
        return 1;
    shut_down();
    pthread_join(producer, NULL);
    return 0;
}
