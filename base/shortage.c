/* Where the machine ran short: see shortage.h. */
#include "base/shortage.h"

#include "base/must.h"

#include <stdbool.h>

static int noted; /* atomic */

void shortage_note(int problem)
{
    int none = 0;
    must(problem != 0);
    __atomic_compare_exchange_n(&noted, &none, problem, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int shortage_noted(void)
{
    return __atomic_load_n(&noted, __ATOMIC_RELAXED);
}

void shortage_forget(void)
{
    __atomic_store_n(&noted, 0, __ATOMIC_RELAXED);
}
