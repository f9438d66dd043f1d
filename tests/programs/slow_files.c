/*
 * A library for LD_PRELOAD: opening a file whose absolute path ends in $SLOW_FILE takes until the file
 * $SLOW_UNTIL holds something, at most until the second $SLOW_END of the clock. With O_NONBLOCK it does not wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void take_long(const char *path)
{
    const char *name = getenv("SLOW_FILE"), *until = getenv("SLOW_UNTIL");
    const char *end = getenv("SLOW_END");
    struct stat status;
    if (path[0] != '/' || name == NULL || until == NULL || end == NULL ||
        strlen(path) < strlen(name) || strcmp(path + strlen(path) - strlen(name), name) != 0)
        return;
    while (time(NULL) < atol(end) && (stat(until, &status) != 0 || status.st_size == 0))
        usleep(10000);
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t); /* of use with O_CREAT alone */
    va_end(arguments);
    if ((flags & O_NONBLOCK) == 0)
        take_long(path);
    return next(path, flags, mode);
}
