// Operators new that call a new-handler, which allocates, frees, throws, jumps or raises a signal:
// what each function allocates is told in tests/e2e/memory.sh. Memory is made short by RLIMIT_AS.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/resource.h>

static const size_t large = 300u << 20, larger = large + 4096;
static void *volatile kept;
static jmp_buf back;

static void limit(bool on)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == nullptr || fscanf(file, "%ld", &pages) != 1)
        abort();
    fclose(file);
    struct rlimit now;
    getrlimit(RLIMIT_AS, &now);
    now.rlim_cur = on ? (rlim_t)pages * 4096 + (large >> 1) : now.rlim_max;
    setrlimit(RLIMIT_AS, &now);
}
static void use(void *block)
{
    if (block == nullptr)
        abort();
    kept = block;
    *(volatile char *)block = 1;
}

struct wide {
    alignas(64) char bytes[large];
};

extern "C" {
// ---- handlers
void allocates()
{
    limit(false);
    void *mine = malloc(larger); // as large as what is wanted, and no result of new
    use(mine);
    free(mine);
    use(mine = malloc(20));
    free(mine);
}
__attribute__((no_instrument_function)) void allocates_plain()
{
    limit(false);
    void *mine = malloc(larger);
    use(mine);
    free(mine);
    use(mine = malloc(20));
    free(mine);
}
void uses_new()
{
    limit(false);
    long *few = new long(3);
    use(few);
    delete few;
    char *many = new char[larger];
    use(many);
    delete[] many;
}
void throws()
{
    limit(false);
    throw std::bad_alloc();
}
void jumps()
{
    limit(false);
    longjmp(back, 1);
}
void on_signal(int)
{
    void *block = malloc(30);
    use(block);
    free(block);
}
void signals()
{
    limit(false);
    raise(SIGUSR1);
}

// ---- operators: each allocates one block of `large` by new, unless it is told to fail
void get(void (*handler)(), bool array)
{
    std::set_new_handler(handler);
    limit(true);
    if (array) {
        char *block = new char[large];
        use(block);
        delete[] block;
    } else {
        wide *block = new wide;
        use(block);
        delete block;
    }
}
void fail_by_throw()
{
    std::set_new_handler(throws);
    limit(true);
    try {
        use(new char[large]);
    } catch (const std::bad_alloc &) {
    }
    void *block = malloc(100); // malloc's, whatever was wanted before
    use(block);
    free(block);
}
void fail_nothrow()
{
    std::set_new_handler(throws);
    limit(true);
    kept = new (std::nothrow) char[large];
    if (kept != nullptr)
        abort();
    void *block = malloc(101);
    use(block);
    free(block);
}
void fail_by_jump()
{
    std::set_new_handler(jumps);
    limit(true);
    if (setjmp(back) == 0)
        use(new char[large]);
    void *block = malloc(larger);
    use(block);
    free(block);
    use(block = malloc(102));
    free(block);
}
void fail_without_handler()
{
    std::set_new_handler(nullptr);
    limit(true);
    try {
        use(new char[large]);
    } catch (const std::bad_alloc &) {
        limit(false);
    }
    void *block = malloc(103);
    use(block);
    free(block);
}
}

int main()
{
    signal(SIGUSR1, on_signal);
    void (*const handlers[])() = {allocates, allocates_plain, uses_new, signals};
    for (void (*handler)() : handlers)
        for (int array = 0; array < 2; array++)
            get(handler, array != 0);
    fail_by_throw();
    fail_nothrow();
    fail_by_jump();
    fail_without_handler();
    std::set_new_handler(nullptr);
    int *last = new int(4);
    use(last);
    delete last;
    puts("ok");
    return 0;
}
