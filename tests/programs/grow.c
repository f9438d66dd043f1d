/* Threads whose calls get deeper and deeper, and signals whose handlers get deeper still, in the
 * middle of anything: what the collector knows of open calls has to grow under its own hooks. */
#include "count.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
COUNTED_NAMES;

static volatile int going;
static __thread int depth;

static int leaf(int n)
{
    COUNT();
    return n + 1;
}
static int down(int n)
{
    COUNT();
    return n == 0 ? leaf(n) : down(n - 1) + 1;
}
static int dive(int n)
{
    COUNT();
    return n == 0 ? 0 : dive(n - 1) + 1;
}
static void on_signal(int number)
{
    COUNT();
    (void)number;
    depth += 700; /* deeper each time, across every size that there may have been */
    dive(depth % 20000);
}
static void *worker(void *arg)
{
    COUNT();
    going = 1;
    for (int i = 0; going; i++) {
        for (int k = 0; k < 100; k++)
            leaf(k);
        down(i % 3000);
    }
    return arg;
}
int main(void)
{
    COUNT();
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)64 << 20);
    for (int i = 0; i < 30; i++) {
        pthread_t thread;
        going = 0;
        if (pthread_create(&thread, &attributes, worker, NULL) != 0)
            return 1;
        while (!going)
            ;
        for (int k = 0; k < 40; k++) {
            pthread_kill(thread, SIGUSR1);
            usleep((useconds_t)(k * 37 % 211));
        }
        going = 0;
        pthread_join(thread, NULL);
    }
    report();
    return 0;
}
