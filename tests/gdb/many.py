"""Prints a C program with functions of 1 to 40 parameters of all kinds, in registers and in memory, each called with
values of its own: tests/e2e/values_gdb.sh."""

TYPES = ["int", "double", "signed char", "long", "float", "short", "const char *", "struct pair", "long double", "_Bool",
         "struct big", "unsigned char", "unsigned long", "enum colour", "float _Complex", "struct bits", "__int128", "void *",
         "union either", "struct mixed", "double _Complex", "struct nested"]
HEAD = """#include <stdarg.h>
#define APART __attribute__((noinline))
enum colour { RED = -1, GREEN = 5 };
struct pair { int a; float b; };
struct big { long v[6]; };
struct bits { unsigned low : 3, high : 17; int rest : 6; unsigned char tail; };
union either { int number; float fraction; };
struct mixed { double b; short s; };
struct nested { struct pair p; union either e[2]; char text[6]; };
volatile long sink;
volatile double fraction;
"""


def value(kind, n):
    n = n * 7 % 100 + 1
    return {"struct pair": "(struct pair){-%d, %d.5f}" % (n, n), "struct big": "(struct big){{%d, 2, -3, 4, 5, -%d}}" % (n, n),
            "struct bits": "(struct bits){%d, %d, -%d, %d}" % (n % 8, n * 1000, n % 32, n), "const char *": '"text %d"' % n,
            "union either": "(union either){.number = %d}" % n, "struct mixed": "(struct mixed){%d.25, -%d}" % (n, n),
            "struct nested": '(struct nested){{%d, 0.5f}, {{1}, {%d}}, "t%d"}' % (n, n, n), "void *": "(void *)(&sink + %d)" % (n % 3),
            "double _Complex": "%d.5 + 2.0i" % n, "float _Complex": "%d.5f - 1.0if" % n, "_Bool": str(n % 2),
            "enum colour": "GREEN" if n % 2 else "RED", "long double": "%d.125L" % n, "double": "-%d.75" % n,
            "float": "%d.5f" % n, "unsigned long": "18446744073709551%03dul" % n, "long": "-9000000000%dl" % n,
            "__int128": "((__int128)-%d << 70)" % n}.get(kind, str(n - 50 if kind != "unsigned char" else n + 100))


def use(kind, name):
    """A statement that reads it."""
    members = {"struct pair": "a", "struct big": "v[5]", "struct bits": "rest", "union either": "number", "struct mixed": "s",
               "struct nested": "p.a"}
    if kind in members:
        return "sink += %s.%s;" % (name, members[kind])
    if "_Complex" in kind:
        return "fraction += (double)__real__ %s + (double)__imag__ %s;" % (name, name)
    if kind in ("float", "double", "long double"):
        return "fraction += (double)%s;" % name
    return "sink += (long)%s;" % name


def main():
    print(HEAD)
    calls = []
    for count in range(1, 41):
        kinds = [TYPES[(count * 5 + i * (1 + count % 3)) % len(TYPES)] for i in range(count)]
        result = kinds[-1]
        parameters = ", ".join("%s p%d" % (kind, i + 1) for i, kind in enumerate(kinds))
        print("APART %s take%d(%s)\n{\n    %s\n    return p%d;\n}" % (
            result, count, parameters, "\n    ".join(use(kind, "p%d" % (i + 1)) for i, kind in enumerate(kinds)), count))
        print("static inline %s in%d(%s)\n{\n    %s\n    return p1;\n}" % (
            kinds[0], count, parameters, "\n    ".join(use(kind, "p%d" % (i + 1)) for i, kind in enumerate(kinds))))
        for name in ("take", "in"):
            calls.append("%s%d(%s);" % (name, count, ", ".join(value(kind, count + i) for i, kind in enumerate(kinds))))
    print("""APART int variadic(int count, const char *format, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, format);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    va_end(list);
    return sum + format[0];
}""")
    print("int main(int argc, char **argv)\n{\n    (void)argv;\n    %s" % "\n    ".join(calls))
    print('    sink += variadic(3, "x", 1, 2, 3) + variadic(0, "") + variadic(argc, "y", 7);\n    return 0;\n}')


main()
