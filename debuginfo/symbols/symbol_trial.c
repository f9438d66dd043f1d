/* Trying to read debug information: see symbol_trial.h. libdwarf 20210528 crashes on some damaged
 * files, and they may come from strangers. */
#include "debuginfo/symbols/symbol_trial.h"

#include "base/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIED_BYTES_MAX (16u << 20) /* of debug information; more is not tried */
#define TRIED_CPU_SECONDS_MAX 6     /* damage may also make a reader run forever */
#ifdef __SANITIZE_ADDRESS__
/* gcc 12's sanitizer does not hold its allocator's locks over fork(): if another thread has one,
 * the child waits for ever. */
#define TRIED_SECONDS_MAX 3
#else
#define TRIED_SECONDS_MAX 60
#endif
#define TRIES 3 /* if the time runs out: it also passes while a load is stopped (Ctrl-Z) */

enum { SHORT = 3 }; /* the exit status of a try without memory */

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};

/* Lets deadly signals end the process: the thread that forked may have blocked them all. */
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

/* Returns how a process that reads ends. */
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
        shortage_note(ENOMEM); /* not damage */
        return true;
    }
    return status == 0;
}
