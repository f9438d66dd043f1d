/* swapcontext between two coroutines and main: calls interleave on several stacks. */
#include "count.h"
#include <stdlib.h>
#include <ucontext.h>
COUNTED_NAMES;

static ucontext_t main_context, contexts[2];

static void leaf(void)
{
    COUNT();
}
static void step(int which)
{
    COUNT();
    leaf();
    swapcontext(&contexts[which], which == 0 ? &contexts[1] : &main_context);
    leaf();
}
static void body(int which)
{
    COUNT();
    for (int i = 0; i < 100; i++)
        step(which);
}
int main(void)
{
    COUNT();
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(1 << 18);
        contexts[i].uc_stack.ss_size = 1 << 18;
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    for (int i = 0; i < 100; i++) {
        swapcontext(&main_context, &contexts[0]);
        leaf();
    }
    report();
    return 0;
}
