// Operator new of its own that takes from malloc, and no delete: that is the C++ library's. One block is
// freed by the wrong family all the same.
#include <cstddef>
#include <cstdlib>

static void *volatile sink;

__attribute__((noinline)) void *operator new(size_t size)
{
    void *block = malloc(size);
    sink = block;
    return block;
}
extern "C" __attribute__((noinline)) void right()
{
    for (int i = 0; i < 5; i++) {
        long *block = new long;
        sink = block;
        delete block;
    }
}
extern "C" __attribute__((noinline)) void wrong()
{
    long *block = (long *)malloc(24);
    sink = block;
    delete block;
}
int main()
{
    right();
    wrong();
    return 0;
}
