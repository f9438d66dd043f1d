/* Calls of every kind, compiled without fisql: tests/e2e/any_counts.sh compares how often each function of the binary
 * was called with what callgrind counts. What the program prints depends on every result. */
#define _GNU_SOURCE
#include <complex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#ifdef __clang__
#define APART __attribute__((noinline)) /* neither inlined nor cloned */
#else
#define APART __attribute__((noinline, noclone))
#endif

static uint64_t sum = 1469598103934665603u;
static volatile int zero; /* what the compiler may not know */
static int atexits;

static NOINLINE void mix(uint64_t value)
{
    sum = (sum ^ value) * 1099511628211u;
}

static NOINLINE void mix_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix(bits);
}

/* ---- recursion ---- */
static NOINLINE int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static NOINLINE int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(int n);
static NOINLINE int is_even(int n) /* mutual tail calls with optimization */
{
    return n == 0 ? 1 : is_odd(n - 1);
}
static NOINLINE int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

struct machine {
    int state, left;
    int (*next[3])(struct machine *);
};
static NOINLINE int state_a(struct machine *it) /* tail calls through pointers */
{
    it->state = it->state * 31 + 1;
    return it->left-- > 0 ? it->next[1](it) : it->state;
}
static NOINLINE int state_b(struct machine *it)
{
    it->state = it->state * 37 + 2;
    return it->left-- > 0 ? it->next[2](it) : it->state;
}
static NOINLINE int state_c(struct machine *it)
{
    it->state = it->state * 41 + 3;
    return it->left-- > 0 ? it->next[0](it) : it->state;
}

/* ---- small functions ---- */
APART void nothing(void)
{
    __asm__ volatile(""); /* ret */
}
APART int zero_result(void)
{
    __asm__ volatile(""); /* xor eax,eax; ret */
    return 0;
}
APART int same_result(int n)
{
    __asm__ volatile("");
    return n;
}
static int global_word = 7;
APART int read_global(void) /* begins with a RIP-relative load */
{
    __asm__ volatile("");
    return global_word;
}
APART int *address_of_global(void)
{
    return &global_word;
}
APART void set_global(void) /* RIP-relative with an immediate behind the displacement */
{
    global_word = 0x12345678;
}
APART int compare_global(void)
{
    return global_word == 77;
}
APART int forward(int n) /* its first instruction is a tail call */
{
    return same_result(n);
}
static int (*volatile pointer)(int) = same_result;
APART int forward_pointer(int n)
{
    return pointer(n);
}

/* ---- loops whose head is the function's entry ---- */
APART unsigned count_down(unsigned n)
{
    while (n > 10)
        n -= 3;
    return n;
}
APART int list_length(const struct machine *const *list, int n)
{
    for (; list[n] != NULL; n++)
        ;
    return n;
}
APART int tail_sum(int n, int so_far) /* recursion that becomes a loop */
{
    return n == 0 ? so_far : tail_sum(n - 1, so_far + n);
}

/* ---- arguments and results ---- */
APART long six(long a, long b, long c, long d, long e, long f)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}
APART long ten(long a, long b, long c, long d, long e, long f, long g, long h, char i, short j)
{
    return six(a, b, c, d, e, f) + 7 * g + 8 * h + 9 * i + 10 * j;
}
APART double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
APART double twelve(double a, float b, double c, float d, double e, float f, double g, float h,
                    double i, float j, long k, int l)
{
    return eight(a, b, c, d, e, f, g, h) + 9 * i + 10 * j + (double)k + l;
}
APART long double long_double(long double a, int b, long double c)
{
    return a * b + c;
}
struct pair {
    long first, second;
};
struct mixed {
    double d;
    int i;
};
struct floats {
    float x, y, z;
};
struct large {
    long words[9];
};
APART struct pair make_pair(long a, struct pair b)
{
    return (struct pair){a + b.second, b.first};
}
APART struct mixed make_mixed(struct mixed m, float f)
{
    return (struct mixed){m.d * f, m.i + 1};
}
APART struct floats make_floats(struct floats f)
{
    return (struct floats){f.y, f.z, f.x};
}
APART struct large make_large(struct large l, int by) /* by memory */
{
    for (int i = 0; i < 9; i++)
        l.words[i] *= by;
    return l;
}
APART __int128 wide(__int128 a, __int128 b)
{
    return a * b + 1;
}
APART double complex complex_double(double complex a, double complex b)
{
    return creal(a) * creal(b) + cimag(a) * 2 * I;
}
APART float complex complex_float(float complex a)
{
    return a + 1.0f * I;
}
APART long double complex complex_long(long double complex a)
{
    return a + 2.0L * I;
}
APART char byte_result(signed char a, unsigned char b)
{
    return (char)(a - b);
}
APART _Bool bool_result(int a)
{
    return a > 3;
}
APART long sum_of(int count, ...) /* al says how many vector registers are used */
{
    va_list list;
    double all = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        all += i % 2 ? va_arg(list, double) : (double)va_arg(list, long);
    va_end(list);
    return (long)all;
}
APART int print_into(char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsprintf(text, format, list);
    va_end(list);
    return length;
}

