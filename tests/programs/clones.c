/* Three children, made in the way that the argument names. Each process prints its pid and how
 * often it called of_parent() and of_child(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static char stack[1 << 18];
static volatile int sink;
static int handled;

static int of_child(int n)
{
    return n + 1;
}
static int of_parent(int n)
{
    return n - 1;
}
PLAIN static void say(const char *what, int calls)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%d %s %d\n", (int)getpid(), what, calls);
    if (write(1, text, (size_t)length) != length)
        abort();
}
static int child(void *shared)
{
    for (int i = 0; i < 50000; i++)
        sink += of_child(i);
    if (shared == NULL)
        say("of_child", 50000);
    return 0;
}
static int quick_child(void *ends)
{
    for (int i = 0; i < 100; i++)
        sink += of_child(i);
    if (ends != NULL)
        syscall(SYS_exit, 0);
    return 0;
}
PLAIN static long instruction(void)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_fork) : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = SYS_clone;
    register long x0 __asm__("x0") = SIGCHLD;
    register long x1 __asm__("x1") = 0;
    register long x2 __asm__("x2") = 0;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
#endif
}
static pid_t make(const char *how)
{
    if (strcmp(how, "clone") == 0)
        return clone(child, stack + sizeof stack, SIGCHLD, NULL);
    pid_t pid = -1;
    if (strcmp(how, "_Fork") == 0)
        pid = _Fork();
#ifdef SYS_fork
    else if (strcmp(how, "syscall") == 0)
        pid = (pid_t)syscall(SYS_fork);
#else
    else if (strcmp(how, "syscall") == 0)
        pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
    else if (strcmp(how, "clone3") == 0) {
        struct clone_args arguments = {.exit_signal = SIGCHLD};
        pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    } else if (strcmp(how, "instruction") == 0)
        pid = (pid_t)instruction();
    else
        pid = fork();
    if (pid == 0) {
        child(NULL);
        _exit(0);
    }
    return pid;
}
static volatile pid_t made;
PLAIN static void on_signal(int number)
{
    (void)number;
    if (handled++ == 0)
        made = make("_Fork");
}
/* A handler forks, wherever the signal comes. */
static pid_t by_handler(int *calls)
{
    handled = 0;
    made = 0;
    ualarm(200, 0);
    while (made == 0) {
        sink += of_parent(1);
        ++*calls;
    }
    return made;
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "fork";
    int calls = 0;
    signal(SIGALRM, on_signal);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 1000; i++)
            sink += of_parent(i);
        calls += 1000;
        pid_t pid;
        if (strcmp(how, "shared") == 0)
            pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, stack);
        else if (strcmp(how, "vfork") == 0)
            pid = clone(quick_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
                        k > 0 ? stack : NULL);
        else if (strcmp(how, "handler") == 0)
            pid = by_handler(&calls);
        else
            pid = make(how);
        int status = 1;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (pid < 0 || status != 0)
            return 1;
    }
    if (strcmp(how, "shared") != 0 && strcmp(how, "vfork") != 0)
        say("of_parent", calls);
    return 0;
}
