/* A field that is overwritten by its neighbour: a name is copied into a box that is too small, and the
 * next block's first field is a part of the name. */
#include <stdlib.h>
#include <string.h>

struct account {
    long balance;
    long number;
};

void deposit(struct account *account, long amount)
{
    account->balance += amount;
}

int check(const struct account *account)
{
    return account->balance >= 0 && account->balance < 1000000;
}

struct box {
    char name[24];
};

void name_set(struct box *box, const char *name)
{
    char *to = box->name;
    for (size_t i = 0; name[i] != '\0'; i++)
        to[i] = name[i]; /* GUILTY: the box has 24 bytes */
}

int main(void)
{
    struct box *box = NULL;
    struct account *account = NULL;
    for (int i = 0; i < 1000 && (char *)account - (char *)box != 32; i++) { /* side by side */
        box = malloc(sizeof *box);
        account = malloc(sizeof *account);
    }
    memset(account, 0, sizeof *account);
    name_set(box, "short");
    deposit(account, 100);
    deposit(account, 50);
    check(account);
    name_set(box, "a name that is longer than its box by far");
    int sound = check(account); /* noticed */
    return sound;
}
