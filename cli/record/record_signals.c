/* Signals of `fisql record`: see record_signals.h. */
#include "cli/record/record_signals.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* System calls, because libc does not block two real-time signals that it keeps for itself. A mask
 * has a bit for each signal, the first one lowest. */
static uint64_t mask_set(int how, uint64_t mask)
{
    uint64_t old = 0;
    syscall(SYS_rt_sigprocmask, how, &mask, &old, sizeof mask);
    return old;
}

static uint64_t mask_of(int number)
{
    return (uint64_t)1 << (number - 1);
}

static bool mask_take(uint64_t mask, int timeout_ms, siginfo_t *info)
{
    struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    return syscall(SYS_rt_sigtimedwait, &mask, info, &timeout, sizeof mask) > 0;
}

void signals_begin(struct signals *signals)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    *signals = (struct signals){.mask = mask_set(SIG_BLOCK, ~(uint64_t)0)};
    sigaction(SIGCHLD, &normal, &signals->child); /* ignored, it would lose the exit status */
    witness_start(&signals->witness);
}

void signals_inherit(const struct signals *signals)
{
    sigaction(SIGCHLD, &signals->child, NULL);
    mask_set(SIG_SETMASK, signals->mask);
}

/* Did the program get the signal, too, or does it not concern the program? */
static bool is_for_us(struct signals *signals, const siginfo_t *info)
{
    int number = info->si_signo;
    if (info->si_code <= 0 && info->si_pid != 0 &&
        (info->si_pid == getpid() || info->si_pid == signals->witness.pid))
        return true; /* SIGPIPE, SIGXFSZ: our own writing; SIGCONT: we go on */
    bool group = witness_got(&signals->witness, info);
    if (info->si_code <= 0) /* sent by a process */
        return group;
    /* Sent by the kernel to all processes of a terminal, except by a timer that was set before we
     * were started, and the signals of the first process of a session that loses its terminal. */
    if (number == SIGALRM || number == SIGVTALRM || number == SIGPROF)
        return false;
    return !((number == SIGHUP || number == SIGCONT) && getsid(0) == getpid());
}

static void pass_on(pid_t program, siginfo_t *info)
{
    /* With its value and sender, if the kernel allows it. */
    if (info->si_code == SI_QUEUE &&
        syscall(SYS_rt_sigqueueinfo, program, info->si_signo, info) == 0)
        return;
    kill(program, info->si_signo);
}

/* Takes the signal's default action. */
static void stop_self(int number)
{
    struct sigaction normal = {.sa_handler = SIG_DFL}, old = normal;
    sigaction(number, &normal, &old);
    kill(getpid(), number);
    mask_set(SIG_UNBLOCK, mask_of(number)); /* stops here */
    mask_set(SIG_BLOCK, mask_of(number));
    sigaction(number, &old, NULL);
}

static bool asks_to_end(int number)
{
    return number == SIGTERM || number == SIGINT || number == SIGQUIT || number == SIGHUP;
}

/* Without a program, signals are meant for us. */
static void take_action(struct signals *signals, int number)
{
    if (asks_to_end(number))
        signals->end_asked = number;
    else if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
        stop_self(number);
}

void signals_wait(struct signals *signals, int timeout_ms)
{
    siginfo_t info;
    while (mask_take(~(uint64_t)0, timeout_ms, &info)) {
        timeout_ms = 0;
        if (info.si_signo == SIGCHLD && info.si_code > 0)
            continue; /* the caller checks the program in any case */
        if (signals->program != 0 && asks_to_end(info.si_signo))
            signals->ends_asked |= mask_of(info.si_signo);
        if (signals->program == 0)
            take_action(signals, info.si_signo);
        else if (info.si_signo == signals->summary)
            __atomic_fetch_add(&signals->summaries, 1, __ATOMIC_RELEASE);
        else if (!is_for_us(signals, &info))
            pass_on(signals->program, &info);
    }
}

void signals_stop(struct signals *signals, int number)
{
    witness_watch(&signals->witness, signals->program);
    if (number == SIGSTOP && signals->witness.pid == 0)
        return; /* perhaps nobody would continue us; after a stop by a terminal, the shell does */
    stop_self(number);
    witness_unwatch(&signals->witness);
}

void signals_program_ended(struct signals *signals)
{
    siginfo_t info;
    /* Signals from before the end have been handled; those that the terminal or group got since
     * were meant for the program. Any other asks us to end. */
    while (mask_take(~mask_of(SIGCHLD), 0, &info))
        if (!is_for_us(signals, &info))
            take_action(signals, info.si_signo);
    signals->program = 0;
    witness_end(&signals->witness);
}

void signals_die(int number)
{
    struct rlimit none = {0, 0};
    struct sigaction normal = {.sa_handler = SIG_DFL};
    setrlimit(RLIMIT_CORE, &none);
    sigaction(number, &normal, NULL);
    kill(getpid(), number);
    mask_set(SIG_UNBLOCK, mask_of(number));
}
