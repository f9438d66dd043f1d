/* Many short calls, among them signal handlers' and some that longjmp() ends. Arguments: the depth of its 40 walks; for how
 * many milliseconds it waits before each. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static jmp_buf back;
static volatile int sink;
static long wait_ms;

__attribute__((noinline)) static int leaf(int n)
{
    sink = n;
    return n + 1;
}
__attribute__((noinline)) static int last(int n)
{
    return leaf(n);
}
__attribute__((noinline)) static void out(int n)
{
    if (leaf(n) % 5 == 0)
        longjmp(back, 1);
}
__attribute__((noinline)) static int walk(int depth)
{
    return depth == 0 ? last(depth) : walk(depth - 1) + walk(depth - 1);
}
__attribute__((noinline)) static void waits(void)
{
    if (wait_ms > 0)
        nanosleep(&(struct timespec){0, wait_ms * 1000000}, NULL);
    sink++;
}
static void handler(int signal)
{
    leaf(signal);
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 10;
    wait_ms = argc > 2 ? atoi(argv[2]) : 0;
    signal(SIGUSR1, handler);
    for (volatile int i = 0; i < 40; i++)
        if (setjmp(back) == 0) {
            raise(SIGUSR1);
            waits();
            out(i);
            walk(depth);
        }
    return 0;
}
