/*
 * till_box: the money in the till is wrong in the evening. Who did it? See docs/history.md.
 *
 *     fisql cc gcc -g -O1 -o till_box till_box.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label {
    char name[24];
};

struct till {
    long money; /* in pence */
    long sales;
};

static void sell(struct till *till, long price)
{
    till->money += price;
    till->sales++;
}

static void label_set(struct label *label, const char *name)
{
    for (char *to = label->name; (*to = *name) != '\0'; to++)
        name++;
}

static void close_till(const struct till *till)
{
    printf("%ld pence of %ld sales\n", till->money, till->sales);
}

int main(void)
{
    struct label *label = NULL;
    struct till *till = NULL;
    for (int i = 0; i < 100 && (char *)till - (char *)label != 32; i++) { /* as they happen to lie */
        label = malloc(sizeof *label);
        till = malloc(sizeof *till);
    }
    memset(till, 0, sizeof *till);
    label_set(label, "till 1");
    for (int i = 1; i <= 40; i++)
        sell(till, 5 * i);
    label_set(label, "till 1, the one behind the door, closed on Mondays");
    for (int i = 1; i <= 20; i++)
        sell(till, 10);
    close_till(till);
    return 0;
}