/* ---- local functions, whose callers know what they do not touch (-fipa-ra) ---- */
static NOINLINE int touches_little(int n)
{
    return n * 5 + 1;
}
static NOINLINE double touches_xmm0(double d)
{
    return d * 1.5;
}
APART long keeps_much(long a, long b, long c, long d, long e, double x, double y, double z,
                      double w)
{
    long f = a ^ b, g = b * c, h = c - d, i = d + e;
    double s = x + y, t = y * z, u = z - w;
    for (int n = 0; n < 5; n++) {
        f += touches_little((int)g);
        s += touches_xmm0(t);
        g ^= f + touches_little((int)h);
        t -= u * touches_xmm0(s);
        h += i * touches_little((int)f);
    }
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i +
           (long)(s + 2 * t + 3 * u) + (long)(x + 2 * y + 3 * z + 4 * w);
}

/* ---- clones: constant arguments, arguments in place of pointers, cold parts ---- */
static NOINLINE int scaled(const struct pair *p, int by, int add)
{
    int n = (int)(p->first * by + p->second);
    for (int i = 0; i < by; i++)
        n = n * 3 + add;
    return n;
}
APART int uses_scaled(struct pair *p)
{
    int n = 0;
    for (int i = 0; i < 10; i++)
        n += scaled(p, 4, 1) ^ scaled(p, 4, 1);
    return n;
}
__attribute__((cold, noinline)) static void complain(int n)
{
    mix((uint64_t)n * 99);
}
APART int hot_and_cold(int n)
{
    if (__builtin_expect(n % 50 == 7, 0)) {
        complain(n);
        mix(3);
        return n * 2 + (int)(sum % 3);
    }
    return n + 1;
}
static int partly(int n) /* split: the test is inlined */
{
    if (n < 20)
        return n;
    for (int i = 0; i < n; i++)
        mix((uint64_t)i);
    complain(n);
    return n * 7;
}
APART int uses_partly(int n)
{
    return partly(n) + partly(n + 3);
}

/* ---- called by others ---- */
static int compared;
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    compared++;
    return (x > y) - (x < y);
}
static void on_signal(int number)
{
    mix((uint64_t)number + 7);
}
static void on_signal_info(int number, siginfo_t *info, void *context)
{
    mix((uint64_t)number + (info->si_pid == getpid()) + (context != NULL));
    if (number == SIGUSR2)
        raise(SIGUSR1);
}
static jmp_buf back;
APART void leaves(int n)
{
    if (n == 0)
        longjmp(back, 5);
    leaves(n - 1);
    mix(1);
}

#ifndef __clang__
APART int walk(int (*visit)(int), int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += visit(i);
    return all;
}
APART int nested(int base) /* the address of a nested function: a trampoline, which loads r10 */
{
    int calls = 0;
    int visit(int n)
    {
        calls++;
        return n * base;
    }
    return walk(visit, 12) + calls;
}
#endif

__attribute__((constructor)) static void constructs_first(void)
{
    mix(11);
}
__attribute__((constructor(200))) static void constructs_early(void)
{
    mix(12);
}
__attribute__((destructor)) static void destructs_late(void)
{
    mix(13);
    printf("destructor %d %016llx\n", atexits, (unsigned long long)sum);
}
static void at_exit(void)
{
    atexits++;
    mix(14);
}
static void on_exit_with(int status, void *data)
{
    atexits += status;
    mix((uint64_t)(data != NULL));
}

