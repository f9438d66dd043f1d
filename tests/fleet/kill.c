/* A library that kills the process, or the one that KILL_PID names, before its Nth system call that writes (KILL_AT), or
 * tells how many there are (the file KILL_COUNT). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static long at, count;

static void step(void)
{
    if (at == 0)
        at = atol(getenv("KILL_AT"));
    if (++count == at)
        kill(getenv("KILL_PID") != NULL ? (pid_t)atol(getenv("KILL_PID")) : getpid(), SIGKILL);
}

__attribute__((destructor)) static void say(void)
{
    FILE *out = getenv("KILL_COUNT") != NULL ? fopen(getenv("KILL_COUNT"), "w") : NULL;
    if (out != NULL) {
        fprintf(out, "%ld\n", count);
        fclose(out);
    }
}

#define NEXT(type, name, parameters, arguments)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        if (next == NULL)                                                                          \
            next = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
        step();                                                                                    \
        return next arguments;                                                                     \
    }
NEXT(ssize_t, pwrite64, (int f, const void *b, size_t n, off_t o), (f, b, n, o))
NEXT(ssize_t, pwrite, (int f, const void *b, size_t n, off_t o), (f, b, n, o))
NEXT(ssize_t, send, (int f, const void *b, size_t n, int flags), (f, b, n, flags))
NEXT(int, fsync, (int f), (f))
NEXT(int, fdatasync, (int f), (f))
NEXT(int, unlink, (const char *p), (p))
NEXT(int, ftruncate64, (int f, off_t n), (f, n))
