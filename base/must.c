/* Assertions that stay in release builds: see must.h. */
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

void must_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "fisql: %s:%d: %s does not hold: please report this\n", file, line, condition);
    abort();
}
