/* Preloaded into fisql record: some of its writes to the log take long, as on a disk that pauses. FISQL_TEST_PAUSES:
 * how many. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_BYTES 2000 /* a chunk of events, compressed or not */
#define BETWEEN 12

ssize_t write(int file, const void *bytes, size_t count)
{
    static unsigned writes;
    const char *pauses = getenv("FISQL_TEST_PAUSES");
    const struct timespec pause = {0, 300000000};
    if (pauses != NULL && strcmp(program_invocation_short_name, "fisql") == 0 &&
        count > LONG_BYTES) {
        unsigned number = __atomic_add_fetch(&writes, 1, __ATOMIC_RELAXED);
        if (number % BETWEEN == 0 && number / BETWEEN <= (unsigned)atoi(pauses))
            nanosleep(&pause, NULL);
    }
    return syscall(SYS_write, file, bytes, count);
}
