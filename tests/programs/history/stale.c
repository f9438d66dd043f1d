/* A use after free: an order is closed while a list still has it, and another one is noticed to be wrong. */
#include <stdlib.h>

struct order {
    int number, total;
};

static struct order *list[8];
static int listed;

void add(struct order *order, int amount)
{
    order->total += amount;
}

void show(const struct order *order)
{
    if (order->total < 0)
        abort();
}

void close_order(struct order *order)
{
    order->total = 0;
    free(order); /* GUILTY: the list still has it */
}

struct order *order_new(int number)
{
    struct order *order = calloc(1, sizeof *order);
    order->number = number;
    list[listed++] = order;
    return order;
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        add(order_new(i), 10 * i);
    close_order(list[2]);
    for (int i = 0; i < 8; i++)
        if (i % 4 != 2)
            show(list[i % 4]);
    show(list[2]); /* noticed */
    return 0;
}
