/* Loops of the function main: tests/queries/planted_loops.sh says which of them are findings. */
#include <stdlib.h>
#include <string.h>

volatile unsigned sink;
static volatile unsigned state[16];

/* More code than a compiler inlines, for a few nanoseconds of work. */
#define MIX(a, b)                                                                                  \
    do {                                                                                           \
        state[a] += n * state[b] + (state[a] >> 3);                                                \
        state[b] ^= n + state[a] / 5;                                                              \
        state[a] -= state[b] % 7;                                                                  \
    } while (0)
#define ALL                                                                                        \
    do {                                                                                           \
        MIX(0, 1);                                                                                 \
        MIX(2, 3);                                                                                 \
        MIX(4, 5);                                                                                 \
        MIX(6, 7);                                                                                 \
    } while (0)

__attribute__((noinline)) void item(unsigned n)
{
    ALL;
}
__attribute__((noinline)) void same(unsigned n)
{
    ALL;
}
/* in sight of the compiler, which inlines it */
static inline void small(unsigned n)
{
    sink += n;
}
/* The steps of a main loop. */
__attribute__((noinline)) void take_in(unsigned n)
{
    for (int i = 0; i < 20; i++)
        ALL;
}
__attribute__((noinline)) void work_on(unsigned n)
{
    for (int i = 0; i < 20; i++)
        ALL;
}
__attribute__((noinline)) void give_out(unsigned n)
{
    for (int i = 0; i < 20; i++)
        ALL;
}
__attribute__((noinline)) void request(unsigned n)
{
    take_in(n);
    work_on(n);
    give_out(n);
    ALL;
}
/* one long step, of far more than repeated-calls' max_item_ns on any processor: it makes no other call */
__attribute__((noinline)) void long_step(unsigned n)
{
    for (int i = 0; i < 20000; i++)
        ALL;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "items";
    if (strcmp(what, "items") == 0) { /* the program is a loop over items, all but another one */
        for (unsigned i = 0; i < 40000; i++)
            item(i);
        for (unsigned i = 0; i < 9000; i++)
            same(7);
        for (unsigned i = 0; i < 9000; i++)
            small(i);
    } else if (strcmp(what, "requests") == 0) { /* a server's loop */
        for (unsigned i = 0; i < 20000; i++)
            request(i);
    } else if (strcmp(what, "steps") == 0) {
        for (unsigned i = 0; i < 300; i++)
            long_step(i);
    } else if (strcmp(what, "same") == 0) {
        for (unsigned i = 0; i < 300; i++)
            long_step(7);
    } else { /* half of the program, and no step is small */
        for (unsigned i = 0; i < 200; i++)
            long_step(i);
        for (unsigned i = 0; i < 20000; i++)
            request(i);
        for (unsigned i = 0; i < 200; i++) {
            long_step(i);
            request(i);
        }
    }
    return 0;
}
