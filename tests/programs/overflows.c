/* Overflows a small stack again and again; each time its handler leaves by siglongjmp. Prints how often its functions ran. */
#include "count.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
COUNTED_NAMES;

static sigjmp_buf back;
static int rounds;
static void on_overflow(int number)
{
    COUNT();
    (void)number;
    siglongjmp(back, 1);
}
static int endless(volatile char *below)
{
    volatile char here[100];
    here[0] = below[0];
    return endless(here) + here[1];
}
static int spill(int n)
{
    COUNT();
    char start = (char)n;
    return n == 0 ? endless(&start) : spill(n - 1) + 1;
}
static void *body(void *arg)
{
    static char alternate[1 << 16];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&stack, NULL);
    for (volatile int i = 0; i < rounds; i = i + 1)
        if (sigsetjmp(back, 1) == 0)
            spill(i % 97);
    return arg;
}
int main(int argc, char **argv) /* rounds */
{
    COUNT();
    pthread_t thread;
    pthread_attr_t attributes;
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    sigaction(SIGSEGV, &action, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)64 << 10);
    pthread_create(&thread, &attributes, body, NULL);
    pthread_join(thread, NULL);
    report();
    return 0;
}
