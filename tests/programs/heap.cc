// Something to find for each query about memory, with cases that must not be found beside it. What
// is planted is told in tests/queries/planted_memory.sh. Wrong frees go through volatile pointers,
// so that neither compiler sees them.
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

static void *(*volatile allocate)(size_t) = malloc;
static void *(*volatile reallocate)(void *, size_t) = realloc;
static void (*volatile release)(void *) = free;
static void *kept[400];
static volatile int times = 30; // volatile: unrolled, a loop would call at several places

extern "C" {
void *one_size()
{
    return allocate(48);
}
void *many_sizes(int n)
{
    return allocate(size_t(n) + 1);
}
void drop(void *block)
{
    release(block);
}
void temporary()
{
    release(allocate(20));
}
// 150 blocks of one size live at once, freed one by one by drop: the owner is arena()
void arena()
{
    for (int i = 0; i < 150; i++)
        kept[i] = one_size();
    for (int i = 0; i < 150; i++)
        drop(kept[i]);
}
void sizes()
{
    for (int i = 0; i < 120; i++)
        kept[i] = many_sizes(i);
    for (int i = 0; i < 120; i++)
        drop(kept[i]);
}
void grow()
{
    void *block = allocate(8);
    for (int i = 1; i <= 6; i++)
        block = reallocate(block, size_t(8) << i);
    release(block);
}
void leak_some(int n)
{
    void *block = allocate(1000);
    if (n % 3 == 0)
        kept[200 + n] = block;
    else
        release(block);
}
void peak()
{
    void *block = allocate(5000000);
    memset(block, 1, 5000000);
    release(block);
}
void *consumer(void *block)
{
    drop(block);
    return nullptr;
}
void producer()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, consumer, allocate(77));
    pthread_join(thread, nullptr);
}
void mismatched()
{
    char *volatile block = new char[30];
    release(block);
}
int main(int argc, char **)
{
    arena();
    sizes();
    for (int i = 0; i < times; i++)
        temporary();
    grow();
    for (int i = 0; i < 9; i++)
        leak_some(i);
    peak();
    producer();
    mismatched();
    (void)argc;
    return 0;
}
}
