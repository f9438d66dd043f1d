/* Waiting until every thread of a process has run on or slept. */
#include "cli/record/attach_forks.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *spins(void *unused)
{
    for (;;)
        __asm__ volatile("");
    return unused;
}

static void *sleeps(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    int ready[2];
    char byte = 0;
    check(pipe(ready) == 0, "a pipe");
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, spins, NULL);
        pthread_create(&thread, NULL, sleeps, NULL);
        if (write(ready[1], &byte, 1) == 1)
            sleeps(NULL);
        _exit(1);
    }
    check(pid > 0 && read(ready[0], &byte, 1) == 1, "a process of three threads");
    check(!attach_forks_passed(pid, 0, 0),
          "at once, nobody can tell that the one that spins ran on");
    check(attach_forks_passed(pid, 0, 20000), "it does, and the others sleep");
    check(attach_forks_passed(pid, 0, 20000), "again");
    kill(pid, SIGSTOP);
    waitpid(pid, NULL, WUNTRACED);
    check(attach_forks_passed(pid, 0, 20000), "none runs while a signal has stopped them");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    check(attach_forks_passed(pid, 0, 20000), "a process that is gone has none");
    return check_status();
}
