/* A program in two versions, for comparing runs: -DB makes the second. What differs is told in
 * tests/e2e/diff.sh. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static volatile int sink;
static void *kept[64];

#ifdef B
enum { WORK = 4000, BLOCK = 200, MORE = 7 };
#else
enum { WORK = 400, BLOCK = 100, MORE = 5 };
#endif

static void spin(int n)
{
    for (int i = 0; i < n; i++)
        sink += i;
}
static void steady(void)
{
    for (int i = 0; i < 400; i++)
        sink += i;
}
static void slowed(void)
{
    for (int i = 0; i < WORK; i++)
        sink += i;
}
#ifdef B
static void added(void)
{
    sink++;
}
#define EITHER added
#else
static void removed(void)
{
    sink++;
}
#define EITHER removed
#endif
static void grabs(int i)
{
    kept[i % 64] = realloc(kept[i % 64], BLOCK);
}
static void called_more(void)
{
    sink++;
}
static void *thread(void *unused)
{
    pthread_setname_np(pthread_self(), "second");
    for (int i = 0; i < MORE; i++)
        called_more();
    return unused;
}
int main(void)
{
    pthread_t other;
    spin(10);
    for (int i = 0; i < 200; i++) {
        steady();
        slowed();
        grabs(i);
    }
    EITHER();
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    return 0;
}
