/*
 * Calls of many kinds, in known numbers, for functions that are only counted from some moment on
 * (fisql record --budget): recursion, mutual recursion, longjmp out of open calls, signal handlers
 * that call the same functions, threads. At the end the program prints what it called.
 *
 * usage: counted THREADS ROUNDS
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#ifdef __clang__
#define APART __attribute__((noinline)) /* neither inlined nor cloned */
#else
#define APART __attribute__((noinline, noclone))
#endif
#define THREADS_MAX 16

enum { FIB, EVEN, ODD, LEAF, JUMP, HANDLER, KINDS };
static const char *const names[KINDS] = {"fib", "even", "odd", "leaf", "jump", "handler"};
static long calls[KINDS];
static long rounds;
static volatile long sink;

/* Also of a signal handler in the middle of it. */
#define CALLED(kind) __atomic_fetch_add(&calls[kind], 1, __ATOMIC_RELAXED)

APART static long fib(int n)
{
    CALLED(FIB);
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART static long leaf(long n)
{
    CALLED(LEAF);
    return n + 1;
}

APART static int even(int n);

APART static int odd(int n)
{
    CALLED(ODD);
    return n == 0 ? 0 : even(n - 1);
}

APART static int even(int n)
{
    CALLED(EVEN);
    sink = leaf(n);
    return n == 0 ? 1 : odd(n - 1);
}

APART static void jump(jmp_buf place, int n)
{
    CALLED(JUMP);
    if (n == 0)
        longjmp(place, 1);
    jump(place, n - 1);
    sink = n;
}

APART static void handler(int number)
{
    CALLED(HANDLER);
    sink = leaf(number);
    sink = even(3);
}

static void *work(void *context)
{
    jmp_buf place;
    for (volatile long i = 0; i < rounds; i++) {
        sink = fib(18);
        for (volatile int j = 0; j < 50; j++) {
            sink = even(40);
            if (setjmp(place) == 0)
                jump(place, 12);
        }
        for (int j = 0; j < 3000; j++)
            sink = leaf(j);
    }
    return context;
}

int main(int argc, char **argv)
{
    pthread_t others[THREADS_MAX];
    struct itimerval timer = {{0, 700}, {0, 700}};
    long threads = argc > 1 ? atol(argv[1]) : 1;
    rounds = argc > 2 ? atol(argv[2]) : 100;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long i = 1; i < threads && i < THREADS_MAX; i++)
        if (pthread_create(&others[i], NULL, work, NULL) != 0)
            abort();
    work(NULL);
    for (long i = 1; i < threads && i < THREADS_MAX; i++)
        pthread_join(others[i], NULL);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    signal(SIGALRM, SIG_IGN);
    for (int i = 0; i < KINDS; i++)
        printf("%s %ld\n", names[i], calls[i]);
    return 0;
}
