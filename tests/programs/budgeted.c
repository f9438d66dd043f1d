/*
 * A program with a leaf that is called so often that its hooks cost more than all the rest. Runs for
 * so many milliseconds of processor time (2000), then prints how often each function was called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __clang__
#define APART __attribute__((noinline)) /* neither inlined nor cloned */
#else
#define APART __attribute__((noinline, noclone))
#endif

static volatile unsigned long sum;
static unsigned long hot_calls, warm_calls, slow_calls, rounds;

APART static unsigned long hot(unsigned long i)
{
    __asm__ volatile("");
    hot_calls++;
    return i * 3 + 1;
}

/* Longer, and as often as slow(). */
APART static void warm(unsigned long count)
{
    warm_calls++;
    for (unsigned long i = 0; i < count; i++)
        sum += i * i;
}

APART static void slow(void)
{
    slow_calls++;
    for (unsigned long i = 0; i < 100000; i++)
        sum += i ^ sum;
    warm(25000);
}

APART static void round_of_calls(void)
{
    rounds++;
    for (unsigned long i = 0; i < 5000; i++)
        sum += hot(i);
    slow();
}

static unsigned long cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
    unsigned long end_ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    while (cpu_ms() < end_ms)
        round_of_calls();
    printf("hot %lu\nround_of_calls %lu\nslow %lu\nwarm %lu\n", hot_calls, rounds, slow_calls,
           warm_calls);
    return 0;
}
