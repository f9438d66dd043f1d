// C++ exceptions through instrumented frames: caught near and far, rethrown, with destructors, and
// every form of new and delete.
#include "count.h"
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>
COUNTED_NAMES;

struct Guard {
    int id;
    explicit Guard(int i) : id(i)
    {
        COUNT();
    }
    ~Guard()
    {
        COUNT();
    }
};
static int thrower(int n)
{
    COUNT();
    Guard guard(n);
    if (n == 0)
        throw std::runtime_error("bottom");
    return thrower(n - 1) + 1;
}
static int catcher(int n)
{
    COUNT();
    try {
        return thrower(n);
    } catch (const std::exception &) {
        return -1;
    }
}
static int rethrower(int n)
{
    COUNT();
    try {
        return thrower(n);
    } catch (...) {
        Guard guard(n);
        throw;
    }
}
static int nested(int n)
{
    COUNT();
    if (n == 0) {
        try {
            return rethrower(4);
        } catch (const std::runtime_error &) {
            return catcher(2);
        }
    }
    return nested(n - 1);
}
static void leaf()
{
    COUNT();
}
struct alignas(64) Wide {
    char bytes[64];
};
static void news()
{
    COUNT();
    delete new int(1);
    delete[] new int[10];
    delete new (std::nothrow) int(2);
    delete[] new (std::nothrow) int[3];
    delete new Wide;
    delete[] new Wide[2];
    std::vector<int> v;
    for (int i = 0; i < 100; i++)
        v.push_back(i);
    try {
        volatile size_t huge = static_cast<size_t>(-1) / 4;
        char *volatile p = new char[huge];
        delete[] p;
    } catch (const std::bad_alloc &) {
        leaf();
    }
}
int main()
{
    COUNT();
    for (int i = 0; i < 200; i++) {
        catcher(10);
        leaf();
        nested(3);
        leaf();
        news();
    }
    report();
    return 0;
}
