/* A program of three parts and a library, for maps of modules (tests/e2e/modules.sh): its argument is the number of
 * requests. Each makes one call of each function, but for db_get with two. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

int clamp(int value)
{
    return value < 0 ? 0 : value;
}

int main(int argc, char **argv)
{
    int requests = argc > 1 ? atoi(argv[1]) : 10, sum = 0;
    for (int i = 0; i < requests; i++)
        sum += http_serve(i);
    printf("%d\n", sum);
    return 0;
}
