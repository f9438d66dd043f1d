/*
 * A program that is controlled: each line on stdin is an order, done when "done" stands on stdout.
 *
 *   N       N rounds of calls
 *   stop    fisql_stop()
 *   start   fisql_start()
 *   signal  SIGUSR2 to itself
 *
 * It ends when its standard input does.
 */
#include <fisql.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static volatile unsigned long sum;

APART static void callee(unsigned long i)
{
    sum += i;
}

APART static void parse(unsigned long i)
{
    callee(i);
    sum += i;
}

APART static void rounds(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        parse(i);
}

int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "stop\n") == 0)
            fisql_stop();
        else if (strcmp(line, "start\n") == 0)
            fisql_start();
        else if (strcmp(line, "signal\n") == 0)
            raise(SIGUSR2);
        else
            rounds(strtoul(line, NULL, 10));
        puts("done");
        fflush(stdout);
    }
    return 0;
}
