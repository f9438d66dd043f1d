/* Preloaded into fisql record: some of its writes to the log take long, as on a disk that pauses. A pause lasts until so many
 * chunks were taken out of the way: their slots are unmapped then. FISQL_TEST_PAUSES: how many pauses. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_BYTES 2000 /* a chunk of events, compressed or not */
#define BETWEEN 12
#define SLOT_BYTES (132 * 1024)
#define RELIEVED 12u
#define STEPS 1000 /* of 5 ms, at most */

static unsigned writes, relieved; /* atomic */

int munmap(void *at, size_t bytes)
{
    if (bytes == SLOT_BYTES)
        __atomic_add_fetch(&relieved, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_munmap, at, bytes);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    const char *pauses = getenv("FISQL_TEST_PAUSES");
    const struct timespec step = {0, 5000000};
    if (pauses != NULL && strcmp(program_invocation_short_name, "fisql") == 0 &&
        count > LONG_BYTES) {
        unsigned number = __atomic_add_fetch(&writes, 1, __ATOMIC_RELAXED);
        unsigned so_far = __atomic_load_n(&relieved, __ATOMIC_RELAXED);
        if (number % BETWEEN == 0 && number / BETWEEN <= (unsigned)atoi(pauses))
            for (int i = 0;
                 i < STEPS && __atomic_load_n(&relieved, __ATOMIC_RELAXED) - so_far < RELIEVED; i++)
                nanosleep(&step, NULL);
    }
    return syscall(SYS_write, file, bytes, count);
}
