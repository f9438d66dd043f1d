/* A pattern for each query about call structure, in some 3,000 calls of small functions, as somebody writes it who tries
 * fisql for the first time: tests/queries/planted_patterns.sh. */
#include <stdlib.h>

volatile unsigned sink;

#define NOINLINE __attribute__((noinline))

/* initializers, finalizers */
NOINLINE void set_up(void)
{
    for (int i = 0; i < 3000; i++)
        sink += i;
}
NOINLINE void tear_down(void)
{
    for (int i = 0; i < 3000; i++)
        sink -= i;
}
/* inline-candidates, tight-calls, repeated-calls, leaves: called by sum alone, in a loop */
NOINLINE unsigned square(unsigned n)
{
    return n * n + sink;
}
NOINLINE void sum(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += square(i);
}
/* proxies */
NOINLINE void store(unsigned n)
{
    sink ^= n;
}
NOINLINE void pass_on(unsigned n)
{
    store(n);
}
/* single-callee */
NOINLINE void helper(unsigned n)
{
    sink += n / 3;
}
NOINLINE void only_helps(unsigned n)
{
    for (unsigned i = 0; i <= n % 3; i++)
        helper(i);
}
/* recursion, deep-stacks */
NOINLINE unsigned fall(unsigned n)
{
    return n == 0 ? sink : fall(n - 1) + 1;
}
/* call-cycles */
NOINLINE void pong(unsigned n);
NOINLINE void ping(unsigned n)
{
    if (n > 0)
        pong(n - 1);
    sink++;
}
NOINLINE void pong(unsigned n)
{
    if (n > 0)
        ping(n - 1);
    sink--;
}
/* call-order: lock before change, and unlock after it, in three callers */
NOINLINE void lock(void)
{
    sink++;
}
NOINLINE void change(void)
{
    sink *= 3;
}
NOINLINE void unlock(void)
{
    sink--;
}
NOINLINE void change_once(void)
{
    lock();
    change();
    unlock();
}
NOINLINE void change_twice(void)
{
    lock();
    change();
    pass_on(1);
    change();
    unlock();
}
NOINLINE void change_late(void)
{
    lock();
    pass_on(2);
    change();
    unlock();
}
/* wide-functions, and complexity by n */
#define PART(name)                                                                                 \
    NOINLINE void name(void)                                                                       \
    {                                                                                              \
        sink += __LINE__;                                                                          \
    }
PART(part_a)
PART(part_b)
PART(part_c)
PART(part_d)
PART(part_e)
PART(part_f)
PART(part_g)
PART(part_h)
NOINLINE void wide(void)
{
    part_a();
    part_b();
    part_c();
    part_d();
    part_e();
    part_f();
    part_g();
    part_h();
}
NOINLINE void many_ways(unsigned n)
{
    if (n & 1)
        part_a();
    if (n & 2)
        part_b();
    if (n & 4)
        part_c();
    if (n & 8)
        part_d();
}

int main(void)
{
    set_up();
    sum(1000);
    for (unsigned i = 0; i < 300; i++)
        pass_on(i);
    for (unsigned i = 0; i < 100; i++)
        only_helps(i);
    fall(60);
    ping(21);
    for (unsigned i = 0; i < 20; i++) {
        change_once();
        change_twice();
        change_late();
        wide();
    }
    for (unsigned i = 0; i < 20000; i++)
        many_ways(i);
    tear_down();
    return 0;
}
