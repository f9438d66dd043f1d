/* The half of advice.c that its compiler does not see. */
#include <stdlib.h>
#include <time.h>

int proxied(int n);
int refused(int n);
extern volatile int sink;
static volatile int state[16];

int far_add(int n)
{
    return n + sink;
}
int far_proxy(int n)
{
    return proxied(n);
}
int far_checked(int n)
{
    return n < 0 ? refused(n) : proxied(n);
}
static int first_way(int n)
{
    return n + 1;
}
static int second_way(int n)
{
    return n + 2;
}
int (*const far_table[2])(int) = {first_way, second_way};

int far_item(int n)
{
    for (int i = 0; i < 16; i++)
        state[i] += n;
    return state[n % 16];
}
int far_worker(int n)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 200000);
    return n;
}
/* too large for the compiler, and called by far_outer alone: one function in two pieces */
void far_inner(int n)
{
    for (int i = 0; i < 16; i += 4) {
        state[i] += n * state[i + 1] + i;
        state[i + 1] ^= n + state[i + 2];
        state[i + 2] -= n * state[i + 3] - i;
        state[i + 3] |= n ^ state[i];
        if (state[i] % 7 == 3)
            state[i + 1] = state[i + 2] * state[i + 3] + state[i];
        if (state[i + 1] % 5 == 2)
            state[i + 3] = state[i + 1] * state[i] - state[i + 2];
        if (state[i + 2] % 3 == 1)
            state[i] = state[i + 3] / 3 + state[i + 1] / 5;
        state[(n + i) & 15] += state[(n - i) & 15];
    }
}
void far_outer(int n)
{
    for (int i = 0; i < n; i++)
        far_inner(i);
}
void *far_block(int n)
{
    return malloc((size_t)n + 100);
}
