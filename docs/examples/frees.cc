// Three frees that are wrong, each in a process of its own, as the C library ends two of them.
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace till
{

static char *note;

static void take_note()
{
    note = static_cast<char *>(malloc(64));
    note[0] = '\0';
}

static void drop_note()
{
    free(note); // the second time it is freed again
}

static void close_twice()
{
    take_note();
    drop_note();
    drop_note();
}

static void skip_and_close()
{
    take_note();
    note += 16; // past its head
    drop_note();
}

static void sum_prices()
{
    int *prices = new int[20]();
    volatile int sum = prices[0];
    (void)sum;
    free(prices); // of new[]
}

} // namespace till

int main()
{
    void (*const days[])() = {till::close_twice, till::skip_and_close, till::sum_prices};
    for (void (*day)() : days) {
        if (fork() == 0) {
            day();
            _exit(0);
        }
        wait(nullptr);
    }
    return 0;
}
