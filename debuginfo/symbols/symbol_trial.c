/*
 * Trying to read debug information: see symbol_trial.h. It comes from strangers' files,
 * too, and libdwarf 20210528 crashes on some that are damaged. So the reading is tried in a process of its
 * own first, where it does not take long.
 */
#include "debuginfo/symbols/symbol_trial.h"

#include "base/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIED_BYTES_MAX (16u << 20) /* of debug information that are tried first */
#define TRIED_CPU_SECONDS_MAX 6     /* damage may also make it run forever */
#ifdef __SANITIZE_ADDRESS__
/* gcc 12's sanitizer does not hold its allocator's locks over fork(): where another thread has one, the child waits
 * for ever. */
#define TRIED_SECONDS_MAX 3
#else
#define TRIED_SECONDS_MAX 60
#endif
#define TRIES                                                                                      \
    3 /* where no end comes in that time: a load that was stopped for a minute (Ctrl-Z) was in it, too */

enum { SHORT = 3 }; /* the exit status of a try that ran short of memory */

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};

/* What is to end the process does: the thread that forked it may have blocked all signals. */
static void let_die(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        signal(deadly[i], SIG_DFL);
        sigaddset(&signals, deadly[i]);
    }
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* How a process that reads ends. */
static int try_once(void (*read)(void *context), void *context)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        const struct rlimit cpu = {TRIED_CPU_SECONDS_MAX, TRIED_CPU_SECONDS_MAX};
        int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_CPU, &cpu);
        if (quiet >= 0)
            dup2(quiet, STDERR_FILENO); /* the C library's last words */
        let_die();
        alarm(TRIED_SECONDS_MAX);
        read(context);
        _exit(shortage_noted() != 0 ? SHORT : 0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child < 0 ? 0 : status;
}

bool symbol_trial(const struct dwarf_file *debug, void (*read)(void *context), void *context)
{
    const struct dwarf_section *section = dwarf_file_section(debug, ".debug_info");
    if (section != NULL && section->size_bytes > TRIED_BYTES_MAX)
        return true;
    int status = try_once(read, context);
    for (int i = 1; i < TRIES && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM; i++)
        status = try_once(read, context);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SHORT) {
        shortage_note(ENOMEM); /* no damage */
        return true;
    }
    return status == 0;
}
