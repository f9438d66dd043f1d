/* Signals that come just before the collector blocks them: this syscall(), with which it does that,
 * waits for one first. Every chunk that the main thread writes is so interrupted at the worst
 * moment. */
#include "count.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
COUNTED_NAMES;

static pthread_t victim;
static volatile int stop, handled, ready;

static PLAIN long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

PLAIN long syscall(long number, ...)
{
    long argument[6], result;
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    if (ready && number == SYS_rt_sigprocmask && argument[0] == SIG_BLOCK &&
        pthread_equal(pthread_self(), victim)) {
        int before = handled;
        long long end = now_ns() + 300000;
        while (handled == before && now_ns() < end)
            ;
    }
    register long r10 __asm__("r10") = argument[3];
    register long r8 __asm__("r8") = argument[4];
    register long r9 __asm__("r9") = argument[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(argument[0]), "S"(argument[1]), "d"(argument[2]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static int leaf(int n)
{
    COUNT();
    return n ^ 5;
}
static void on_signal(int number)
{
    COUNT();
    for (int i = 0; i < 3; i++)
        leaf(number);
    handled++;
}
static PLAIN void *pester(void *arg)
{
    sigset_t all;
    memset(&all, 255, sizeof all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!stop) {
        pthread_kill(victim, SIGUSR1);
        usleep(100);
    }
    return arg;
}
int main(void)
{
    COUNT();
    pthread_t other;
    victim = pthread_self();
    signal(SIGUSR1, on_signal);
    pthread_create(&other, NULL, pester, NULL);
    ready = 1;
    for (int i = 0; i < 2000000; i++)
        leaf(i);
    stop = 1;
    pthread_join(other, NULL);
    ready = 0;
    report();
    return 0;
}
