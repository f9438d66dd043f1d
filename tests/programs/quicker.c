/* A search through COUNT things, and ten functions that are the same in each build: for comparing
 * runs. */
#ifndef COUNT
#define COUNT 300
#endif
static volatile int sink;

__attribute__((noinline)) static void one(int n)
{
    for (int i = 0; i < 20; i++)
        sink += n;
}

__attribute__((noinline)) static void search(void)
{
    for (int i = 0; i < COUNT; i++)
        one(i);
}

#define ALIKE(n)                                                                                   \
    __attribute__((noinline)) static void alike##n(void)                                           \
    {                                                                                              \
        for (int i = 0; i < 2000 + n * 100; i++)                                                   \
            sink += i;                                                                             \
    }
ALIKE(0)
ALIKE(1)
ALIKE(2)
ALIKE(3)
ALIKE(4)
ALIKE(5)
ALIKE(6)
ALIKE(7)
ALIKE(8)
ALIKE(9)

int main(void)
{
    static void (*const alike[])(void) = {alike0, alike1, alike2, alike3, alike4,
                                          alike5, alike6, alike7, alike8, alike9};
    for (int i = 0; i < 300; i++) {
        search();
        for (int k = 0; k < 10; k++)
            alike[k]();
    }
    return 0;
}
