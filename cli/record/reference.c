/* The program once more, without the collector: see reference.h. */
#include "cli/record/reference.h"

#include "cli/out/interrupts.h"
#include "cli/out/say.h"
#include "formats/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 20
#define KILL_AFTER_MS 1000 /* a program that does not end when asked to is killed */

/* Descriptor of the program's input, at its present place; -1 if it cannot be read twice. */
static int input_open(void)
{
    struct stat input, none;
    if (fstat(STDIN_FILENO, &input) != 0 || isatty(STDIN_FILENO) ||
        (S_ISCHR(input.st_mode) && stat("/dev/null", &none) == 0 && input.st_rdev == none.st_rdev))
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!S_ISREG(input.st_mode))
        return -1;
    /* With an offset of its own. */
    int file = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        lseek(file, lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
    return file;
}

int reference_prepare(struct reference *reference)
{
    const char *preload = getenv("LD_PRELOAD");
    *reference = (struct reference){.input = input_open()};
    if (reference->input < 0)
        return fail("--reference runs the program twice, and its input can be read only once: give "
                    "it a file, or </dev/null if it reads none");
    if (preload != NULL && (reference->preload = strdup(preload)) == NULL)
        return fail("out of memory");
    return 0;
}

void reference_release(struct reference *reference)
{
    if (reference->input >= 0)
        close(reference->input);
    free(reference->preload);
    *reference = (struct reference){.input = -1};
}

uint64_t reference_cpu_ns(const struct rusage *usage)
{
    return ((uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec) * 1000000000u +
           ((uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec) * 1000u;
}

/* In the child: restores what the program would have without us, but for its output. */
static void child_setup(const struct reference *reference)
{
    const struct rlimit none = {0, 0};
    int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (silent < 0 || dup2(reference->input, STDIN_FILENO) < 0 || dup2(silent, STDOUT_FILENO) < 0 ||
        dup2(silent, STDERR_FILENO) < 0)
        _exit(127);
    setrlimit(RLIMIT_CORE, &none);
    for (enum fisql_variable i = FISQL_VARIABLE_LOG; i <= FISQL_VARIABLE_HANDED; i++)
        unsetenv(fisql_variable(i));
    if (reference->preload != NULL)
        setenv("LD_PRELOAD", reference->preload, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* Waits for the program, and ends it when we are asked to end. Returns its status. */
static int reference_wait(pid_t pid, struct signals *signals, struct rusage *usage)
{
    int status = 0, asked_ms = 0;
    while (wait4(pid, &status, WNOHANG, usage) == 0) {
        signals_wait(signals, POLL_MS);
        if (!signals->end_asked)
            continue;
        if (asked_ms == 0)
            kill(pid, SIGTERM);
        else if (asked_ms >= KILL_AFTER_MS)
            kill(pid, SIGKILL);
        asked_ms += POLL_MS;
    }
    return status;
}

static bool ended_alike(int status, int expected)
{
    return WIFSIGNALED(status)
               ? WIFSIGNALED(expected) && WTERMSIG(status) == WTERMSIG(expected)
               : WIFEXITED(expected) && WEXITSTATUS(status) == WEXITSTATUS(expected);
}

uint64_t reference_run(const struct reference *reference, char **argv, struct signals *signals,
                       int expected)
{
    struct rusage usage = {0};
    pid_t pid = fork();
    if (pid == 0) {
        interrupts_child();
        signals_inherit(signals);
        child_setup(reference);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0) {
        note("the program cannot be run once more: %s", strerror(errno));
        return 0;
    }
    int status = reference_wait(pid, signals, &usage);
    if (signals->end_asked) {
        note("the reference run was ended: it does not count");
        return 0;
    }
    if (!ended_alike(status, expected)) {
        note("the reference run did not end as the recorded one did: it does not count");
        return 0;
    }
    return reference_cpu_ns(&usage);
}
