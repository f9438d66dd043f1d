/* Crashes where no handler of fisql's can be called, or only with care; the first argument names one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int *volatile nowhere;

__attribute__((noinline)) static int fault(int depth)
{
    return depth > 0 ? fault(depth - 1) + 1 : *nowhere;
}

__attribute__((noinline)) static long work(int n)
{
    char *volatile p = malloc((size_t)n + 1);
    memset(p, 1, (size_t)n + 1);
    long sum = p[n];
    free(p);
    return sum;
}

static void in_handler(int signal)
{
    (void)signal;
    fault(2);
}

__attribute__((noinline)) static long deeper(long n)
{
    volatile char room[256];
    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}

static void *thread(void *unused)
{
    (void)unused;
    return (void *)deeper(0);
}

__attribute__((noinline)) static void in_small_thread(void)
{
    pthread_attr_t small;
    pthread_t id;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    if (pthread_create(&id, &small, thread, NULL) != 0)
        exit(3);
    pthread_join(id, NULL);
}

__attribute__((noinline)) static int in_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        fault(2);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return (int)work(10) - 1;
}

/* Sets the flag for alignment checks, or clears it. */
static void alignment_check_set(void)
{
#if defined __x86_64__
    __asm__ volatile(
        "subq $128, %%rsp\n\tpushfq\n\torl $0x40000, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp" ::
            : "memory", "cc");
#endif
}

static void alignment_check_clear(void)
{
#if defined __x86_64__
    __asm__ volatile(
        "subq $128, %%rsp\n\tpushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp" ::
            : "memory", "cc");
#endif
}

static volatile long sink;
__attribute__((noinline)) static long leaf(long n, int m, char c)
{
    return sink += n + m + c;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 20; i++)
        work(i);
    if (strcmp(what, "blocked") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGSEGV);
        sigprocmask(SIG_BLOCK, &set, NULL);
        return fault(2);
    }
    if (strcmp(what, "ignored") == 0) {
        signal(SIGSEGV, SIG_IGN);
        return fault(2);
    }
    if (strcmp(what, "in-own-handler") == 0) {
        signal(SIGSEGV, in_handler);
        return fault(2);
    }
    if (strcmp(what, "in-vfork-child") == 0)
        return in_vfork();
    if (strcmp(what, "small-thread") == 0)
        in_small_thread();
    if (strcmp(what, "alignment-check") == 0) {
        alignment_check_set();
        for (int i = 0; i < 1000; i++)
            leaf(i, 3, 'c');
        alignment_check_clear();
        puts("no unaligned access");
        return 0;
    }
    return 2;
}
