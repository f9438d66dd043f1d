/*
 * libfisql-calls.so stands in front of calls of the C library (formats/fault_calls.h) if rules name
 * some. It asks the collector, libfisql-faults.so, whether a call fails. What glibc calls within
 * itself does not come here.
 *
 * Each function passes on its arguments. dlsym() may allocate, and the collector could not tell
 * that from the program's allocations: so we look up all the next functions when the library is
 * loaded.
 */
#include "formats/fault_calls.h"

#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern int fisql_fault_call(uint32_t call, const uint64_t *arguments, uint32_t count,
                            const void *site, const void *stack, int64_t *result)
    __attribute__((weak));
extern bool fisql_fault_after(int64_t rule, const void *site, const void *stack, int64_t *result)
    __attribute__((weak));

/* The C library's functions. */
#define NEXT(name) next_##name
#define FIND(name)                                                                                 \
    static __attribute__((constructor(101))) void find_##name(void)                                \
    {                                                                                              \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&NEXT(name), &found, sizeof found);                                                 \
    }

#define WORD(value) ((uint64_t)(value))
#define POINTER(value) ((uint64_t)(uintptr_t)(value))

/* An enum fisql_fault_answer; sets `result`. */
#define ASK(call, result, ...)                                                                     \
    (fisql_fault_call == NULL                                                                      \
         ? FISQL_FAULT_NONE                                                                        \
         : fisql_fault_call(FAULT_CALL_##call, (const uint64_t[]){__VA_ARGS__},                    \
                            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),            \
                            __builtin_return_address(0), __builtin_dwarf_cfa(), &result))
/* After the call: does it fail now? */
#define FAILS_AFTER(answer, result)                                                                \
    ((answer) == FISQL_FAULT_AFTER && fisql_fault_after != NULL &&                                 \
     fisql_fault_after(result, __builtin_return_address(0), __builtin_dwarf_cfa(), &result))

/* Makes the call, unless it fails. `on_failure` is done where it fails. */
#define MAKE(type, name, arguments, answer, result, on_failure)                                    \
    do {                                                                                           \
        if ((answer) == FISQL_FAULT_FAILS) {                                                       \
            on_failure;                                                                            \
            return (type)result;                                                                   \
        }                                                                                          \
        if (NEXT(name) == NULL)                                                                    \
            find_##name();                                                                         \
        type made = NEXT(name) arguments;                                                          \
        if (__builtin_expect(!FAILS_AFTER(answer, result), 1))                                     \
            return made;                                                                           \
        on_failure;                                                                                \
        return (type)result;                                                                       \
    } while (0)
#define NOTHING (void)0

/* A function `name` of the C library that counts as `call`. */
#define CALL(type, call, name, parameters, arguments, ...)                                         \
    static type(*NEXT(name)) parameters;                                                           \
    FIND(name)                                                                                     \
    EXPORT type name parameters;                                                                   \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        int64_t result;                                                                            \
        int answer = ASK(call, result, __VA_ARGS__);                                               \
        MAKE(type, name, arguments, answer, result, NOTHING);                                      \
    }

/* A function that sets the stream's error indicator if the result says that it failed. */
#define STREAM(type, call, name, parameters, arguments, failed, stream, ...)                       \
    static type(*NEXT(name)) parameters;                                                           \
    FIND(name)                                                                                     \
    EXPORT type name parameters;                                                                   \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        int64_t result;                                                                            \
        int answer = ASK(call, result, __VA_ARGS__);                                               \
        MAKE(type, name, arguments, answer, result, if (failed) set_error(stream));                \
    }

static void set_error(FILE *stream)
{
#if defined(__GLIBC__)
    if (stream != NULL)
        stream->_flags |= _IO_ERR_SEEN;
#else
    (void)stream; /* only the library itself knows how */
#endif
}

/* ---- files ---- */

/* Callers pass the mode only with these flags. */
#define OPEN_MODE(mode, flags)                                                                     \
    mode_t mode = 0;                                                                               \
    if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {                                                \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

#define OPEN(name)                                                                                 \
    static int (*NEXT(name))(const char *, int, ...);                                              \
    FIND(name)                                                                                     \
    EXPORT int name(const char *path, int flags, ...);                                             \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        int64_t result;                                                                            \
        OPEN_MODE(mode, flags)                                                                     \
        int answer = ASK(open, result, POINTER(path), WORD(flags), mode);                          \
        MAKE(int, name, (path, flags, mode), answer, result, NOTHING);                             \
    }
