/* Something to find for each of the first nine queries, with cases that must not be found beside
 * it. What is planted is told in tests/queries/planted.sh. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

volatile int sink;
static void *kept[8];
/* Called through pointers, for the compiler may leave out a malloc whose block is freed unused. */
static void *(*volatile allocate)(size_t) = malloc;
static void *(*volatile reallocate)(void *, size_t) = realloc;
static void (*volatile release)(void *) = free;

void never_called(void)
{
    sink++;
}
void never_called_either(void)
{
    never_called();
}
void inline_me(int n)
{
    sink += n;
}
void shared(int n)
{
    sink -= n;
}
void recursive(int n)
{
    if (n > 0)
        recursive(n - 1);
}
void rare(void)
{
    sink++;
}
void target(int n)
{
    sink += n;
}
void proxy(int n)
{
    target(n);
}
void proxy_but_once(int n)
{
    if (n != 7)
        target(n);
}
void twice(int n)
{
    target(n);
    target(n);
}
void *make(size_t size)
{
    return allocate(size);
}
void drop(void *block)
{
    release(block);
}
void both(void)
{
    release(allocate(10));
}
void keep(int n)
{
    kept[n] = allocate(100);
}
void regrow(void)
{
    void *block = allocate(10);
    block = reallocate(block, 5000);
    release(block);
}
static void spin(long ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}
void scatter(int n)
{
    if (n == 50)
        spin(20000000);
}
void burn(void)
{
    spin(200000000);
}
void worker_only(void)
{
    sink++;
}
void by_both_threads(void)
{
    sink++;
}
void *worker(void *unused)
{
    pthread_setname_np(pthread_self(), "planted-worker");
    for (int i = 0; i < 10; i++)
        worker_only();
    by_both_threads();
    return unused;
}
void second_caller(void)
{
    shared(1);
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 200; i++) {
        inline_me(i);
        shared(i);
        second_caller();
        proxy(i);
        proxy_but_once(i);
        twice(i);
        scatter(i % 100);
        drop(make(64));
        both();
    }
    for (int i = 0; i < 99; i++)
        rare();
    recursive(300);
    for (int i = 0; i < 3; i++)
        keep(i);
    regrow();
    burn();
    pthread_create(&thread, NULL, worker, NULL);
    by_both_threads();
    pthread_join(thread, NULL);
    return 0;
}
