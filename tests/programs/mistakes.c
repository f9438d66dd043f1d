/* A shop with one mistake at a time, named by its argument: tests/e2e/findings.sh. `sound` does the
 * same work without one. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

static volatile unsigned sink;
static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t task_came = PTHREAD_COND_INITIALIZER;

/* Work on the processor, some nanoseconds a step. */
static void work(int steps)
{
    for (int i = 0; i < steps; i++)
        sink += (unsigned)i;
}

static void start_threads(void *(*run)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- processor time ---- */

static char *receipt;
static size_t receipt_length, receipt_room;

/* The mistake: a new block, and all of the text copied, for each line. */
void append_line(const char *line)
{
    size_t length = strlen(line);
    char *longer = malloc(receipt_length + length + 1);
    if (longer == NULL)
        return;
    if (receipt != NULL)
        memcpy(longer, receipt, receipt_length);
    memcpy(longer + receipt_length, line, length + 1);
    free(receipt);
    receipt = longer;
    receipt_length += length;
}

void append_doubling(const char *line)
{
    size_t length = strlen(line);
    if (receipt_length + length + 1 > receipt_room) {
        receipt_room = 2 * receipt_room + 64;
        receipt = realloc(receipt, receipt_room);
    }
    if (receipt == NULL)
        return;
    memcpy(receipt + receipt_length, line, length + 1);
    receipt_length += length;
}

static void print_receipt(void (*append)(const char *))
{
    for (int i = 0; i < 6000; i++)
        append("one pound of apples, ripe\n");
    free(receipt);
}

/* The mistake: the same four results are computed again and again. */
unsigned discount(int customer_class)
{
    unsigned percent = 0;
    for (int i = 0; i < 3000; i++)
        percent = percent * 31 + (unsigned)(i ^ customer_class);
    return percent % 40;
}
static void repeated(void)
{
    for (int i = 0; i < 5000; i++)
        sink += discount(i % 4);
}

/* The mistake: a call of another file's function for each character. */
int is_digit(int c);
static void inner_loop(void)
{
    static char text[4096];
    memset(text, '7', sizeof text);
    for (int round = 0; round < 300; round++)
        for (size_t i = 0; i < sizeof text; i++)
            sink += (unsigned)is_digit(text[i]);
}

struct item {
    struct item *next;
    char name[40];
};
static struct item *stock;
void add_item(int number)
{
    struct item *item = malloc(sizeof *item + (size_t)number % 400); /* a pool would not do */
    if (item == NULL)
        return;
    snprintf(item->name, sizeof item->name, "item %d", number);
    item->next = stock;
    stock = item;
}
/* The mistake: the process ends next. */
void free_stock(void)
{
    while (stock != NULL) {
        struct item *next = stock->next;
        free(stock);
        stock = next;
    }
}
static void teardown(void)
{
    for (int i = 0; i < 100000; i++)
        add_item(i);
    work(60000000);
    free_stock();
}

/* ---- waiting ---- */

void pack_parcel(void)
{
    work(1000000);
}
/* The mistake: the parcel is packed under the lock. */
void take_order(void)
{
    pthread_mutex_lock(&stock_lock);
    sink++;
    pack_parcel();
    pthread_mutex_unlock(&stock_lock);
}
void take_order_soundly(void)
{
    pthread_mutex_lock(&stock_lock);
    sink++;
    pthread_mutex_unlock(&stock_lock);
    pack_parcel();
}
static void *orders(void *unused)
{
    for (int i = 0; i < 300; i++)
        take_order();
    return unused;
}
static void *sound_orders(void *unused)
{
    for (int i = 0; i < 100; i++)
        take_order_soundly();
    return unused;
}

/* The mistake: all threads count in one place, all the time. */
void count_visit(void)
{
    pthread_mutex_lock(&stock_lock);
    work(8000);
    pthread_mutex_unlock(&stock_lock);
}
static void *visits(void *unused)
{
    for (int i = 0; i < 6000; i++)
        count_visit();
    return unused;
}

/* The mistake: each line is taken to the disk, and its reader gets time to see it. A fast disk alone takes none. */
void write_ledger(int file, int number)
{
    char line[32];
    int length = snprintf(line, sizeof line, "%d\n", number);
    if (write(file, line, (size_t)length) == length && fsync(file) == 0)
        usleep(500);
}
static void ledger(void)
{
    int file = open("ledger", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 0; i < 100; i++)
        write_ledger(file, i);
    close(file);
}

static int tasks;
int take_task(void)
{
    pthread_mutex_lock(&stock_lock);
    while (tasks == 0)
        pthread_cond_wait(&task_came, &stock_lock);
    int taken = tasks > 0 ? tasks-- : 0;
    pthread_mutex_unlock(&stock_lock);
    return taken;
}
static void *worker(void *unused)
{
    while (take_task() > 0)
        work(20000);
    return unused;
}
/* The mistake: one thread makes the tasks, and takes longer than a task does. */
void make_task(void)
{
    work(400000);
    pthread_mutex_lock(&stock_lock);
    tasks++;
    pthread_cond_signal(&task_came);
    pthread_mutex_unlock(&stock_lock);
}
static void starving(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 600; i++)
        make_task();
    pthread_mutex_lock(&stock_lock);
    tasks = -1;
    pthread_cond_broadcast(&task_came);
    pthread_mutex_unlock(&stock_lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- memory ---- */

/* The mistake: every second note is lost. */
void note_order(int number)
{
    char *note = malloc(48);
    if (note == NULL)
        return;
    snprintf(note, 48, "order %d", number);
    sink += (unsigned char)note[6];
    if (number % 2 == 0)
        free(note);
}
static void leak(void)
{
    for (int i = 0; i < 4000; i++) {
        note_order(i);
        work(2000);
    }
}

static void *pages[20000];
/* The mistake: a cache that never lets go. */
void cache_page(int number)
{
    pages[number] = malloc(600);
    if (pages[number] != NULL)
        memset(pages[number], number, 600);
}
static void hoard(void)
{
    for (int i = 0; i < 20000; i++) {
        cache_page(i);
        work(20000);
    }
    for (int i = 0; i < 20000; i++)
        free(pages[i]);
}

/* The mistake: a block for each price. */
void price(int number)
{
    char *text = malloc(24);
    if (text == NULL)
        return;
    memset(text, number, 24);
    sink += (unsigned char)text[3];
    free(text);
}
static void churn(void)
{
    for (int i = 0; i < 100000; i++) {
        price(i);
        work(20);
    }
}

static int *basket;
/* The mistake: room for one more each time. */
void add_to_basket(int number)
{
    int *larger = realloc(basket, ((size_t)number + 1) * sizeof *basket);
    if (larger == NULL)
        return;
    basket = larger;
    basket[number] = number;
}
static void regrow(void)
{
    for (int i = 0; i < 50000; i++)
        add_to_basket(i);
    free(basket);
}

static void sound(void)
{
    print_receipt(append_doubling);
    start_threads(sound_orders);
    work(1000000);
}

int main(int argc, char **argv)
{
    const char *mistake = argc > 1 ? argv[1] : "sound";
    if (strcmp(mistake, "append") == 0)
        print_receipt(append_line);
    else if (strcmp(mistake, "repeated") == 0)
        repeated();
    else if (strcmp(mistake, "inner-loop") == 0)
        inner_loop();
    else if (strcmp(mistake, "teardown") == 0)
        teardown();
    else if (strcmp(mistake, "slow-lock") == 0)
        start_threads(orders);
    else if (strcmp(mistake, "convoy") == 0)
        start_threads(visits);
    else if (strcmp(mistake, "ledger") == 0)
        ledger();
    else if (strcmp(mistake, "starving") == 0)
        starving();
    else if (strcmp(mistake, "leak") == 0)
        leak();
    else if (strcmp(mistake, "hoard") == 0)
        hoard();
    else if (strcmp(mistake, "churn") == 0)
        churn();
    else if (strcmp(mistake, "regrow") == 0)
        regrow();
    else
        sound();
    return 0;
}