#define OPENAT(name)                                                                               \
    static int (*NEXT(name))(int, const char *, int, ...);                                         \
    FIND(name)                                                                                     \
    EXPORT int name(int folder, const char *path, int flags, ...);                                 \
    EXPORT int name(int folder, const char *path, int flags, ...)                                  \
    {                                                                                              \
        int64_t result;                                                                            \
        OPEN_MODE(mode, flags)                                                                     \
        int answer = ASK(openat, result, WORD(folder), POINTER(path), WORD(flags), mode);          \
        MAKE(int, name, (folder, path, flags, mode), answer, result, NOTHING);                     \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
/* The names that calls get with _FORTIFY_SOURCE. */
CALL(int, open, __open_2, (const char *path, int flags), (path, flags), POINTER(path), WORD(flags))
CALL(int, open, __open64_2, (const char *path, int flags), (path, flags), POINTER(path),
     WORD(flags))
CALL(int, openat, __openat_2, (int folder, const char *path, int flags), (folder, path, flags),
     WORD(folder), POINTER(path), WORD(flags))
CALL(int, creat, creat, (const char *path, mode_t mode), (path, mode), POINTER(path), mode)
CALL(int, creat, creat64, (const char *path, mode_t mode), (path, mode), POINTER(path), mode)

/* Closes it even if the call fails, as Linux and glibc do. */
#define CLOSE(name, type, what, word)                                                              \
    static int (*NEXT(name))(type);                                                                \
    FIND(name)                                                                                     \
    EXPORT int name(type what)                                                                     \
    {                                                                                              \
        int64_t result;                                                                            \
        int answer = ASK(name, result, word);                                                      \
        int error = errno;                                                                         \
        if (NEXT(name) == NULL)                                                                    \
            find_##name();                                                                         \
        int closed = NEXT(name)(what);                                                             \
        if (answer == FISQL_FAULT_FAILS)                                                           \
            errno = error;                                                                         \
        else if (!FAILS_AFTER(answer, result))                                                     \
            return closed;                                                                         \
        return (int)result;                                                                        \
    }
CLOSE(close, int, fd, WORD(fd))

#define BUFFER int fd, void *buffer, size_t count
#define FROM int fd, const void *buffer, size_t count
CALL(ssize_t, read, read, (BUFFER), (fd, buffer, count), WORD(fd), POINTER(buffer), count)
CALL(ssize_t, read, __read_chk, (BUFFER, size_t room), (fd, buffer, count, room), WORD(fd),
     POINTER(buffer), count)
CALL(ssize_t, pread, pread, (BUFFER, off_t offset), (fd, buffer, count, offset), WORD(fd),
     POINTER(buffer), count, WORD(offset))
CALL(ssize_t, pread, pread64, (BUFFER, off_t offset), (fd, buffer, count, offset), WORD(fd),
     POINTER(buffer), count, WORD(offset))
CALL(ssize_t, pread, __pread_chk, (BUFFER, off_t offset, size_t room),
     (fd, buffer, count, offset, room), WORD(fd), POINTER(buffer), count, WORD(offset))
CALL(ssize_t, pread, __pread64_chk, (BUFFER, off_t offset, size_t room),
     (fd, buffer, count, offset, room), WORD(fd), POINTER(buffer), count, WORD(offset))
CALL(ssize_t, readv, readv, (int fd, const struct iovec *vector, int count), (fd, vector, count),
     WORD(fd), POINTER(vector), WORD(count))
CALL(ssize_t, write, write, (FROM), (fd, buffer, count), WORD(fd), POINTER(buffer), count)
CALL(ssize_t, pwrite, pwrite, (FROM, off_t offset), (fd, buffer, count, offset), WORD(fd),
     POINTER(buffer), count, WORD(offset))
CALL(ssize_t, pwrite, pwrite64, (FROM, off_t offset), (fd, buffer, count, offset), WORD(fd),
     POINTER(buffer), count, WORD(offset))
CALL(ssize_t, writev, writev, (int fd, const struct iovec *vector, int count), (fd, vector, count),
     WORD(fd), POINTER(vector), WORD(count))
CALL(off_t, lseek, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), WORD(fd),
     WORD(offset), WORD(whence))
