/* The witness of signals to our process group: see signal_witness.h. */
#include "cli/record/signal_witness.h"

#include "cli/record/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WATCH_MS 20
#define FILES_MAX 4096   /* that we may have open */
#define PATIENCE_MS 1000 /* for an answer: later, it is stopped or gone */

struct question {
    int number;    /* of a signal; 0 = watch `program` */
    pid_t program; /* 0 = no more */
    pid_t sender;
};

/* ---- in the witness ---- */

/* Clears the arguments, so that a search for our name does not find the witness. */
static void forget_arguments(void)
{
    char line[2048];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, line, sizeof line - 1) : -1;
    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = 0;
    const char *at = strrchr(line, ')');
    for (int field = 2; at != NULL && field < 48; field++)
        at = strchr(at + 1, ' ');
    uintptr_t start = 0, end = 0;
    if (at != NULL && sscanf(at, " %lu %lu", &start, &end) == 2 && start != 0 && end > start)
        memset((void *)start, 0, end - start);
    prctl(PR_SET_NAME, "signal-witness");
}

static bool is_stopped(pid_t pid)
{
    struct process_stat stat;
    return process_stat_read(pid, &stat) && (stat.state == 'T' || stat.state == 't');
}

static bool take_signal(const struct question *question)
{
    siginfo_t info;
    struct timespec now = {0, 0};
    uint64_t one = (uint64_t)1 << (question->number - 1);
    return syscall(SYS_rt_sigtimedwait, &one, &info, &now, sizeof one) == question->number &&
           info.si_pid == question->sender;
}

static __attribute__((noreturn)) void serve(pid_t recorder, int questions, int answers)
{
    pid_t watched = 0;
    for (;;) {
        struct pollfd wait = {.fd = questions, .events = POLLIN};
        struct question question;
        int ready = poll(&wait, 1, watched != 0 ? WATCH_MS : -1);
        if (getppid() != recorder)
            _exit(0);
        if (watched != 0 && !is_stopped(watched))
            kill(recorder, SIGCONT);
        if (ready <= 0)
            continue;
        if (read(questions, &question, sizeof question) != (ssize_t)sizeof question)
            _exit(0);
        if (question.number == 0) {
            watched = question.program;
            continue;
        }
        char yes = take_signal(&question);
        if (write(answers, &yes, 1) != 1)
            _exit(0);
    }
}

static __attribute__((noreturn)) void witness_main(pid_t recorder, int questions, int answers)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    forget_arguments();
    /* It must keep nothing open that others wait to be closed. */
    if (dup2(questions, 0) != 0 || dup2(answers, 1) != 1)
        _exit(0);
    if (syscall(SYS_close_range, 2, ~0u, 0) != 0) /* before Linux 5.9 */
        for (int file = 2; file < FILES_MAX; file++)
            close(file);
    serve(recorder, 0, 1);
}

/* ---- in the recorder ---- */

void witness_start(struct witness *witness)
{
    int questions[2], answers[2];
    *witness = (struct witness){.ask = -1, .answer = -1};
    if (pipe2(questions, O_CLOEXEC) != 0)
        return;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        close(questions[0]);
        close(questions[1]);
        return;
    }
    pid_t recorder = getpid();
    pid_t pid = fork();
    if (pid == 0)
        witness_main(recorder, questions[0], answers[1]);
    close(questions[0]);
    close(answers[1]);
    witness->ask = questions[1];
    witness->answer = answers[0];
    if (pid > 0)
        witness->pid = pid;
    else
        witness_end(witness);
}

void witness_end(struct witness *witness)
{
    if (witness->ask >= 0)
        close(witness->ask);
    if (witness->answer >= 0)
        close(witness->answer);
    if (witness->pid > 0) {
        kill(witness->pid, SIGKILL);
        waitpid(witness->pid, NULL, 0);
    }
    *witness = (struct witness){.ask = -1, .answer = -1};
}

static bool ask(struct witness *witness, const struct question *question)
{
    if (witness->pid == 0)
        return false;
    if (write(witness->ask, question, sizeof *question) == (ssize_t)sizeof *question)
        return true;
    witness_end(witness);
    return false;
}

bool witness_got(struct witness *witness, const siginfo_t *info)
{
    struct question question = {.number = info->si_signo, .sender = info->si_pid};
    /* The kernel sends a signal to one member of the group after another under a lock that
     * setpgid() takes, too: so the witness has it by now. */
    setpgid(0, getpgrp());
    if (!ask(witness, &question))
        return false;
    struct pollfd wait = {.fd = witness->answer, .events = POLLIN};
    for (int waited = 0; waited < PATIENCE_MS; waited += PATIENCE_MS / 10) {
        char yes;
        int ready = poll(&wait, 1, PATIENCE_MS / 10);
        if (ready > 0 && read(witness->answer, &yes, 1) == 1)
            return yes != 0;
        if (ready != 0)
            break;
        kill(witness->pid, SIGCONT); /* somebody may have stopped it */
    }
    witness_end(witness);
    return false;
}

void witness_watch(struct witness *witness, pid_t program)
{
    ask(witness, &(struct question){.program = program});
}

void witness_unwatch(struct witness *witness)
{
    ask(witness, &(struct question){.program = 0});
}
