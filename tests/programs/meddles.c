/*
 * A program that meddles with the file of its own live area, and ends with status 3. How comes as a word:
 *
 *   shrink   makes it empty
 *   seal     keeps everybody from writing to it from now on
 *   grow     makes it longer by a gigabyte
 *   none     leaves it alone
 *
 * It says "done" where that could be done, else "refused".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

__attribute__((noinline)) static int down(int n)
{
    return n > 0 ? down(n - 1) + 1 : 0;
}

QUIET static int meddle(int file, off_t size, const char *how)
{
    if (strcmp(how, "shrink") == 0)
        return ftruncate(file, 0);
    if (strcmp(how, "seal") == 0)
        return fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    if (strcmp(how, "grow") == 0)
        return ftruncate(file, size + ((off_t)1 << 30));
    return 0;
}

QUIET int main(int argc, char **argv)
{
    struct stat status;
    const char *path = getenv("FISQL_LIVE");
    int file = path != NULL ? open(path, O_RDWR) : -1;
    down(1000);
    if (file < 0 || fstat(file, &status) != 0)
        return 2;
    printf("%s\n",
           meddle(file, status.st_size, argc > 1 ? argv[1] : "none") == 0 ? "done" : "refused");
    fflush(stdout);
    usleep(400000); /* fisql record looks at the area meanwhile */
    _exit(3);
}
