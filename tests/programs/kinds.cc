// Every way to get and give back memory: each form of new and delete, and of the C library. What is
// asked for is told in tests/e2e/faithful.sh.
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <unistd.h>

struct alignas(64) wide {
    char bytes[128];
};
struct small {
    ~small()
    {
    } // so that new[] stores a count, and delete[] is not sized away
    long value;
};
static void *volatile sink;

static void use(void *block)
{
    sink = block;
    memset(sink, 1, 1);
}

extern "C" {
void cxx()
{
    int *one = new int(1);
    use(one);
    delete one;
    one = new (std::nothrow) int(2);
    use(one);
    operator delete(one, std::nothrow);
    char *many = new char[10];
    use(many);
    delete[] many;
    small *objects = new small[3];
    use(objects);
    delete[] objects;
    wide *aligned = new wide;
    use(aligned);
    delete aligned;
    aligned = new wide[2];
    use(aligned);
    delete[] aligned;
    void *raw = operator new(20);
    use(raw);
    operator delete(raw, std::size_t(20));
}
void c()
{
    use(sink = malloc(11));
    free(sink);
    use(sink = calloc(3, 7));
    free(sink);
    sink = realloc(nullptr, 13);
    use(sink);
    sink = realloc(sink, 4000);
    free(sink);
    sink = reallocarray(nullptr, 5, 6);
    use(sink);
    free(sink);
    sink = strdup("twelve chars");
    free(sink);
    use(sink = memalign(64, 17));
    free(sink);
    use(sink = aligned_alloc(32, 64));
    free(sink);
    void *block = nullptr;
    if (posix_memalign(&block, 128, 19) == 0)
        free(block);
    use(sink = valloc(23));
    free(sink);
    use(sink = pvalloc(29));
    free(sink);
    sink = malloc(0);
    free(sink);
    free(nullptr);
}
}
int main()
{
    cxx();
    c();
    return 0;
}
