/* Started as root, goes on as user 65534: calls work() 30,000 times, and its child as often.
 * An argument that holds "close" has it close all descriptors before, "exec" has the child run the
 * program anew, which then calls work() 1,000 times and ends with 5. */
#define _GNU_SOURCE
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) static void work(int i)
{
    sink = i ^ 3;
}

static void work_on(int times)
{
    for (int i = 0; i < times; i++)
        work(i);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        work_on(1000);
        return 5;
    }
    const char *how = argc > 1 ? argv[1] : "";
    if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
        perror("setuid");
    if (strstr(how, "close") != NULL)
        close_range(3, ~0u, 0);
    work_on(30000);
    pid_t child = fork();
    if (child == 0) {
        work_on(30000);
        if (strstr(how, "exec") != NULL)
            execl("/proc/self/exe", argv[0], how, "again", (char *)NULL);
        _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