/* Arguments and results of all kinds. */
static void all_kinds(int i)
{
    mix((uint64_t)six(i, 2, 3, 4, 5, 6));
    mix((uint64_t)ten(i, 2, 3, 4, 5, 6, 7, 8, 'a', 10));
    mix_double(eight(i, 2, 3, 4, 5, 6, 7, 8));
    mix_double(twelve(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    mix_double((double)long_double(i * 1.25L, i, 3.5L));
    struct pair pair = make_pair(i, (struct pair){i * 3, i * 5});
    mix((uint64_t)(pair.first * 1000 + pair.second));
    struct mixed mixed = make_mixed((struct mixed){i * 0.5, i}, 3);
    mix_double(mixed.d + mixed.i);
    struct floats floats = make_floats((struct floats){1.0f + (float)i, 2, 3});
    mix_double((double)(floats.x + floats.y * 10 + floats.z * 100));
    struct large large = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    large = make_large(large, i);
    for (int k = 0; k < 9; k++)
        mix((uint64_t)large.words[k]);
    __int128 product = wide((__int128)i << 70, 3);
    mix((uint64_t)(product >> 64));
    double complex z = complex_double(i + 2 * I, 3 - I);
    mix_double(creal(z) + 100 * cimag(z));
    float complex zf = complex_float((float)i);
    mix_double((double)(crealf(zf) + 100 * cimagf(zf)));
    long double complex zl = complex_long((long double)i);
    mix_double((double)(creall(zl) + 100 * cimagl(zl)));
    mix((uint64_t)byte_result((signed char)i, 200));
    mix(bool_result(i));
    mix((uint64_t)sum_of(0));
    mix((uint64_t)sum_of(6, 1L, 2.5, (long)i, 3.5, 4L, 1.25));
    mix((uint64_t)sum_of(12, 1L, 2.5, (long)i, 3.5, 4L, 1.25, 1L, 2.5, (long)i, 3.5, 4L, 1.25));
    char text[100];
    mix((uint64_t)print_into(text, "%d %s %.3f %Lf %c", i, "text", i / 3.0, 1.5L, 'x'));
    for (int k = 0; text[k] != 0; k++)
        sum = (sum ^ (uint64_t)text[k]) * 1099511628211u;
    mix((uint64_t)keeps_much(i, 2, 3, 4, 5, 0.5, 1.5, 2.5, 3.5));
    mix((uint64_t)uses_scaled(&pair));
}

int main(void)
{
    atexit(at_exit);
    atexit(at_exit);
    on_exit(on_exit_with, &sum);
    mix((uint64_t)fib(15 + zero));
    mix((uint64_t)ackermann(2, 4 + zero));
    mix((uint64_t)is_even(1001 + zero));
    struct machine machine = {1, 300 + zero, {state_a, state_b, state_c}};
    mix((uint64_t)state_a(&machine));

    for (int i = 0; i < 20; i++) {
        nothing();
        mix((uint64_t)zero_result());
        mix((uint64_t)same_result(i));
        mix((uint64_t)read_global());
        mix((uint64_t)*address_of_global());
        mix((uint64_t)compare_global());
        mix((uint64_t)forward(i));
        mix((uint64_t)forward_pointer(i));
        set_global();
    }
    const struct machine *list[8] = {&machine, &machine, &machine, &machine, NULL};
    mix(count_down(100 + (unsigned)zero));
    mix((uint64_t)list_length(list, zero));
    mix((uint64_t)tail_sum(50 + zero, 0));

    for (int i = 0; i < 7; i++)
        all_kinds(i);
    for (int i = 0; i < 100; i++)
        mix((uint64_t)hot_and_cold(i));
    for (int i = 0; i < 30; i++)
        mix((uint64_t)uses_partly(i));

    int numbers[200];
    for (int i = 0; i < 200; i++)
        numbers[i] = (i + 1) * 7919 % 211;
    qsort(numbers, 200, sizeof numbers[0], compare);
    for (int i = 0; i < 200; i++)
        sum = (sum ^ (uint64_t)numbers[i]) * 1099511628211u;
    mix(bsearch(&numbers[77], numbers, 200, sizeof numbers[0], compare) == &numbers[77]);
    mix((uint64_t)compared);

    signal(SIGUSR1, on_signal);
    struct sigaction action = {.sa_sigaction = on_signal_info, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < 5; i++)
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
    for (int i = 0; i < 3; i++)
        if (setjmp(back) == 0)
            leaves(i * 4);
        else
            mix(2);
#ifndef __clang__
    for (int i = 0; i < 3; i++)
        mix((uint64_t)nested(i));
#endif
    printf("sum %016llx compared %d\n", (unsigned long long)sum, compared);
    fprintf(stderr, "on stderr %d\n", (int)(sum % 1000));
    return (int)(sum % 100);
}
