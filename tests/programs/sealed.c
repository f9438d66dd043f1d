/* Forbids itself system calls and goes on computing. Argument: how. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int before(int n)
{
    return n ^ 3;
}
static int after(int n)
{
    return n ^ 5;
}
/* For --values: memory that can be read without a system call, and memory that cannot. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa)) /* gcc 16 would not pass the constant */
#endif
APART static int forbid_text(const char *text)
{
    return text[0];
}
static int handled;
static void on_alarm(int number)
{
    handled += number != 0;
}
/* "few" lets write and exit_group through (and what a handler returns by), "most" all but socket, "clocks" all
 * but getrusage. */
static int forbid(const char *how)
{
    struct sock_filter few[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_filter most[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_filter clocks[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof few / sizeof few[0], few};
    if (strcmp(how, "most") == 0)
        program = (struct sock_fprog){sizeof most / sizeof most[0], most};
    if (strcmp(how, "clocks") == 0)
        program = (struct sock_fprog){sizeof clocks / sizeof clocks[0], clocks};
    if (strcmp(how, "strict") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (strcmp(how, "wrong") == 0) /* refused by the kernel */
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){0, few}) == -1 ? 0
                                                                                              : 1;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(how, "syscall") == 0)
        return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
int main(int argc, char **argv)
{
    volatile int sink = 0;
    for (int i = 0; i < 1000; i++)
        sink += before(i);
    free(malloc(10));
    int calls = 200000;
    char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argc > 1 && strcmp(argv[1], "signals") == 0) {
        calls = 20000000;
        signal(SIGALRM, on_alarm);
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
    }
    if (forbid(argc > 1 ? argv[1] : "few") != 0)
        return 1;
    for (int i = 0; i < calls; i++)
        sink += after(i);
    sink += forbid_text("constant") + forbid_text(mapped);
    free(malloc(20));
    if (write(1, "done\n", 5) != 5)
        return 2;
    if (argc > 1 && strcmp(argv[1], "strict") == 0)
        syscall(SYS_exit, 3);
    _exit(3);
}
