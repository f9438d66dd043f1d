/* So many millions of calls. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static long step(long x)
{
    __asm__ volatile("");
    return x * 3 + 1;
}

int main(int argc, char **argv)
{
    long sum = 0, millions = argc > 1 ? atol(argv[1]) : 1;
    for (long i = 0; i < millions * 1000000; i++)
        sum += step(i);
    printf("%ld\n", sum);
    return 0;
}
