/* A million frames on a large stack, threads with tiny stacks, and a stack overflow that the
 * program handles on an alternate stack. */
#include "count.h"
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
COUNTED_NAMES;

static sigjmp_buf back;

static int down(int n)
{
    COUNT();
    return n == 0 ? 0 : down(n - 1) + 1;
}
static void *deep_thread(void *arg)
{
    COUNT();
    down(1000000 - 1);
    return arg;
}
static void *tiny_thread(void *arg)
{
    COUNT();
    down(20);
    return arg;
}
static void recovered(void)
{
    COUNT();
}
static void on_overflow(int number)
{
    COUNT();
    (void)number;
    siglongjmp(back, 1);
}
/* The overflow itself happens in code without hooks, so that it is known what was entered before.
 */
static PLAIN int endless(volatile char *below)
{
    volatile char here[400];
    here[0] = below[0];
    return endless(here) + here[1];
}
static int spill(int n)
{
    COUNT();
    char start = (char)n;
    return n == 0 ? endless(&start) : spill(n - 1) + 1;
}
int main(int argc, char **argv) /* [KiB that the smallest stacks have more] */
{
    COUNT();
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
    pthread_create(&thread, &attributes, deep_thread, NULL);
    pthread_join(thread, NULL);
    pthread_attr_setstacksize(&attributes,
                              PTHREAD_STACK_MIN + (argc > 1 ? (size_t)atoi(argv[1]) << 10 : 0));
    for (int i = 0; i < 50; i++) {
        pthread_create(&thread, &attributes, tiny_thread, NULL);
        pthread_join(thread, NULL);
    }
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        spill(1000);
    recovered();
    report();
    return 0;
}
