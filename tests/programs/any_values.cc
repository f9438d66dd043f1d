/* Functions that tell what they are called with and what they return, in the words of `fisql query` (call_text), for
 * any_values.sh: recorded as they are, fisql says the same. */
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define APART __attribute__((noinline, noclone))

struct pair {
    int a;
    double b;
};
struct large {
    long v[5];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Prints a line; false arguments of printf would be seen. */
static void tell(const char *format, ...)
{
    char line[512];
    va_list rest;
    va_start(rest, format);
    vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    pthread_mutex_lock(&lock);
    puts(line);
    pthread_mutex_unlock(&lock);
}

APART int fib(int n)
{
    int result = n < 2 ? n : fib(n - 1) + fib(n - 2);
    tell("fib(n=%d) = %d", n, result);
    return result;
}

APART double half(double x, float y, const char *what)
{
    double result = x / 2 + (double)y + (double)strlen(what);
    tell("half(x=%.1f, y=%.1f, what=\"%s\") = %.1f", x, (double)y, what, result);
    return result;
}

APART pair swapped(pair p, short more)
{
    pair result = {(int)p.b + more, p.a + 0.5};
    tell("swapped(p={a = %d, b = %.1f}, more=%d) = {a = %d, b = %.1f}", p.a, p.b, more, result.a,
         result.b);
    return result;
}

APART large grown(large from, int by)
{
    for (long &value : from.v)
        value += by;
    long *v = from.v;
    tell("grown(from={v[0] = %ld, v[1] = %ld, v[2] = %ld, v[3] = %ld, v[4] = %ld}, by=%d) = "
         "{v[0] = %ld, v[1] = %ld, v[2] = %ld, v[3] = %ld, v[4] = %ld}",
         v[0] - by, v[1] - by, v[2] - by, v[3] - by, v[4] - by, by, v[0], v[1], v[2], v[3], v[4]);
    return from;
}

APART long double wide(long double x, unsigned char c)
{
    long double result = x * c;
    tell("wide(x=%.2Lf, c=%d) = %.1Lf", x, (int)c, result);
    return result;
}

APART int many(int a, int b, int c, int d, int e, int f, int g, short h, double x, long i)
{
    int result = a + b + c + d + e + f + g + h + (int)x + (int)i;
    tell("many(a=%d, b=%d, c=%d, d=%d, e=%d, f=%d, g=%d, h=%d, x=%.2f, i=%ld) = %d", a, b, c, d, e,
         f, g, (int)h, x, i, result);
    return result;
}

APART int variadic(int count, ...)
{
    int sum = 0;
    va_list rest;
    va_start(rest, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(rest, int);
    va_end(rest);
    tell("variadic(count=%d) = %d", count, sum);
    return sum;
}

APART std::string doubled(const std::string &text, bool twice)
{
    std::string result = twice ? text + text : text;
    tell("doubled(text=\"%s\", twice=%s) = \"%s\"", text.c_str(), twice ? "true" : "false",
         result.c_str());
    return result;
}

APART const char *found(const char *text, char c)
{
    const char *result = strchr(text, c);
    if (result != nullptr)
        tell("found(text=\"%s\", c=%d '%c') = \"%s\"", text, c, c, result);
    else
        tell("found(text=\"%s\", c=%d '%c') = NULL", text, c, c);
    return result;
}

/* Ends by a throw: it has no result. Called so that no compiler makes a loop of it. */
APART int thrower(int depth);
int (*volatile throwing)(int) = thrower;
APART int thrower(int depth)
{
    tell("thrower(depth=%d) = ?", depth);
    if (depth == 0)
        throw std::runtime_error("thrown");
    return throwing(depth - 1) + 1;
}

static jmp_buf landing;

APART int jumper(int depth);
int (*volatile jumping)(int) = jumper;
APART int jumper(int depth)
{
    tell("jumper(depth=%d) = ?", depth);
    if (depth == 0)
        longjmp(landing, 7);
    return jumping(depth - 1) + 1;
}

/* Its address is taken: no compiler changes it. */
static APART int compare(int left, int right)
{
    int result = (left > right) - (left < right);
    tell("compare(left=%d, right=%d) = %d", left, right, result);
    return result;
}
int (*volatile comparing)(int, int) = compare;

static void *thread(void *number)
{
    long own = (long)number;
    for (int i = 0; i < 50; i++) {
        half((double)own, 0.5F, "thread");
        many(1, 2, 3, 4, 5, 6, 7, (short)own, 1.25, i);
    }
    return nullptr;
}

int main()
{
    pthread_t threads[4];
    fib(8);
    half(3, 1.5F, "some text");
    swapped({2, 4.5}, -3);
    grown({{1, 2, 3, 4, 5}}, 9);
    wide(2.25L, 200);
    many(1, -2, 3, -4, 5, -6, 7, -8, 9.75, -10);
    variadic(3, 10, 20, 30);
    variadic(0);
    doubled("ab", true);
    doubled("a text that is longer than a string's own room", false);
    found("needle", 'd');
    found("needle", 'x');
    comparing(1, 2);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], nullptr, thread, (void *)i);
    for (pthread_t each : threads)
        pthread_join(each, nullptr);
    try {
        thrower(3);
    } catch (const std::runtime_error &) {
        puts("caught");
    }
    if (setjmp(landing) == 0)
        jumper(3);
    fib(3);
    return 0;
}
