/* See flag_parameters.h. The manual pages of section 2 are the source. */
#include "debuginfo/prototypes/flag_parameters.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SOCK_FIELD 0xf /* SOCK_TYPE_MASK of Linux's net.h */

#define OPENS "open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2"
#define AT_CALLS                                                                                   \
    "fchmodat fchownat fstatat fstatat64 utimensat statx linkat name_to_handle_at execveat"
#define WAIT_OPTIONS "WNOHANG WUNTRACED WCONTINUED WEXITED WSTOPPED WNOWAIT"

static const struct flag_parameter known[] = {
    {OPENS, "flags", "O_"},
    {OPENS " faccessat mkdirat mkfifoat mknodat readlinkat symlinkat unlinkat", "dirfd",
     "=AT_FDCWD"},
    {AT_CALLS, "dirfd", "=AT_FDCWD"},
    {"shm_open mq_open sem_open", "flags", "O_"},
    {"pipe2 dup3 open_by_handle_at", "flags", "O_"},
    {"creat creat64 chmod fchmod fchmodat mkdir mkdirat mkfifo mkfifoat shm_open", "mode", "0"},
    {"umask", "mask", "0"},
    {"access euidaccess eaccess faccessat", "mode", "R_OK W_OK X_OK"},
    {"faccessat", "flags", "AT_EACCESS AT_SYMLINK_ AT_EMPTY_PATH"},
    {"unlinkat", "flags", "AT_REMOVEDIR"},
    {AT_CALLS, "flags", "AT_SYMLINK_ AT_EMPTY_PATH AT_NO_AUTOMOUNT AT_STATX_"},
    {"lseek lseek64 fseek fseeko fseeko64", "whence", "=SEEK_"},
    {"mmap mmap64 mprotect pkey_mprotect", "prot", "PROT_"},
    {"mmap mmap64", "flags", "MAP_"},
    {"mremap", "flags", "MREMAP_"},
    {"madvise", "advice", "=MADV_"},
    {"msync", "flags", "MS_ASYNC MS_INVALIDATE MS_SYNC"},
    {"mlockall", "flags", "MCL_"},
    {"mount", "flags", "MS_"},
    {"umount2", "flags", "MNT_ UMOUNT_"},
    {"connect bind sendto", "addr", FLAG_SOCKET_ADDRESS},
    {"socket socketpair", "domain", "=AF_"},
    {"socket socketpair", "type", "SOCK_"},
    {"accept4", "flags", "SOCK_CLOEXEC SOCK_NONBLOCK"},
    {"send recv sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg __recv_chk __recvfrom_chk",
     "flags", "MSG_"},
    {"getsockopt setsockopt", "level", "=SOL_SOCKET IPPROTO_"},
    {"shutdown", "how", "=SHUT_"},
    {"getrandom", "flags", "GRND_"},
    {"epoll_create1", "flags", "EPOLL_CLOEXEC"},
    {"epoll_ctl", "op", "=EPOLL_CTL_"},
    {"eventfd", "flags", "EFD_"},
    {"timerfd_create timerfd_settime", "flags", "TFD_"},
    {"signalfd", "flags", "SFD_"},
    {"inotify_init1", "flags", "IN_CLOEXEC IN_NONBLOCK"},
    {"inotify_add_watch", "mask", "IN_"},
    {"fcntl fcntl64", "cmd", "=F_DUPFD F_GET F_SET F_ADD_SEALS F_NOTIFY F_OFD_"},
    {"flock", "operation", "LOCK_EX LOCK_NB LOCK_SH LOCK_UN"},
    {"waitpid wait4 waitid", "options", WAIT_OPTIONS},
    {"unshare setns", "flags", "CLONE_"},
    {"kill raise killpg pthread_kill signal sigaction tgkill sigqueue", "sig", "=SIG"},
    {"pthread_sigmask sigprocmask", "how", "=SIG_BLOCK SIG_UNBLOCK SIG_SETMASK"},
    {"clock_gettime clock_settime clock_getres clock_nanosleep timer_create timerfd_create",
     "clock", "=CLOCK_"},
};

/* Is the word among those that are separated by spaces? */
static bool has_word(const char *words, const char *word)
{
    size_t bytes = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += bytes)
        if ((at == words || at[-1] == ' ') && (at[bytes] == ' ' || at[bytes] == 0))
            return true;
    return false;
}

const struct flag_parameter *flag_parameter_of(const char *function, const char *parameter)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].parameter, parameter) == 0 && has_word(known[i].functions, function))
            return &known[i];
    return NULL;
}

long long flag_field_of(const char *flags, size_t bytes)
{
    static const struct {
        const char *flags;
        long long field;
    } fields[] = {{"O_", O_ACCMODE}, {"MAP_", MAP_TYPE}, {"SOCK_", SOCK_FIELD}, {"S_I", S_IFMT}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strlen(fields[i].flags) == bytes && memcmp(fields[i].flags, flags, bytes) == 0)
            return fields[i].field;
    return 0;
}
