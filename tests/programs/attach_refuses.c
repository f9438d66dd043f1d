/*
 * What cannot be attached to, and who keeps others from it: attach_refuses WHAT [PID]
 *   waits     nothing is wrong
 *   strict    strict seccomp
 *   kills     a filter of system calls that ends the process at socketpair()
 *   errno     one that refuses mprotect() of executable memory
 *   allows    one that forbids only what nobody needs
 *   traces    traces PID
 *   undumped  prctl(PR_SET_DUMPABLE, 0)
 * Prints "ready PID" and "set up", and waits until it is killed.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* `action` for the system call if its third argument has all bits of `third`. */
static int filter_set(unsigned number, unsigned third, unsigned action)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, third),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, third, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog all = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) != 0;
}

static int setup(const char *what, pid_t pid)
{
    int status;
    if (strcmp(what, "kills") == 0)
        return filter_set(SYS_socketpair, 0, SECCOMP_RET_KILL_PROCESS);
    if (strcmp(what, "errno") == 0)
        return filter_set(SYS_mprotect, PROT_EXEC, SECCOMP_RET_ERRNO | 1);
    if (strcmp(what, "allows") == 0)
        return filter_set(SYS_reboot, 0, SECCOMP_RET_KILL_PROCESS);
    if (strcmp(what, "undumped") == 0)
        return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (strcmp(what, "traces") == 0)
        return ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0 ||
               ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 ||
               waitpid(pid, &status, __WALL) != pid || ptrace(PTRACE_CONT, pid, NULL, NULL) != 0;
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "waits";
    char byte;
    int never[2]; /* nobody writes there */
    if (pipe(never) != 0)
        return 3;
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    if (setup(what, argc > 2 ? (pid_t)atoi(argv[2]) : 0) != 0)
        return 3;
    printf("set up\n");
    fflush(stdout);
    if (strcmp(what, "strict") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    return (int)read(never[0], &byte, 1);
}
