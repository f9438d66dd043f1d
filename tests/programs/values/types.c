/* Calls with arguments and results of every type of C, each known from the source: tests/e2e/recipes.sh. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define APART __attribute__((noinline))

enum colour { RED, GREEN = 5, BLUE = -2 };
enum mode { READ = 1, WRITE = 2, APPEND = 4, SYNC = 8 };
struct pair {
    int a, b;
};
struct doubles {
    double x, y;
};
struct mixed {
    long a;
    double b;
};
struct floats {
    float x, y, z;
};
struct bits {
    unsigned low : 3, high : 7;
    int rest : 6;
};
struct big {
    int v[10];
};
struct huge {
    char bytes[100];
};
struct tag {
    char name[8];
    int n;
};
struct marks {
    char letter;
    bool set;
    enum mode mode;
};
union either {
    int number;
    float fraction;
};
typedef unsigned char byte;
typedef int (*action)(int);

volatile long sink;
static volatile double fraction;
int numbers[3];
static struct pair pairs[2];

APART signed char small(signed char a, byte b, short c, unsigned short d, char e, bool f)
{
    sink = a + b + c + d + e + f;
    return a;
}

APART unsigned long large(int a, unsigned b, long c, unsigned long d, long long e, size_t f, int g,
                          int h)
{
    sink = a + (long)b + c + (long)d + e + (long)f + g + h;
    return d;
}

APART double floating(float a, double b, long double c)
{
    fraction = (double)(a + b + c);
    return b * 2;
}

APART float single(float a)
{
    return a / 2;
}

APART long double extended(long double a)
{
    return a * 2;
}

APART double _Complex complexes(double _Complex a, float _Complex b)
{
    return a + b;
}

APART __int128 wide(__int128 a)
{
    return a + 1;
}

APART enum colour enums(enum colour a, enum mode b)
{
    sink = b;
    return a;
}

APART const char *texts(const char *a, char b[], const char *c)
{
    sink = a[0] + b[0] + (c != NULL);
    return b;
}

APART void *pointers(void *a, const byte *b, action c, const struct pair *d)
{
    sink = (b != NULL) + c(1) + d->a;
    return a;
}

APART struct pair by_value(struct pair a, struct doubles b, struct mixed c, union either d)
{
    fraction = b.x + b.y + c.b;
    sink = c.a + d.number;
    return (struct pair){a.b, a.a};
}

APART struct doubles two_doubles(struct doubles a)
{
    return (struct doubles){a.y, a.x};
}

APART struct mixed two_kinds(struct mixed a)
{
    return (struct mixed){a.a + 1, a.b + 1};
}

APART struct floats three_floats(struct floats a, struct bits b)
{
    sink = b.low + b.high;
    return (struct floats){a.z, a.y, a.x};
}

APART struct big in_memory(struct big a)
{
    a.v[9] = a.v[0] + 7;
    return a;
}

APART struct huge too_large(struct huge a)
{
    a.bytes[1] = 'x';
    return a;
}

APART struct tag tagged(struct tag a, struct marks b)
{
    sink = a.name[0] + a.n + b.letter + b.set + (long)b.mode;
    return a;
}

APART int partly(struct marks a) /* at -O1 gcc stores a.mode alone */
{
    return (int)a.mode;
}

APART const void *named(const int *a, const struct pair *b, void (*c)(int))
{
    sink = a[0] + b->a + (c != NULL);
    return b;
}

APART void nothing(void)
{
    sink++;
}

APART int variadic(const char *format, ...)
{
    return format[0];
}

static inline int folded(int a, const char *b)
{
    sink = a;
    return b[a];
}

static inline double halved(double a)
{
    fraction = a;
    return a / 2;
}

static APART int constant(int a, int always)
{
    sink = a * always;
    return a + always;
}

APART int one(int a)
{
    return a + 1;
}

APART int recursive(int n)
{
    return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

int main(int count, char **words)
{
    struct pair pair = {1, -2};
    struct big big = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    struct huge huge = {"h"};
    char text[] = "a longer text, of more than sixty-four bytes, which is cut where it is shown";
    sink = words != NULL;
    sink += small(-1, 200, -300, 60000, 'x', true);
    sink += (long)large(-5, 4000000000u, -6000000000, 18446744073709551615u, -1, 3, 7, 8);
    fraction += floating(1.5f, -2.25, 3.125L);
    fraction += single(0.5f);
    fraction += (double)extended(1.25L);
    fraction += creal(complexes(1.0 + 2.0 * I, 3.0f));
    sink += (long)wide(41);
    sink += enums(BLUE, WRITE | SYNC);
    sink += texts("one", text, NULL)[0];
    sink += (long)pointers(NULL, NULL, one, &pair);
    sink += by_value(pair, (struct doubles){0.5, 1.5}, (struct mixed){3, 4.5},
                     (union either){.number = count})
                .a;
    fraction += two_doubles((struct doubles){0.5, 1.5}).x;
    fraction += two_kinds((struct mixed){3, 4.5}).b;
    fraction += (double)three_floats((struct floats){1, 2, 3}, (struct bits){5, 100, -3}).x;
    sink += in_memory(big).v[9];
    sink += too_large(huge).bytes[1];
    sink += tagged((struct tag){"a\"\\\n", 3}, (struct marks){'x', true, READ | SYNC}).n;
    sink += partly((struct marks){'x', true, WRITE});
    sink += (long)named(numbers, &pairs[1], (void (*)(int))nothing);
    nothing();
    sink += variadic("%d %s", count, "x");
    for (int i = 0; i < 2; i++) {
        sink += folded(i + count - 1, "xyz");
        fraction += halved(i + count + 0.5);
        sink += constant(i, 9);
    }
    sink += recursive(4);
    printf("%ld\n", sink != 0);
    return 3;
}
