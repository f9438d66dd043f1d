/* Handlers of signals that come all the time, in a program recorded as it is: 0 = they return, 1 = they jump out, 2 = they
 * run on a stack of their own. Prints how many there were. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <pthread.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile int jumps, handled;
static int how;
__attribute__((noinline)) static int inner(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}
__attribute__((noinline)) static void on_alarm(int s)
{
    handled++;
    inner(s);
    if (how == 1)
        siglongjmp(back, 1);
}
__attribute__((noinline)) static long tiny(long n)
{
    __asm__ volatile("" : "+r"(n));
    return n ^ 5;
}
__attribute__((noinline)) static double fl(double x, double y)
{
    __asm__ volatile("" ::: "memory");
    return x * y + 1;
}
__attribute__((noinline)) static int rec(int n)
{
    int g = n ? rec(n - 1) : 0;
    __asm__ volatile("" : "+r"(g));
    return g + 1;
}
int main(int c, char **v)
{
    how = atoi(v[1]);
    int loops = 3000000;
    volatile long sum = 0;
    volatile double d = 1;
    volatile int i = 0;
    stack_t st = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    if (how == 2)
        sigaltstack(&st, 0);
    struct sigaction a = {.sa_handler = on_alarm, .sa_flags = how == 2 ? SA_ONSTACK : 0};
    sigaction(SIGALRM, &a, 0);
    if (how == 1 && sigsetjmp(back, 1))
        jumps++;
    else /* not before there is a place to jump to */
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 40}, {0, 40}}, 0);
    for (; i < loops; i++) {
        sum += tiny(i);
        d = fl(d, 0.5);
        if (i % 1000 == 0)
            sum += rec(50);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, 0);
    signal(SIGALRM, SIG_IGN);
    fprintf(stderr, "handled %d\n", handled);
    if (how != 1)
        printf("%ld %f\n", sum, d);
    else
        printf("ok\n");
    return 0;
}
