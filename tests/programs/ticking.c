/* Calls tick() as often as each line of its input says, then waits for the next line: a program that
 * is looked at while it runs. */
#include <stdio.h>
#include <stdlib.h>

static long ticks;

__attribute__((noinline)) void tick(void)
{
    ticks++;
}

int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL)
        for (long i = strtol(line, NULL, 10); i > 0; i--)
            tick();
    printf("%ld ticks\n", ticks);
    return 0;
}
