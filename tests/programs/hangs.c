/*
 * A program whose second image hangs before its main(), and the library that makes it hang when it is preloaded: its
 * readlink(), which the collector calls in its start, never returns.
 *
 *   hangs            calls work() and runs itself once more (exec), with HANGS set: with the library that is for ever
 *   hangs SIGNAL     the same, with the signal ignored
 *   hangs blocks     blocks all signals for five seconds, then ends with status 7
 *
 * The library: with -DLIBRARY. It says "hangs" on standard output where it begins to.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBRARY
ssize_t readlink(const char *path, char *text, size_t size)
{
    const char *waits = getenv("HANGS");
    if (waits == NULL || strcmp(path, "/proc/self/exe") != 0)
        return syscall(SYS_readlink, path, text, size);
    if (write(STDOUT_FILENO, "hangs\n", 6) != 6)
        abort();
    for (;;)
        pause();
}
#else
__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

static int block(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    puts("hangs");
    fflush(stdout);
    sleep(5);
    return 7;
}

int main(int argc, char **argv)
{
    work();
    if (argc > 1 && strcmp(argv[1], "blocks") == 0) {
        int status = block();
        _exit(status);
    }
    if (getenv("HANGS") != NULL)
        return 0;
    if (argc > 1)
        signal(atoi(argv[1]), SIG_IGN);
    setenv("HANGS", "1", 1);
    execv(argv[0], argv);
    return 1;
}
#endif
