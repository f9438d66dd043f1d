/* A wrong unit: one caller gives a price in pounds to a field that is in pence. */
#include <stdlib.h>

struct item {
    long price; /* in pence */
    int number;
};

void price_set(struct item *item, long pence)
{
    item->price = pence;
}

void import_row(struct item *item, long pounds)
{
    price_set(item, pounds); /* GUILTY: pounds */
}

long total(const struct item *item, int count)
{
    return item->price * count;
}

int main(void)
{
    struct item *items[3];
    long sum = 0;
    for (int i = 0; i < 3; i++)
        items[i] = calloc(1, sizeof *items[i]);
    for (int i = 0; i < 3; i++)
        price_set(items[i], 1999 + 100 * i);
    for (int i = 0; i < 3; i++)
        sum += total(items[i], 2);
    import_row(items[1], 21);
    sum += total(items[0], 2);
    sum += total(items[1], 2); /* noticed: 42 for two of them */
    for (int i = 0; i < 3; i++)
        free(items[i]);
    return sum == 0;
}
