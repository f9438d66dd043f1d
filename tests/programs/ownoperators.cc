// A library with operators new and delete of its own: each block has a header before it, books are
// kept in blocks of the same size, small blocks come from a pool. With -DUSER the program that uses
// it; what is allocated is told in tests/e2e/memory.sh.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#ifdef USER
static void *volatile sink;
extern "C" {
void small()
{
    for (int i = 0; i < 3; i++) {
        char *block = new char;
        sink = block;
        delete block;
    }
}
void plain()
{
    long *block = new long[8];
    sink = block;
    delete[] block;
}
void headed()
{
    struct wide {
        char bytes[1000];
    };
    wide *block = new wide;
    sink = block;
    delete block;
}
}
int main()
{
    small();
    plain();
    headed();
    void *volatile after = malloc(64);
    free(after);
    puts("ok");
    return 0;
}
#else
static char pool[64];
static size_t pool_used;
extern "C" {
void *book(size_t size)
{
    return malloc(size);
}
}
void *operator new(size_t size)
{
    if (size == 1)
        return pool + pool_used++;
    void *entry = book(size);
    char *block = (char *)malloc(size + 16);
    *(void **)block = entry;
    return block + 16;
}
void *operator new[](size_t size)
{
    free(book(size));
    return malloc(size);
}
void operator delete(void *block) noexcept
{
    if ((char *)block >= pool && (char *)block < pool + sizeof pool)
        return;
    free(*(void **)((char *)block - 16));
    free((char *)block - 16);
}
void operator delete(void *block, size_t) noexcept
{
    operator delete(block);
}
void operator delete[](void *block) noexcept
{
    free(book(8));
    free(block);
}
#endif
