/* See system_calls.h. What glibc 2.36 and musl 1.2.3 do; `strace -e inject` and `strace -c` show it. */
#include "debuginfo/prototypes/system_calls.h"

#include "base/parts.h"

#include <stddef.h>
#include <string.h>

/* Functions whose system call has another name; NULL = they make none, or do more. */
static const struct {
    const char *function, *call;
} others[] = {
    {"clock_getres", NULL},
    {"clock_gettime", NULL},
    {"clone", NULL}, /* not recorded */
    {"eventfd", "eventfd2"},
    {"exit", NULL},
    {"fork", "clone"},
    {"fstat", "newfstatat"},
    {"fstatat", "newfstatat"},
    {"futimens", "utimensat"},
    {"futimes", "utimensat"},
    {"getcpu", NULL},
    {"getdtablesize", NULL},
    {"gethostname", "uname"},
    {"getrlimit", "prlimit64"},
    {"gettimeofday", NULL},
    {"isatty", "ioctl"},
    {"killpg", "kill"},
    {"lockf", "fcntl"},
    {"lstat", "newfstatat"},
    {"mkfifo", "mknodat"},
    {"mkfifoat", "mknodat"},
    {"mknod", "mknodat"},
    {"mq_receive", "mq_timedreceive"},
    {"mq_send", "mq_timedsend"},
    {"nanosleep", "clock_nanosleep"},
    {"open", "openat"},
    {"posix_fadvise", "fadvise64"},
    {"posix_fallocate", "fallocate"},
    {"posix_madvise", "madvise"},
    {"pthread_kill", "tgkill"},
    {"pthread_sigmask", "rt_sigprocmask"},
    {"pthread_sigqueue", "rt_tgsigqueueinfo"},
    {"readdir", NULL},
    {"recv", "recvfrom"},
    {"sched_getcpu", NULL},
    {"send", "sendto"},
    {"setrlimit", "prlimit64"},
    {"sigaction", "rt_sigaction"},
    {"signal", "rt_sigaction"},
    {"signalfd", "signalfd4"},
    {"sigpending", "rt_sigpending"},
    {"sigprocmask", "rt_sigprocmask"},
    {"sigqueue", "rt_sigqueueinfo"},
    {"sigsuspend", "rt_sigsuspend"},
    {"sigtimedwait", "rt_sigtimedwait"},
    {"sigwait", "rt_sigtimedwait"},
    {"sigwaitinfo", "rt_sigtimedwait"},
    {"sleep", "clock_nanosleep"},
    {"stat", "newfstatat"},
    {"syscall", "syscall"}, /* any */
    {"tcgetattr", "ioctl"},
    {"tcsetattr", "ioctl"},
    {"time", NULL},
    {"umount", "umount2"},
    {"usleep", "clock_nanosleep"},
    {"utimes", "utimensat"},
    {"vfork", NULL}, /* not recorded */
    {"wait", "wait4"},
    {"wait3", "wait4"},
    {"waitpid", "wait4"},
};

/* Without what the C library puts around a name: `__` in front; `64`, `_chk`, `_2` behind. Its length. */
static size_t plain(const char **name)
{
    static const char *const endings[] = {"_chk", "_2", "64", "64v2"};
    while (**name == '_')
        (*name)++;
    size_t length = strlen(*name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && memcmp(*name + length - ending, endings[i], ending) == 0) {
            length -= ending;
            i = 0; /* __open64_2 */
        }
    }
    return length;
}

/* The order of a name of this length and a text. */
static int order(const char *name, size_t length, const char *text)
{
    int before = strncmp(name, text, length);
    return before != 0 ? before : text[length] == 0 ? 0 : -1;
}

static const char *named(const char *name, size_t length)
{
    size_t low = 0, high = system_call_names_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int before = order(name, length, system_call_names[middle]);
        if (before == 0)
            return system_call_names[middle];
        if (before < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *system_call_of(const char *function)
{
    char wide[64];
    const char *short_name = function;
    size_t length = plain(&short_name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (order(short_name, length, others[i].function) == 0)
            return others[i].call;
    const char *call = named(short_name, strlen(short_name)); /* pread64 is one's name */
    if (call == NULL)
        call = named(short_name, length);
    if (call == NULL && length + 2 < sizeof wide) { /* pread() is pread64 */
        memcpy(wide, short_name, length);
        memcpy(wide + length, "64", 2);
        call = named(wide, length + 2);
    }
    return call;
}

bool system_calls_are_in(const char *path)
{
    static const char *const names[] = {"libc.",  "libc-",  "libpthread",
                                        "librt.", "librt-", "ld-musl"};
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (starts_with(name, names[i]))
            return true;
    return false;
}