CALL(off_t, lseek, lseek64, (int fd, off_t offset, int whence), (fd, offset, whence), WORD(fd),
     WORD(offset), WORD(whence))
CALL(int, fsync, fsync, (int fd), (fd), WORD(fd))
CALL(int, fdatasync, fdatasync, (int fd), (fd), WORD(fd))
CALL(int, ftruncate, ftruncate, (int fd, off_t length), (fd, length), WORD(fd), WORD(length))
CALL(int, ftruncate, ftruncate64, (int fd, off_t length), (fd, length), WORD(fd), WORD(length))
CALL(int, rename, rename, (const char *old, const char *name), (old, name), POINTER(old),
     POINTER(name))
CALL(int, unlink, unlink, (const char *path), (path), POINTER(path))
CALL(int, mkdir, mkdir, (const char *path, mode_t mode), (path, mode), POINTER(path), mode)
CALL(int, rmdir, rmdir, (const char *path), (path), POINTER(path))
CALL(int, chdir, chdir, (const char *path), (path), POINTER(path))
CALL(int, access, access, (const char *path, int mode), (path, mode), POINTER(path), WORD(mode))
CALL(DIR *, opendir, opendir, (const char *path), (path), POINTER(path))
CALL(int, pipe, pipe, (int fds[2]), (fds), POINTER(fds))
CALL(int, dup, dup, (int fd), (fd), WORD(fd))
CALL(int, dup2, dup2, (int fd, int other), (fd, other), WORD(fd), WORD(other))

#define STAT(call, name, type, first, word)                                                        \
    CALL(int, call, name, (first, type * buffer), (word, buffer), WORD(word), POINTER(buffer))
STAT(stat, stat, struct stat, const char *path, path)
STAT(stat, stat64, struct stat64, const char *path, path)
STAT(lstat, lstat, struct stat, const char *path, path)
STAT(lstat, lstat64, struct stat64, const char *path, path)
STAT(fstat, fstat, struct stat, int fd, fd)
STAT(fstat, fstat64, struct stat64, int fd, fd)

#define MAP void *address, size_t length, int protection, int flags, int fd, off_t offset
CALL(void *, mmap, mmap, (MAP), (address, length, protection, flags, fd, offset), POINTER(address),
     length, WORD(protection), WORD(flags), WORD(fd), WORD(offset))
CALL(void *, mmap, mmap64, (MAP), (address, length, protection, flags, fd, offset),
     POINTER(address), length, WORD(protection), WORD(flags), WORD(fd), WORD(offset))

/* ---- sockets, waiting, processes, threads ---- */

CALL(int, socket, socket, (int domain, int type, int protocol), (domain, type, protocol),
     WORD(domain), WORD(type), WORD(protocol))
CALL(int, bind, bind, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length),
     (fd, address, length), WORD(fd), POINTER(address.__sockaddr__), length)
CALL(int, listen, listen, (int fd, int backlog), (fd, backlog), WORD(fd), WORD(backlog))
CALL(int, connect, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length),
     (fd, address, length), WORD(fd), POINTER(address.__sockaddr__), length)
CALL(int, accept, accept, (int fd, __SOCKADDR_ARG address, socklen_t *length),
     (fd, address, length), WORD(fd), POINTER(address.__sockaddr__), POINTER(length))
CALL(int, accept4, accept4, (int fd, __SOCKADDR_ARG address, socklen_t *length, int flags),
     (fd, address, length, flags), WORD(fd), POINTER(address.__sockaddr__), POINTER(length),
     WORD(flags))
CALL(ssize_t, send, send, (FROM, int flags), (fd, buffer, count, flags), WORD(fd), POINTER(buffer),
     count, WORD(flags))
CALL(ssize_t, recv, recv, (BUFFER, int flags), (fd, buffer, count, flags), WORD(fd),
     POINTER(buffer), count, WORD(flags))
CALL(ssize_t, recv, __recv_chk, (BUFFER, size_t room, int flags), (fd, buffer, count, room, flags),
     WORD(fd), POINTER(buffer), count, WORD(flags))
