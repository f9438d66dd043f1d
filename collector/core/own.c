/*
 * The shared library's private copies of C library functions: memcpy() and its relatives, and
 * system calls.
 *
 * A sanitizer intercepts the C library's functions and would blame the program for the collector's
 * accesses to its own memory: ThreadSanitizer found races in it, and crashed in a thread that was
 * about to end. A starting sanitizer does not have the real functions yet. And the C library's
 * system calls are cancellation points: a pthread_cancel() meant for the program must not act on
 * ours.
 */
#include "collector/core/base.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The compiler must not turn a copying loop into a call of memcpy(). */
#if defined(__clang__)
#define OWN __attribute__((visibility("hidden"), no_builtin))
#else
#define OWN __attribute__((visibility("hidden"), optimize("no-tree-loop-distribute-patterns")))
#endif

OWN void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *start = to;
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
#else
    unsigned char *out = to;
    for (const unsigned char *in = from; bytes > 0; bytes--)
        *out++ = *in++;
#endif
    return start;
}

OWN void *memset(void *to, int value, size_t bytes)
{
    void *start = to;
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
#else
    for (unsigned char *out = to; bytes > 0; bytes--)
        *out++ = (unsigned char)value;
#endif
    return start;
}

OWN void *memmove(void *to, const void *from, size_t bytes)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out <= in || out >= in + bytes)
        return memcpy(to, from, bytes);
    while (bytes-- > 0)
        out[bytes] = in[bytes];
    return to;
}

OWN int memcmp(const void *left, const void *right, size_t bytes)
{
    const unsigned char *one = left, *other = right;
    for (; bytes > 0; bytes--, one++, other++)
        if (*one != *other)
            return *one < *other ? -1 : 1;
    return 0;
}

/* ---- system calls ---- */

HIDDEN int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

HIDDEN int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

HIDDEN int close(int file)
{
    return (int)syscall(SYS_close, file);
}

HIDDEN ssize_t read(int file, void *to, size_t bytes)
{
    return syscall(SYS_read, file, to, bytes);
}

HIDDEN ssize_t pread(int file, void *to, size_t bytes, off_t offset)
{
    return syscall(SYS_pread64, file, to, bytes, offset);
}

HIDDEN ssize_t write(int file, const void *from, size_t bytes)
{
    return syscall(SYS_write, file, from, bytes);
}

HIDDEN ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
    return syscall(SYS_getrandom, to, bytes, flags);
}

HIDDEN int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                        const struct timespec *restrict timeout)
{
    return (int)syscall(SYS_rt_sigtimedwait, set, info, timeout, 8);
}
