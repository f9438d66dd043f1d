/* Something to find for each query about time and call structure, with cases that must not be found
 * beside it. What is planted is told in tests/queries/planted_structure.sh. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile int sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void nap(long ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

void leaf(int n)
{
    sink += n;
}
void other_leaf(int n)
{
    sink -= n;
}
/* calls only leaf, several times: single-callee, repeated-calls */
void batch(int n)
{
    for (int i = 0; i < n; i++)
        leaf(i);
}
/* calls both, one after another, never many in a row */
void alternate(int n)
{
    for (int i = 0; i < n; i++) {
        leaf(i);
        other_leaf(i);
    }
}
/* three modes: complexity */
void modes(int n)
{
    if (n % 4 == 0)
        leaf(n);
    else if (n % 4 == 1)
        other_leaf(n);
    else if (n % 4 == 2)
        alternate(1);
}
/* recursion: direct, and mutual of even() and odd(), which also are a call cycle */
void direct(int n)
{
    if (n > 0)
        direct(n - 1);
    sink++;
}
void odd(int n);
void even(int n)
{
    if (n > 0)
        odd(n - 1);
    sink++;
}
void odd(int n)
{
    if (n > 0)
        even(n - 1);
    sink--;
}
/* always in this order, in two callers: call-order */
void open_door(void)
{
    sink++;
}
void walk_through(void)
{
    sink--;
}
void visit(void)
{
    open_door();
    walk_through();
}
void burgle(void)
{
    open_door();
    walk_through();
    leaf(1);
}
/* one path: hot-paths */
void deep_three(void)
{
    nap(100000);
}
void deep_two(void)
{
    deep_three();
}
void deep_one(void)
{
    deep_two();
}
void lock_store(void)
{
    pthread_mutex_lock(&mutex);
}
void unlock_store(void)
{
    pthread_mutex_unlock(&mutex);
}
void *holder(void *unused)
{
    lock_store();
    usleep(60000);
    unlock_store();
    return unused;
}
void set_up(void)
{
    sink++;
}
void tear_down(void)
{
    sink++;
}
void wide(void)
{
    leaf(1);
    other_leaf(1);
    visit();
    burgle();
    batch(2);
    alternate(1);
    even(1);
    direct(0);
}
void slow_sometimes(int n)
{
    if (n == 3)
        nap(30000000);
}
int main(void)
{
    pthread_t thread;
    set_up();
    pthread_create(&thread, NULL, holder, NULL);
    usleep(20000);
    lock_store();
    unlock_store();
    pthread_join(thread, NULL);
    for (int i = 0; i < 5; i++)
        batch(100);
    alternate(50);
    for (int i = 0; i < 16; i++)
        modes(i);
    direct(40);
    even(9);
    visit();
    visit();
    burgle();
    for (int i = 0; i < 8; i++)
        deep_one();
    wide();
    for (int i = 0; i < 9; i++)
        slow_sometimes(i);
    tear_down();
    return 0;
}
