/* The queries on locks: two clerks move money between two accounts and lock the one they take from
 * first. A third one adds up the books and holds the lock of one account meanwhile. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct account {
    pthread_mutex_t lock;
    long amount;
};
static struct account savings, current;
static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;
static long checked;

static void account_open(struct account *account, long amount)
{
    pthread_mutex_init(&account->lock, NULL);
    account->amount = amount;
}

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->amount -= amount;
    to->amount += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *save(void *unused)
{
    for (int i = 0; i < 20; i++)
        transfer(&current, &savings, 5);
    return unused;
}

static void *spend(void *unused)
{
    for (int i = 0; i < 10; i++)
        transfer(&savings, &current, 8);
    return unused;
}

static void add_up(void)
{
    const struct timespec long_sums = {0, 20000000};
    pthread_mutex_lock(&books);
    nanosleep(&long_sums, NULL);
    checked = savings.amount + current.amount;
    pthread_mutex_unlock(&books);
}

static void *audit(void *unused)
{
    for (int i = 0; i < 3; i++)
        add_up();
    return unused;
}

static void look(void)
{
    pthread_mutex_lock(&books);
    printf("%ld\n", checked);
    pthread_mutex_unlock(&books);
}

int main(void)
{
    const struct timespec moment = {0, 5000000};
    pthread_t clerk;
    account_open(&savings, 1000);
    account_open(&current, 500);
    pthread_create(&clerk, NULL, save, NULL);
    pthread_join(clerk, NULL);
    pthread_create(&clerk, NULL, spend, NULL);
    pthread_join(clerk, NULL);
    pthread_create(&clerk, NULL, audit, NULL);
    nanosleep(&moment, NULL);
    look();
    pthread_join(clerk, NULL);
    pthread_mutex_unlock(&books); /* once too often */
    return 0;
}
