/* Standard descriptors that are closed stay closed, whatever the collector opens: what the program
 * writes there must not come anywhere. Prints nothing; ends with 8 if a write to a closed
 * descriptor went through, else with a bit for each of the descriptors 0 to 2 that is open at the
 * end.
 *
 * - plain: calls work() 200,000 times beside a thread that writes
 * - close: the same, having closed all descriptors
 * - again: the same, closing all descriptors again and again
 * - background: leaves a child behind that calls work() 100 times, as the program does before it
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static volatile int sink, stop, through;
__attribute__((noinline)) static void work(int i)
{
    sink = i ^ 3;
}

static int open_bits(void)
{
    int bits = 0;
    for (int i = 0; i < 3; i++)
        bits |= fcntl(i, F_GETFD) >= 0 ? 1 << i : 0;
    return bits;
}

__attribute__((no_instrument_function)) static void *writer(void *closed)
{
    while (!stop)
        for (int i = 0; i < 3; i++)
            if ((*(int *)closed >> i & 1) && write(i, "xxxxxxxx", 8) > 0)
                through = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    if (strcmp(how, "background") == 0) {
        for (int i = 0; i < 100; i++)
            work(i);
        if (fork() == 0) {
            usleep(400000);
            for (int i = 0; i < 100; i++)
                work(i);
            _exit(0);
        }
        return open_bits();
    }
    if (strcmp(how, "plain") != 0)
        close_range(0, ~0u, 0);
    int closed = 7 & ~open_bits();
    pthread_t thread;
    pthread_create(&thread, NULL, writer, &closed);
    for (int i = 0; i < 200000; i++) {
        work(i);
        if (i % 10000 == 0 && strcmp(how, "again") == 0)
            close_range(3, ~0u, 0);
    }
    stop = 1;
    pthread_join(thread, NULL);
    return through ? 8 : open_bits();
}
