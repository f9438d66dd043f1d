/* See attach_points.h. */
#include "cli/record/attach_points.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

/* Waits in which a thread holds none of the C library's locks. */
static bool is_wait(const struct user_regs_struct *registers, bool musl)
{
    static const long calls[] = {
        SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_poll, SYS_ppoll, SYS_select,
        SYS_pselect6, SYS_accept, SYS_accept4, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
        SYS_nanosleep, SYS_clock_nanosleep, SYS_pause, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
        SYS_read, SYS_readv, SYS_sendto, SYS_sendmsg, SYS_write, SYS_writev, SYS_connect,
        SYS_io_uring_enter, SYS_io_getevents, SYS_msgrcv, SYS_semtimedop, SYS_sendfile, SYS_flock,
        /* one with a time limit that a stop has interrupted */
        SYS_restart_syscall};
    long number = (long)registers->orig_rax;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (number == calls[i])
            return true;
    /* Condition variables, semaphores and joins wait so; the C libraries' own locks do not. In musl
     * those of condition variables and joins wait for a word that is 2; of the lists of threads, for
     * one that is a thread's number; all others for one that is negative. */
    int operation = (int)registers->rsi & FUTEX_CMD_MASK;
    return number == SYS_futex &&
           (musl ? operation == FUTEX_WAIT && registers->rdx == 2 : operation == FUTEX_WAIT_BITSET);
}

/* Libraries in which a thread may hold locks that dlopen() wants. */
static bool is_base(const char *path)
{
    static const char *const names[] = {
        "/ld-",         "/ld.so",    "/libc.so",   "/libc-",       "/libdl",
        "/libpthread",  "/libgcc_s", "/libstdc++", "/libjemalloc", "/libtcmalloc",
        "/libmimalloc", "/libfisql", "/libc.musl", "[vdso]",       "/memfd:fisql",
        "/libasan",     "/libtsan",  "/liblsan",   "/libubsan",    "/libm.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(path, names[i]) != NULL)
            return true;
    return false;
}

/* Does the address lie in code of the program's own, from a file? */
static bool is_own_code(const struct stopped *stopped, uint64_t address)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool own = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)stopped->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &size, file) > 0) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx", &start, &end) != 2 || address < start || address >= end)
            continue;
        own = strchr(line, '/') != NULL && !is_base(line);
        break;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return own;
}

static void found(uint64_t position, void *context)
{
    (void)position;
    *(bool *)context = true;
}

enum rank { BEST, CHILDREN, OWN_CODE, NEVER };

/* A thread that waits for children is taken only for want of another. While it is traced, the kernel
 * does not drop the SIGCHLD that the process ignores, but wakes another thread with it, whose wait
 * then fails with EINTR. */
static enum rank rank_of(const struct stopped *stopped, size_t at, bool musl, bool impatient)
{
    const struct user_regs_struct *registers = &stopped->threads[at].registers;
    long number = (long)registers->orig_rax;
    if (stopped->threads[at].signal != 0)
        return NEVER;
    if (number >= 0)
        return is_wait(registers, musl)                      ? BEST
               : number == SYS_wait4 || number == SYS_waitid ? CHILDREN
                                                             : NEVER;
    return impatient && is_own_code(stopped, registers->rip) ? OWN_CODE : NEVER;
}

size_t attach_point(const struct stopped *stopped, bool musl, bool impatient)
{
    enum rank best_rank = NEVER;
    size_t best = stopped->count;
    for (size_t i = 0; i < stopped->count && best_rank != BEST; i++) {
        bool handler = false;
        enum rank rank = rank_of(stopped, i, musl, impatient);
        if (rank >= best_rank)
            continue;
        stopped_contexts(stopped, i, found, &handler);
        if (handler)
            continue;
        best_rank = rank;
        best = i;
    }
    return best;
}
#endif
