/*
 * What a macro of fisql_trace.h costs that is off: for each one "NAME ns", the least of ROUNDS rounds with the
 * macro less the least without, interleaved, in this thread's processor time. trace.py counts the instructions.
 *
 *   trace [ROUNDS]
 */
#include "fisql_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 20000, COPIES = 10 };

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The compiler may not take two for one: memory may have changed between them. */
#define LOOP(name, ...)                                                                            \
    static __attribute__((noinline)) void name(volatile int *value)                                \
    {                                                                                              \
        for (int i = 0; i < TURNS; i++) {                                                          \
            int x = *value;                                                                        \
            (void)x;                                                                               \
            _Pragma("GCC unroll 10") for (int copy = 0; copy < COPIES; copy++)                     \
            {                                                                                      \
                __VA_ARGS__                                                                        \
                __asm__ volatile("" ::: "memory");                                                 \
            }                                                                                      \
        }                                                                                          \
    }

LOOP(nothing, )
LOOP(function, { FISQL_FUNCTION(1); })
LOOP(checkpoint, FISQL_CHECKPOINT(1, "here", x, "text");)
LOOP(value, FISQL_VALUE(x);)
LOOP(result, (void)FISQL_RESULT(x);)
LOOP(say, FISQL_SAY(1, "%d", x);)
LOOP(pause_, FISQL_PAUSE();)

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(volatile int *);
    } all[] = {
        {"nothing", nothing},   {"FISQL_FUNCTION", function}, {"FISQL_CHECKPOINT", checkpoint},
        {"FISQL_VALUE", value}, {"FISQL_RESULT", result},     {"FISQL_SAY", say},
        {"FISQL_PAUSE", pause_}};
    enum { COUNT = sizeof all / sizeof all[0] };
    double least_ns[COUNT];
    volatile int seven = 7;
    int rounds = argc > 1 ? atoi(argv[1]) : 400;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < COUNT; i++) {
            double start = now_ns();
            all[i].run(&seven);
            double ns = now_ns() - start;
            if (round == 0 || ns < least_ns[i])
                least_ns[i] = ns;
        }
    for (int i = 1; i < COUNT; i++)
        printf("%s %.2f\n", all[i].name, (least_ns[i] - least_ns[0]) / TURNS / COPIES);
    return 0;
}
