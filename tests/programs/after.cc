// Functions that are made to fail after their bodies have run: what each body does is said, and what its caller gets.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>
#define APART __attribute__((noinline))
struct guard {
    const char *name;
    explicit guard(const char *n) : name(n)
    {
    }
    ~guard()
    {
        std::printf("~%s ", name);
    }
};
static int calls;
static volatile int zero;
APART static int number(int n)
{
    guard g("number");
    calls++;
    if (calls < 0)
        throw 0;
    return n * 2;
}
APART static double real(double x)
{
    calls++;
    return x / 2;
}
APART static void nothing(int *to)
{
    guard g("nothing");
    calls++;
    if (calls < 0)
        throw 0;
    *to = 5;
}
APART static const char *word(int n)
{
    calls++;
    return n ? "word" : "other";
}
APART static int deep(int n)
{
    return n == 0 ? 1 : deep(n - 1) + 1;
}
APART static int thrower(int n)
{
    guard g("thrower");
    if (n > 1)
        throw std::runtime_error("own");
    return n + zero;
}
APART static int tail(int n)
{
    return number(n + 1);
}
APART static void passes(int n)
{
    guard g("passes");
    if (n)
        throw 7;
}
APART static long mix(long a, long b, long c, long d)
{
    long x = a * 3, y = b * 5, z = c * 7, w = d * 11;
    long got = number(1);
    return x + y + z + w + got;
}
int main()
{
    for (int i = 1; i <= 3; i++) {
        try {
            int n = number(i);
            std::printf("number %d errno %d\n", n, errno);
        } catch (const std::exception &e) {
            std::printf("number threw %s\n", e.what());
        }
        errno = 0;
    }
    std::printf("real %g\n", real(3));
    int n = 0;
    try {
        nothing(&n);
        std::printf("nothing %d errno %d\n", n, errno);
    } catch (int x) {
        std::printf("nothing threw %d, %d\n", x, n);
    }
    errno = 0;
    const char *w = word(1);
    std::printf("word %s\n", w ? w : "NULL");
    std::printf("deep %d\n", deep(3));
    for (int i = 1; i <= 3; i++)
        try {
            std::printf("thrower %d\n", thrower(i));
        } catch (const std::exception &e) {
            std::printf("thrower: %s\n", e.what());
        }
    std::printf("tail %d\n", tail(1));
    for (int i = 0; i < 2; i++)
        try {
            passes(i);
            std::printf("passes errno %d\n", errno);
        } catch (int x) {
            std::printf("passes threw %d\n", x);
        }
    std::printf("mix %ld\n", mix(1, 2, 3, 4));
    int fd = open("after.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    errno = 0;
    ssize_t got = write(fd, "12345", 5);
    int e = errno;
    std::printf("write %zd errno %d, at %ld\n", got, e, (long)lseek(fd, 0, SEEK_CUR));
    errno = 0;
    got = close(fd);
    e = errno;
    std::printf("close %zd errno %d, then %d\n", got, e, close(fd));
    unlink("after.txt");
    std::printf("calls %d\n", calls);
}
