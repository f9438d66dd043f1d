/* Signal handlers that call instrumented functions and malloc, in the middle of hooks, on an
 * alternate stack, on several threads, some of them leaving by siglongjmp. Argument: "altstack" or
 * "jump". */
#include "count.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
COUNTED_NAMES;

static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t armed;
static int jumping;
static volatile int stop;

static int handler_leaf(int n)
{
    COUNT();
    return n + 1;
}
static int handler_work(int n)
{
    COUNT();
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += handler_leaf(i);
    return sum;
}
static void on_signal(int number)
{
    COUNT();
    int error = errno;
    static int turn;
    handler_work(++turn % 64 == 0 ? 40000 : 3);
    errno = error;
    (void)number;
    if (jumping && armed && turn % 3 == 0) {
        armed = 0;
        siglongjmp(back, 1);
    }
}
static int leaf(int n)
{
    COUNT();
    return n ^ 5;
}
static int inner(int n)
{
    COUNT();
    return leaf(n) + leaf(n + 1);
}
static void run(int rounds)
{
    COUNT();
    volatile int i = 0;
    while (i < rounds) {
        if (sigsetjmp(back, 1) == 0) {
            armed = jumping;
            for (; i < rounds; i++)
                inner(i);
        }
        armed = 0;
        i++;
    }
}
static void *thread(void *arg)
{
    COUNT();
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    sigaltstack(&stack, NULL);
    run(*(int *)arg);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    return NULL;
}
static PLAIN void *pester(void *arg)
{
    pthread_t *victims = arg;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!stop) {
        pthread_kill(victims[0], SIGUSR1);
        pthread_kill(victims[1], SIGUSR1);
        usleep(20);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    COUNT();
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 300000;
    jumping = argc > 1 && strcmp(argv[1], "jump") == 0;
    struct sigaction action = {.sa_handler = on_signal};
    if (argc > 1 && strcmp(argv[1], "altstack") == 0)
        action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    pthread_t victims[2], pesterer;
    pthread_create(&victims[0], NULL, thread, &rounds);
    pthread_create(&victims[1], NULL, thread, &rounds);
    pthread_create(&pesterer, NULL, pester, victims);
    usleep(300000);
    stop = 1;
    pthread_join(pesterer, NULL);
    pthread_join(victims[0], NULL);
    pthread_join(victims[1], NULL);
    report();
    return 0;
}
