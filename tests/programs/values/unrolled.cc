/* Inlined bodies in a loop that clang unrolls: each copy's entry hook has the arguments of its own call. Prints the
 * arguments of each step() and pair(). */
#include <cstdio>

#define PLAIN __attribute__((no_instrument_function, noinline))

volatile int sink, zero;

PLAIN static void passed(const char *name, int a, int b)
{
    std::printf("%s %d %d\n", name, a, b);
}

static __attribute__((noinline)) long leaf(long a, long b)
{
    if (((a ^ b) & 3) == 0)
        return a + 1;
    sink = sink + 1;
    return a + 3 - (b * 3 + a) + b;
}

template <int N> static inline short half(short a, long b)
{
    return (short)(leaf(a + 1, b) - (b * 3 + a) + N);
}

static inline __attribute__((always_inline)) short pair(short a, long b)
{
    passed("pair", a, (int)b);
    short sum = (short)(half<4>(a, b) + half<7>(a, b));
    sink = sink + 1;
    return sum;
}

template <int N> static inline int part(int a, unsigned char b)
{
    return (int)(pair((short)(a + 1), b) - leaf(b, a)) + N;
}

static inline int step(int a, unsigned char b)
{
    passed("step", a, b);
    int sum = part<2>(a, b) + part<7>(a, b);
    sink = sink + 1;
    return sum;
}

__attribute__((noinline)) short all(short a, unsigned char b)
{
    short sum = 0;
    for (int k = 0; k < 3; k++) {
        sum = (short)(sum + step(a + k, b));
        sink = sink + 1;
    }
    return sum;
}

int main()
{
    for (int i = 0; i < 2; i++)
        sink = sink + all((short)(zero + i + 2), (unsigned char)(zero + 2));
}
