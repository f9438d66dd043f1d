/* See attach_seccomp.h. A filter is a program of classic BPF that reads struct seccomp_data
 * (linux/seccomp.h); of several, the strictest answer counts. */
#include "cli/record/attach_seccomp.h"

#if defined(__x86_64__)
#include "formats/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* ---- what attaching and the collector need ---- */

static const struct needed {
    const char *name;
    long number;
    uint64_t argument[6];
} needed[] = {
    {"mmap", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX}},
    {"mmap", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_DENYWRITE, 3}},
    {"mprotect", SYS_mprotect, {65536, 4096, PROT_READ | PROT_EXEC}},
    {"munmap", SYS_munmap, {65536, 4096}},
    {"mremap", SYS_mremap, {65536, 0, 4096, MREMAP_MAYMOVE}},
    {"madvise", SYS_madvise, {65536, 4096, MADV_NOHUGEPAGE}},
    {"socketpair", SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 65536}},
    {"recvmsg", SYS_recvmsg, {3, 65536, MSG_CMSG_CLOEXEC}},
    {"close", SYS_close, {3}},
    {"openat", SYS_openat, {(uint32_t)AT_FDCWD, 65536, O_RDONLY | O_CLOEXEC}},
    {"read", SYS_read, {3, 65536, 832}},
    {"pread64", SYS_pread64, {3, 65536, 832, 64}},
    {"pwrite64", SYS_pwrite64, {3, 65536, 5, 65536}},
    {"write", SYS_write, {3, 65536, 131072}},
    {"lseek", SYS_lseek, {3, 0, 1}},
    {"newfstatat", SYS_newfstatat, {3, 65536, 65536, 0x1000}},
    {"fcntl", SYS_fcntl, {3, F_DUPFD_CLOEXEC, 1000}},
    {"fcntl", SYS_fcntl, {3, F_GETFD}},
    {"readlink", SYS_readlink, {65536, 65536, 4096}},
    {"getpid", SYS_getpid, {0}},
    {"gettid", SYS_gettid, {0}},
    {"tgkill", SYS_tgkill, {1, 1, 0}},
    {"futex", SYS_futex, {65536, FUTEX_WAIT_PRIVATE, 2}},
    {"futex", SYS_futex, {65536, FUTEX_WAKE, 1}},
    {"rt_sigprocmask", SYS_rt_sigprocmask, {SIG_BLOCK, 65536, 65536, 8}},
    {"rt_sigpending", SYS_rt_sigpending, {65536, 8}},
    {"sigaltstack", SYS_sigaltstack, {0, 65536}},
    {"prctl", SYS_prctl, {PR_GET_NAME, 65536}},
    {"getrusage", SYS_getrusage, {1, 65536}},
    {"clock_gettime", SYS_clock_gettime, {3, 65536}},
    {"prlimit64", SYS_prlimit64, {0, 7, 0, 65536}},
};

/* The name of the first call that the filter does not let pass; NULL if there is none. */
static const char *forbidden(const struct sock_filter *program, size_t count)
{
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct seccomp_data data = {.nr = (int)needed[i].number, .arch = AUDIT_ARCH_X86_64};
        memcpy(data.args, needed[i].argument, sizeof data.args);
        uint32_t action =
            fisql_seccomp_run(program, (uint32_t)count, &data) & SECCOMP_RET_ACTION_FULL;
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
            return needed[i].name;
    }
    return NULL;
}

/* ---- reading them ---- */

static int refuse(const char *name, struct error *error, const char *call)
{
    return error_set_kind(error, ERROR_USAGE,
                          "%s: it has forbidden itself a system call that recording needs "
                          "(seccomp): %s",
                          name, call);
}

static int thread_check(pid_t tid, const char *name, struct error *error)
{
    for (unsigned index = 0;; index++) {
        long count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)(uintptr_t)index, NULL);
        if (count < 0 && errno == ENOENT)
            return 0;
        struct sock_filter *program = count > 0 ? calloc((size_t)count, sizeof *program) : NULL;
        if (program == NULL ||
            ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)(uintptr_t)index, program) != count) {
            int number = errno;
            free(program);
            return error_set_kind(
                error, ERROR_USAGE,
                "%s: it has a filter of system calls (seccomp), which may end it where recording "
                "makes one, and which cannot be read: %s; attach as root, outside of containers",
                name, strerror(number));
        }
        const char *call = forbidden(program, (size_t)count);
        free(program);
        if (call != NULL)
            return refuse(name, error, call);
    }
}

int attach_seccomp_check(const struct stopped *stopped, const char *name, struct error *error)
{
    for (size_t i = 0; i < stopped->count; i++) {
        long mode = stopped_status(stopped->threads[i].tid, "Seccomp");
        if (mode == SECCOMP_MODE_STRICT)
            return refuse(name, error, "all but read, write and exit");
        if (mode == SECCOMP_MODE_FILTER && thread_check(stopped->threads[i].tid, name, error) != 0)
            return -1;
    }
    return 0;
}
#endif
