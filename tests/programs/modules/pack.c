/* A shared library of its own, which loses a block with each call. */
#include "parts.h"

#include <stdlib.h>

static int *last;

int pack(int value)
{
    last = malloc(sizeof *last);
    *last = value & 0xffff;
    return *last;
}