CALL(int, poll, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout),
     POINTER(fds), count, WORD(timeout))
CALL(int, poll, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t room),
     (fds, count, timeout, room), POINTER(fds), count, WORD(timeout))
CALL(int, select, select,
     (int count, fd_set *reads, fd_set *writes, fd_set *exceptions, struct timeval *timeout),
     (count, reads, writes, exceptions, timeout), WORD(count), POINTER(reads), POINTER(writes),
     POINTER(exceptions), POINTER(timeout))
CALL(int, epoll_wait, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout),
     (fd, events, count, timeout), WORD(fd), POINTER(events), WORD(count), WORD(timeout))
CALL(pid_t, fork, fork, (void), (), 0)
CALL(pid_t, waitpid, waitpid, (pid_t pid, int *status, int options), (pid, status, options),
     WORD(pid), POINTER(status), WORD(options))
CALL(int, pthread_create, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
     (thread, attributes, start, argument), POINTER(thread), POINTER(attributes), POINTER(start),
     POINTER(argument))
CALL(int, pthread_mutex_lock, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex),
     POINTER(mutex))
CALL(int, getaddrinfo, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints,
      struct addrinfo **addresses),
     (node, service, hints, addresses), POINTER(node), POINTER(service), POINTER(hints),
     POINTER(addresses))

/* ---- streams ---- */

#undef fread_unlocked
#undef fwrite_unlocked

CALL(FILE *, fopen, fopen, (const char *path, const char *mode), (path, mode), POINTER(path),
     POINTER(mode))
CALL(FILE *, fopen, fopen64, (const char *path, const char *mode), (path, mode), POINTER(path),
     POINTER(mode))
CALL(FILE *, fdopen, fdopen, (int fd, const char *mode), (fd, mode), WORD(fd), POINTER(mode))
#define ITEMS void *buffer, size_t size, size_t count, FILE *stream
STREAM(size_t, fread, fread, (ITEMS), (buffer, size, count, stream), (uint64_t)result < count,
       stream, POINTER(buffer), size, count, POINTER(stream))
STREAM(size_t, fread, fread_unlocked, (ITEMS), (buffer, size, count, stream),
       (uint64_t)result < count, stream, POINTER(buffer), size, count, POINTER(stream))
STREAM(size_t, fread, __fread_chk,
       (void *buffer, size_t room, size_t size, size_t count, FILE *stream),
       (buffer, room, size, count, stream), (uint64_t)result < count, stream, POINTER(buffer), size,
       count, POINTER(stream))
#define OUT_ITEMS const void *buffer, size_t size, size_t count, FILE *stream
STREAM(size_t, fwrite, fwrite, (OUT_ITEMS), (buffer, size, count, stream), (uint64_t)result < count,
       stream, POINTER(buffer), size, count, POINTER(stream))
STREAM(size_t, fwrite, fwrite_unlocked, (OUT_ITEMS), (buffer, size, count, stream),
       (uint64_t)result < count, stream, POINTER(buffer), size, count, POINTER(stream))
STREAM(char *, fgets, fgets, (char *buffer, int count, FILE *stream), (buffer, count, stream),
       result == 0, stream, POINTER(buffer), WORD(count), POINTER(stream))
STREAM(char *, fgets, __fgets_chk, (char *buffer, size_t room, int count, FILE *stream),
       (buffer, room, count, stream), result == 0, stream, POINTER(buffer), WORD(count),
       POINTER(stream))
STREAM(int, fputs, fputs, (const char *text, FILE *stream), (text, stream), result < 0, stream,
       POINTER(text), POINTER(stream))
STREAM(int, fflush, fflush, (FILE * stream), (stream), result < 0, stream, POINTER(stream))

CLOSE(fclose, FILE *, stream, POINTER(stream))
CALL(int, fseek, fseek, (FILE * stream, long offset, int whence), (stream, offset, whence),
     POINTER(stream), WORD(offset), WORD(whence))
CALL(int, fseek, fseeko, (FILE * stream, off_t offset, int whence), (stream, offset, whence),
     POINTER(stream), WORD(offset), WORD(whence))
CALL(int, fseek, fseeko64, (FILE * stream, off_t offset, int whence), (stream, offset, whence),
     POINTER(stream), WORD(offset), WORD(whence))
