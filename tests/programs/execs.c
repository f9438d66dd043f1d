/* Runs itself in every way there is, most of them with an environment of its own. Each of the 19
 * images calls work() ten times; prints the number of a way that failed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) static void work(int i)
{
    sink = i ^ 3;
}

static char self[4096], folder[4096], *name;
static char *arguments[] = {NULL, "child", NULL}, *few[] = {"A=b", NULL}, *none[] = {NULL};

static void on_signal(int number)
{
    (void)number;
    execve(self, arguments, few);
}

static void run(int way)
{
    switch (way) {
    case 2:
        execve(self, arguments, few);
        break;
    case 3:
        execve(self, arguments, NULL);
        break;
    case 4:
    case 5:
        execvpe(name, arguments, few);
        break;
    case 6:
    case 7:
        execle(self, name, "child", NULL, none);
        break;
    case 8:
        fexecve(open(self, O_RDONLY | O_CLOEXEC), arguments, few);
        break;
    case 9:
        fexecve(open(self, O_PATH | O_CLOEXEC), arguments, few);
        break;
    case 10:
        execveat(open(self, O_PATH), "", arguments, few, AT_EMPTY_PATH);
        break;
    case 11:
        execveat(open(folder, O_RDONLY), name, arguments, few, 0);
        break;
    case 12:
        execvp("/no/such/program", arguments);
        execl(self, name, "child", NULL);
        break;
    case 13:
        clearenv();
        execv(self, arguments);
        break;
    case 14:
        execlp(name, name, "child", NULL);
        break;
    case 15:
        signal(SIGUSR1, on_signal);
        raise(SIGUSR1);
        break;
    case 16:
    case 17:
        syscall(SYS_execve, self, arguments, few);
        break;
    default:
        break;
    }
}

int main(int argc, char **argv)
{
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 2;
    name = strrchr(strcpy(folder, self), '/');
    *name++ = 0;
    arguments[0] = name;
    (void)argv;
    for (int i = 0; i < 10; i++)
        work(i);
    if (argc > 1)
        return 0;
    setenv("PATH", folder, 1);
    for (int way = 0; way < 18; way++) {
        pid_t pid = -1;
        int status = -1;
        if (way == 0)
            posix_spawn(&pid, self, NULL, NULL, arguments, few);
        else if (way == 1)
            posix_spawnp(&pid, name, NULL, NULL, arguments, none);
        else if ((pid = way % 2 ? fork() : vfork()) == 0) {
            run(way);
            _exit(9);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            printf("way %d: %x\n", way, status);
    }
    return 0;
}
