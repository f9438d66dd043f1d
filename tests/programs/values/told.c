/* Calls whose arguments and results are of every class of the calling conventions. They print them as the view
 * call_text shows them: tests/e2e/values_aarch64.sh. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

struct pair {
    int a, b;
};
struct longs {
    long a, b;
};
struct doubles {
    double x, y;
};
struct floats {
    float x, y, z;
};
struct mixed {
    long a;
    double b;
};
struct node {
    const char *name;
    int codes[4];
    struct node *next;
    double weight;
};

static int numbers[8];

APART signed char narrow(signed char a, unsigned char b, short c, unsigned short d, char e, bool f)
{
    signed char result = (signed char)(a - 1);
    printf("narrow(a=%d, b=%u, c=%d, d=%u, e=%d '%c', f=%s) = %d\n", a, b, c, d, e, e,
           f ? "true" : "false", result);
    return result;
}

APART unsigned char narrow_unsigned(unsigned a)
{
    unsigned char result = (unsigned char)a;
    printf("narrow_unsigned(a=%u) = %u\n", a, result);
    return result;
}

APART short half(int a)
{
    short result = (short)-a;
    printf("half(a=%d) = %d\n", a, result);
    return result;
}

APART bool odd(long a)
{
    bool result = (a & 1) != 0;
    printf("odd(a=%ld) = %s\n", a, result ? "true" : "false");
    return result;
}

/* The last two are on the stack. */
APART unsigned long wide(int a, unsigned b, long c, unsigned long d, long long e, size_t f, int g,
                         unsigned h, int i, long j)
{
    unsigned long result = d + 1;
    printf("wide(a=%d, b=%u, c=%ld, d=%lu, e=%lld, f=%zu, g=%d, h=%u, i=%d, j=%ld) = %lu\n", a, b,
           c, d, e, f, g, h, i, j, result);
    return result;
}

APART long negative(long a, int b)
{
    long result = a * b;
    printf("negative(a=%ld, b=%d) = %ld\n", a, b, result);
    return result;
}

APART int sum(int a, int b) /* a leaf without a frame */
{
    return a + b;
}

APART double ratio(float a, double b)
{
    double result = b / 2;
    printf("ratio(a=%g, b=%g) = %g\n", (double)a, b, result);
    return result;
}

APART float single(float a, int b)
{
    float result = a * (float)b;
    printf("single(a=%g, b=%d) = %g\n", (double)a, b, (double)result);
    return result;
}

/* The last two are on the stack. */
APART double many(double a, double b, double c, double d, float e, double f, double g, double h,
                  double i, float j)
{
    double result = a + j;
    printf("many(a=%g, b=%g, c=%g, d=%g, e=%g, f=%g, g=%g, h=%g, i=%g, j=%g) = %g\n", a, b, c, d,
           (double)e, f, g, h, i, (double)j, result);
    return result;
}

APART double scaled(int a, double b, long c, float d) /* general and vector registers in turn */
{
    double result = a * b + (double)c * d;
    printf("scaled(a=%d, b=%g, c=%ld, d=%g) = %g\n", a, b, c, (double)d, result);
    return result;
}

APART const char *text(const char *a, const char *b, char *c)
{
    printf("text(a=\"%s\", b=NULL, c=\"%s\") = \"%s\"\n", a, c, c);
    return b == NULL ? c : a;
}

APART void *pointer(void *a, const long *b, const int *c)
{
    printf("pointer(a=%p, b=NULL, c=&numbers+8) = %p\n", a, a);
    return b == NULL ? a : (void *)c;
}

APART struct pair swapped(struct pair a)
{
    struct pair result = {a.b, a.a};
    printf("swapped(a={a = %d, b = %d}) = {a = %d, b = %d}\n", a.a, a.b, result.a, result.b);
    return result;
}

APART struct longs two_words(struct longs a, int b)
{
    struct longs result = {a.b, a.a + b};
    printf("two_words(a={a = %ld, b = %ld}, b=%d) = {a = %ld, b = %ld}\n", a.a, a.b, b, result.a,
           result.b);
    return result;
}

APART struct doubles two_doubles(struct doubles a, double b)
{
    struct doubles result = {a.y, a.x + b};
    printf("two_doubles(a={x = %g, y = %g}, b=%g) = {x = %g, y = %g}\n", a.x, a.y, b, result.x,
           result.y);
    return result;
}

APART struct floats three_floats(struct floats a)
{
    struct floats result = {a.z, a.y, a.x};
    printf("three_floats(a={x = %g, y = %g, z = %g}) = {x = %g, y = %g, z = %g}\n", (double)a.x,
           (double)a.y, (double)a.z, (double)result.x, (double)result.y, (double)result.z);
    return result;
}

APART struct mixed two_kinds(struct mixed a)
{
    struct mixed result = {a.a * 2, a.b * 2};
    printf("two_kinds(a={a = %ld, b = %g}) = {a = %ld, b = %g}\n", a.a, a.b, result.a, result.b);
    return result;
}

APART int expressions(struct node *node, int count)
{
    int result = node->codes[count - 1] + node->next->codes[0];
    printf("expressions(node=%p, count=%d, node->name=\"%s\", node->codes[count - 1]=%d, "
           "node->next->name=\"%s\", node->weight=%g, count * 3 - 1=%d) = %d\n",
           (void *)node, count, node->name, node->codes[count - 1], node->next->name, node->weight,
           count * 3 - 1, result);
    return result;
}

static void told(int i)
{
    struct node second = {"second", {-7 - i, 2, 3, 4}, NULL, 0.25};
    struct node first = {i == 0 ? "first" : "", {10, 20 + i, 30, -40}, &second, 1.5 + i};
    char buffer[8] = {'a', (char)('b' + i), 0};
    narrow((signed char)(-100 + i), (unsigned char)(200 + i), (short)(-30000 - i),
           (unsigned short)(60000 + i), (char)('x' + i), i == 0);
    narrow_unsigned(0xfffffff0u + (unsigned)i);
    half(12345 + i);
    odd(-3 + i);
    wide(-5 - i, 4000000000u, -6000000000, 18446744073709551614u - (unsigned)i, -1 - i, 3, -7,
         4000000001u, -9 - i, -10000000000 - i);
    negative(-1000000000000 - i, 3);
    printf("sum(a=%d, b=-7) = %d\n", i + 2, i - 5);
    sum(i + 2, -7);
    ratio(1.5f, -2.25 - i);
    single(0.5f, -3 - i);
    many(1, 2.5, -3, 4, 5.5f, 6, 7, 8 + i, -9 - i, 10.25f + (float)i);
    scaled(2, 1.5 + i, -3, 0.5f);
    text("one", NULL, buffer);
    pointer(&second, NULL, &numbers[2]);
    swapped((struct pair){1 + i, -2});
    two_words((struct longs){-1, 5000000000 + i}, 7);
    two_doubles((struct doubles){0.5, 1.5 + i}, 2);
    three_floats((struct floats){1, 2.5f, -3 - (float)i});
    two_kinds((struct mixed){-3 - i, 4.5});
    expressions(&first, 2 + 2 * i);
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        told(i);
    return 0;
}
