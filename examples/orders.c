/*
 * A small order book, as an example to record: a producer thread makes orders, a worker thread
 * prices and ships them. It has something to find for each query of `make demo`:
 *
 *   hot-functions, call-counts   checksum() does nearly all of the work
 *   outliers                     price(): one order in a thousand takes the slow path
 *   inline-candidates            mix() is only ever called by checksum()
 *   proxies                      submit() only passes its order on to enqueue()
 *   dead-code                    refund() and audit() are never called
 *   allocators                   order_new() allocates, order_free() frees
 *   not-freed                    remember() keeps a note of each hundredth order
 *   thread-exclusive             order_new() is the producer's, price() the worker's
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 5000, QUEUE = 64 };

struct order {
    unsigned number;
    unsigned char goods[200];
    double price;
};

static struct order *queue[QUEUE];
static unsigned head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char *notes[ORDERS / 100 + 1];
static double total;

static unsigned mix(unsigned sum, unsigned char byte)
{
    return (sum ^ byte) * 16777619u;
}

static unsigned checksum(const unsigned char *bytes, size_t count)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = mix(sum, bytes[i]);
    return sum;
}

static struct order *order_new(unsigned number)
{
    struct order *order = calloc(1, sizeof *order);
    order->number = number;
    memset(order->goods, (int)(number % 251), sizeof order->goods);
    return order;
}

static void order_free(struct order *order)
{
    free(order);
}

static void remember(const struct order *order)
{
    char *note = malloc(32);
    snprintf(note, 32, "order %u", order->number);
    notes[order->number / 100] = note;
}

static void enqueue(struct order *order)
{
    pthread_mutex_lock(&lock);
    while (head - tail == QUEUE)
        pthread_cond_wait(&changed, &lock);
    queue[head++ % QUEUE] = order;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void submit(struct order *order)
{
    enqueue(order);
}

static struct order *dequeue(void)
{
    pthread_mutex_lock(&lock);
    while (head == tail)
        pthread_cond_wait(&changed, &lock);
    struct order *order = queue[tail++ % QUEUE];
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return order;
}

static double negotiate(const struct order *order)
{
    double price = 0;
    for (int round = 0; round < 200; round++)
        price += checksum(order->goods, sizeof order->goods) % 100;
    return price / 200;
}

static double price(const struct order *order)
{
    if (order->number % 1000 == 999)
        return negotiate(order);
    return checksum(order->goods, 16) % 100;
}

void refund(struct order *order)
{
    total -= order->price;
}

void audit(void)
{
    printf("%u orders in the queue\n", head - tail);
}

static void ship(struct order *order)
{
    total += order->price;
    if (order->number % 100 == 0)
        remember(order);
    order_free(order);
}

static void *produce(void *unused)
{
    pthread_setname_np(pthread_self(), "producer");
    for (unsigned i = 0; i < ORDERS; i++)
        submit(order_new(i));
    return unused;
}

static void *work(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    for (unsigned i = 0; i < ORDERS; i++) {
        struct order *order = dequeue();
        order->price = price(order);
        ship(order);
    }
    return unused;
}

int main(void)
{
    pthread_t producer, worker;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(producer, NULL);
    pthread_join(worker, NULL);
    printf("total %.2f\n", total);
    return 0;
}
