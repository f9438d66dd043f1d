/*
 * orders: a shop's till, traced by hand, without hooks. It has each macro of fisql_trace.h once.
 *
 *     cc -I. -o orders orders.c -pthread && fisql record ./orders
 */
#include <fisql_trace.h>

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define ORDERS 6

struct order {
    int number;
    const char *article;
    double price;
};

static void wait_for_customer(void)
{
    struct timespec pause = {0, 20000000};
    FISQL_PAUSE(); /* not our own work */
    nanosleep(&pause, NULL);
    FISQL_RESUME();
}

static double discount(const struct order *order)
{
    FISQL_ENTRY(2); /* recorded only where there is one */
    if (order->number % 3 != 0)
        return 0;
    FISQL_CHECKPOINT(2, "third order", order->number, order->price);
    return order->price / 10;
}

static double total(const struct order *order)
{
    FISQL_FUNCTION(1);
    FISQL_VALUE(order->article);
    return FISQL_RESULT(order->price - discount(order));
}

static void *till(void *name)
{
    static const char *const articles[] = {"tea", "bread", "a rather long description of a cake"};
    double taken = 0;
    FISQL_THREAD((const char *)name);
    FISQL_FUNCTION(1);
    for (int number = 1; number <= ORDERS; number++) {
        struct order order = {number, articles[number % 3], 2.5 * number};
        wait_for_customer();
        if (number == ORDERS)
            FISQL_LEVELS(1, 0); /* the last one without checkpoints and values */
        taken += total(&order);
        FISQL_SAY(1, "order %d: %.2f in the till", number, taken);
    }
    return NULL;
}

int main(void)
{
    FISQL_FUNCTION(1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, till, (void *)"the till at the door") != 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
