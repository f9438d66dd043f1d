/*
 * Runs a program, and sends signals at random instants to random threads of it and of its children
 * that nest.c prepared; and stops and continues them, and the program that it started itself.
 *
 *   pester SEED FILE PAUSE_US CPU PROGRAM ARGUMENT...
 *
 * FILE is the shared file (nest.h), PAUSE_US how long it waits at most between two signals (0: it
 * sends none), CPU the only one to run on (-1: any). It sends signals for SECONDS: on a busy machine a
 * thread at its end, whose every event is written at once, may otherwise do nothing but handle them. Waits until the program and all that it left
 * behind have ended; SIGTERM kills them. Exit status: the program's, 128 + signal; 125 after
 * SIGTERM, 124 if it could not do its work. */
#define _GNU_SOURCE
#include "tests/stress/nest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 512u
#define SECONDS 60

static const int sent[] = {SIGURG, SIGWINCH, SIGCHLD, SIGCONT};
static uint64_t random_state;
static struct nest *shared;
static volatile sig_atomic_t told_to_end;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static void pause_us(uint32_t us)
{
    struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
    nanosleep(&time, NULL);
}

static void on_term(int number)
{
    told_to_end = number;
}

/* Its parent; 0 = it has none, or is gone. */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[256];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    for (ssize_t i = length - 1; i > 0; i--) /* after the name, which may hold anything */
        if (text[i] == ')') {
            text[length] = 0;
            sscanf(text + i + 1, " %*c %d", &parent);
            break;
        }
    return parent;
}

/* A pid in the list may be another's by now: only what descends from us is signalled. */
static bool is_ours(pid_t pid)
{
    while (pid > 1)
        if ((pid = parent_of(pid)) == getpid())
            return true;
    return false;
}

static uint32_t threads_of(pid_t pid, pid_t *threads)
{
    char path[32];
    uint32_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; count < THREADS_MAX && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            threads[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
    closedir(folder);
    return count;
}

/* One of the last processes that came, as most live but a moment; 0 = none. */
static pid_t some_process(void)
{
    uint32_t used = __atomic_load_n(&shared->pids_used, __ATOMIC_ACQUIRE);
    if (used > NEST_PIDS_MAX)
        used = NEST_PIDS_MAX;
    for (uint32_t i = 0; i < used && i < 8; i++) {
        uint32_t back = random_below(4) == 0 ? used : used < 4 ? used : 4;
        pid_t pid =
            (pid_t)__atomic_load_n(&shared->pids[used - 1 - random_below(back)], __ATOMIC_ACQUIRE);
        if (pid > 0 && is_ours(pid))
            return pid;
    }
    return 0;
}

static void signal_threads(uint32_t pause)
{
    pid_t threads[THREADS_MAX];
    pid_t pid = some_process();
    uint32_t count = pid != 0 ? threads_of(pid, threads) : 0;
    for (uint32_t i = 0; count > 0 && i < 16; i++) {
        pid_t thread = threads[random_below(count)];
        /* Several at once: so that one handler interrupts another. */
        for (uint32_t k = 0, at_once = 1 + random_below(3); k < at_once; k++)
            syscall(SYS_tgkill, pid, thread, sent[random_below(4)]);
        pause_us(random_below(pause));
    }
}

static void stop_for_a_moment(pid_t started)
{
    pid_t pid = random_below(3) == 0 ? started : some_process();
    if (pid == 0 || kill(pid, SIGSTOP) != 0)
        return;
    pause_us(random_below(random_below(4) == 0 ? 30000 : 3000));
    kill(pid, SIGCONT);
}

static void kill_all(pid_t started)
{
    uint32_t used = __atomic_load_n(&shared->pids_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < NEST_PIDS_MAX; i++)
        if (shared->pids[i] != 0 && is_ours((pid_t)shared->pids[i]))
            kill((pid_t)shared->pids[i], SIGKILL);
    if (is_ours(started))
        kill(started, SIGKILL);
}

/* Reaps what has ended. Returns whether some child is left; *status gets the program's. */
static bool children_left(pid_t *started, int *status)
{
    for (;;) {
        int how;
        pid_t gone = waitpid(-1, &how, WNOHANG);
        if (gone == 0)
            return true;
        if (gone < 0)
            return errno == EINTR;
        if (gone == *started) {
            *status = how;
            *started = 0;
        }
    }
}

static pid_t program_start(int cpu, char **argv)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu >= 0) {
        CPU_SET((size_t)cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    setsid();
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 124;
    random_state = strtoull(argv[1], NULL, 10) * 2 + 1;
    uint32_t pause = (uint32_t)strtoul(argv[3], NULL, 10);
    int cpu = (int)strtol(argv[4], NULL, 10);
    int file = open(argv[2], O_RDWR | O_CLOEXEC);
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct sigaction action = {.sa_handler = on_term};
    if (file < 0 || memory == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        sigaction(SIGTERM, &action, NULL) != 0)
        return 124;
    shared = memory;
    prctl(PR_SET_TIMERSLACK, 1);
    int status = 0;
    time_t end = time(NULL) + SECONDS;
    pid_t started = program_start(cpu, argv + 5);
    while (children_left(&started, &status)) {
        if (told_to_end)
            kill_all(started);
        if (pause == 0 || told_to_end || time(NULL) > end) {
            pause_us(2000);
        } else {
            signal_threads(pause);
            if (random_below(20) == 0)
                stop_for_a_moment(started);
            pause_us(random_below(pause));
        }
    }
    if (told_to_end)
        return 125;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
