/*
 * Macros of fisql_trace.h in a program that forbids itself all system calls but write and exit_group: "TIMES HOW",
 * where HOW is sealed, or open for the same without that. Some macros are first reached behind it.
 */
#include "fisql_trace.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int forbid(void)
{
    struct sock_filter few[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof few / sizeof few[0], few};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) +
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int known(int n)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(2, "known", n, "a text", n / 4.0);
    FISQL_PAUSE();
    FISQL_SAY(1, "n is %d", n);
    FISQL_RESUME();
    return FISQL_RESULT(n + 1);
}

static int later(int n)
{
    FISQL_ENTRY(1);
    if (n % 2 == 0)
        FISQL_CHECKPOINT(1, "even", n);
    FISQL_VALUE(n * n);
    return n;
}

int main(int argc, char **argv)
{
    int times = argc > 2 ? atoi(argv[1]) : 1;
    volatile int sink = 0;
    FISQL_THREAD("the one that forbids itself everything");
    for (int i = 0; i < 10; i++)
        sink += known(i);
    if (argc > 2 && strcmp(argv[2], "sealed") == 0 && forbid() != 0)
        return 1;
    for (int i = 0; i < times; i++)
        sink += known(i) + later(i);
    if (write(1, "done\n", 5) != 5)
        return 2;
    _exit(sink < 0 ? 4 : 3);
}
