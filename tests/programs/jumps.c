/* longjmp over many frames, in loops, out of recursion, and into a caller that goes on. */
#include "count.h"
#include <setjmp.h>
#include <stdlib.h>
COUNTED_NAMES;

static jmp_buf outer, middle;

static void leaf(void)
{
    COUNT();
}
static int dive(int n)
{
    COUNT();
    if (n == 0)
        longjmp(outer, 1);
    return dive(n - 1) + 1;
}
static int recurse(int n)
{
    COUNT();
    jmp_buf own;
    leaf();
    if (n == 5) {
        if (setjmp(own) == 0) {
            __builtin_memcpy(&middle, &own, sizeof own);
            return recurse(n - 1) + 1;
        }
        leaf();
        return 0;
    }
    if (n == 0)
        longjmp(middle, 1);
    return recurse(n - 1) + 1;
}
static void once(void)
{
    COUNT();
    leaf();
    longjmp(outer, 2);
}
int main(void)
{
    COUNT();
    for (volatile int i = 0; i < 1000; i++) {
        if (setjmp(outer) == 0)
            dive(100);
        leaf();
        if (setjmp(outer) == 0)
            once();
        if (setjmp(outer) == 0)
            once();
        recurse(10);
    }
    report();
    return 0;
}
