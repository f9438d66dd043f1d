/* A program with a will of its own about SIGXFSZ, and many calls, to run under `ulimit -f 300`:
 * what the log's writes cause must not reach it, what its own writes cause must.
 *
 *   filesize handler|ignored|default|blocked FILE */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

static volatile sig_atomic_t got;
static volatile int sink;

static void on_signal(int number)
{
    (void)number;
    got++;
}

static int leaf(int n)
{
    return n ^ 3;
}

static void calls(void)
{
    for (int i = 0; i < 100000; i++)
        sink += leaf(i);
}

static int pending(void)
{
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, SIGXFSZ);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (strcmp(how, "handler") == 0)
        signal(SIGXFSZ, on_signal);
    if (strcmp(how, "ignored") == 0)
        signal(SIGXFSZ, SIG_IGN);
    if (strcmp(how, "blocked") == 0)
        sigprocmask(SIG_BLOCK, &set, NULL);
    calls();
    printf("%d signals, %d pending\n", (int)got, pending());
    fflush(stdout);
    if (ftruncate(file, 300 * 1024) != 0)
        perror("ftruncate");
    ssize_t written = write(file, "x", 1);
    printf("own write: %s; %d signals, %d pending\n", written < 0 ? strerror(errno) : "written",
           (int)got, pending());
    calls();
    printf("%d signals, %d pending\n", (int)got, pending());
    return 0;
}
