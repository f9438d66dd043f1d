/*
 * A server that is attached to: attached SECONDS [fork] [handler].
 *
 * Four threads answer requests of a client, a process of its own, over sockets; one computes without
 * ever waiting; one begins threads and joins them; `fork`: one forks children that call functions;
 * `handler`: a timer's signal handler calls functions. A function waits within calls of others (deep).
 * One thread stays in the first bytes of a function. At the end, prints how many requests were answered, how many answers were wrong, and whether a
 * system call failed or the threads' signal masks changed: what attaching must not do.
 *
 * Prints "ready PID" when it serves.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4
#define FUNCTION __attribute__((noinline, noclone))

/* pause(), with the system call among the first five bytes. */
int pauses_first(void);
__asm__(".text\n.globl pauses_first\n.type pauses_first, @function\npauses_first:\n"
        ".cfi_startproc\n\tpushq $34\n\tpopq %rax\n\tsyscall\n\tnop\n\tnop\n\tret\n"
        ".cfi_endproc\n.size pauses_first, . - pauses_first\n");

static int client_end[WORKERS], server_end[WORKERS];
static volatile int over;
static uint64_t answered, failed, masks, threads, alarms, children, computed, children_wrong;

FUNCTION uint64_t step(uint64_t value)
{
    __asm__ volatile("" ::: "memory");
    return value * 6364136223846793005u + 1442695040888963407u;
}

FUNCTION uint64_t steps(uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        value = step(value);
    return value;
}

FUNCTION uint64_t fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Waits at the bottom, with `depth` calls open. */
FUNCTION int wait_deep(int file, struct epoll_event *event, int depth)
{
    if (depth > 0) {
        int got = wait_deep(file, event, depth - 1);
        __asm__ volatile("" ::: "memory");
        return got;
    }
    return epoll_wait(file, event, 1, -1);
}

FUNCTION uint64_t answer_of(uint64_t request)
{
    return steps(request, (int)(request % 50)) ^ fib((unsigned)(request % 12));
}

FUNCTION int serve_one(int socket)
{
    uint64_t request, answer;
    if (read(socket, &request, sizeof request) != (ssize_t)sizeof request)
        return -1;
    answer = answer_of(request);
    return write(socket, &answer, sizeof answer) == (ssize_t)sizeof answer ? 0 : -1;
}

static uint64_t mask_now(void)
{
    sigset_t set;
    uint64_t mask = 0;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    memcpy(&mask, &set, sizeof mask);
    return mask;
}

static void *worker(void *context)
{
    int socket = *(int *)context;
    struct epoll_event event = {.events = EPOLLIN};
    int file = epoll_create1(0);
    uint64_t mask = mask_now();
    epoll_ctl(file, EPOLL_CTL_ADD, socket, &event);
    for (;;) {
        int got = wait_deep(file, &event, 20);
        if (got < 0)
            __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
        if (got == 1 && serve_one(socket) != 0)
            break;
        if (got == 1)
            __atomic_fetch_add(&answered, 1, __ATOMIC_RELAXED);
        if (mask_now() != mask)
            __atomic_fetch_add(&masks, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *computes(void *unused)
{
    uint64_t value = 1;
    while (!over) {
        value = steps(value, 1000) + fib(10);
        computed++;
    }
    return (void *)(uintptr_t)(value & (unused != NULL));
}

static void *short_lived(void *unused)
{
    __atomic_fetch_add(&threads, steps(1, 10) != 0, __ATOMIC_RELAXED);
    return unused;
}

static void *stays(void *unused)
{
    pauses_first();
    return unused;
}

static void *begins(void *unused)
{
    const struct timespec nap = {0, 500000};
    pthread_t thread;
    while (!over) {
        if (pthread_create(&thread, NULL, short_lived, NULL) == 0)
            pthread_join(thread, NULL);
        nanosleep(&nap, NULL);
    }
    return unused;
}

static void *forks(void *unused)
{
    const struct timespec nap = {0, 5000000};
    while (!over) {
        pid_t pid = fork();
        if (pid == 0) {
            uint64_t value = 0;
            for (int i = 0; i < 100; i++) {
                value += answer_of((uint64_t)i);
                nanosleep(&(struct timespec){0, 200000}, NULL);
            }
            _exit(value == 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        __atomic_fetch_add(&children, 1, __ATOMIC_RELAXED);
        if (status != 0)
            __atomic_fetch_add(&children_wrong, 1, __ATOMIC_RELAXED);
        nanosleep(&nap, NULL);
    }
    return unused;
}

FUNCTION int handle(int number)
{
    alarms += steps((uint64_t)number, 200) != 0;
    return 0;
}

/* Its first instructions hold a call. */
static void on_alarm(int number)
{
    int error = errno;
    errno = error + handle(number);
}

static volatile sig_atomic_t asked_to_end;

static void on_term(int number)
{
    asked_to_end = number;
}

/* The client: sends until the time is over, or SIGTERM; exits with 0 if all answers were right. */
static int client(double seconds)
{
    signal(SIGTERM, on_term);
    uint64_t sent = 0, got = 0, wrong = 0, next = 1;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        uint64_t request[WORKERS], answer;
        for (int i = 0; i < WORKERS; i++) {
            request[i] = next = next * 2862933555777941757u + 3037000493u;
            sent += write(client_end[i], &request[i], sizeof request[i]) == sizeof request[i];
        }
        for (int i = 0; i < WORKERS; i++) {
            got += read(client_end[i], &answer, sizeof answer) == sizeof answer;
            wrong += answer != answer_of(request[i]);
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!asked_to_end &&
             (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 <
                 seconds);
    printf("client: sent %llu, unanswered %llu, wrong %llu\n", (unsigned long long)sent,
           (unsigned long long)(sent - got), (unsigned long long)wrong);
    fflush(stdout);
    return sent != got || wrong != 0;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    pthread_t workers[WORKERS], others[3];
    int others_count = 0, with_fork = 0, with_handler = 0, status = 0;
    for (int i = 2; i < argc; i++) {
        with_fork |= strcmp(argv[i], "fork") == 0;
        with_handler |= strcmp(argv[i], "handler") == 0;
    }
    for (int i = 0; i < WORKERS; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
            return 3;
        client_end[i] = pair[0];
        server_end[i] = pair[1];
    }
    pid_t pid = fork();
    if (pid == 0)
        _exit(client(seconds));
    signal(SIGTERM, SIG_IGN); /* it ends when the client does */
    for (int i = 0; i < WORKERS; i++)
        close(client_end[i]);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    const struct itimerval every = {{0, 700}, {0, 700}};
    sigset_t alarm_set;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &server_end[i]);
    pthread_create(&others[0], NULL, stays, NULL); /* until the process ends */
    pthread_create(&others[others_count++], NULL, begins, NULL);
    if (with_fork)
        pthread_create(&others[others_count++], NULL, forks, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL); /* the computing thread gets it */
    pthread_create(&others[others_count++], NULL, computes, NULL);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    if (with_handler) {
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &every, NULL);
    }
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    waitpid(pid, &status, 0);
    over = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < others_count; i++)
        pthread_join(others[i], NULL);
    printf("server: failed %llu, masks %llu, children wrong %llu\n", (unsigned long long)failed,
           (unsigned long long)masks, (unsigned long long)children_wrong);
    fprintf(stderr, "answered %llu, threads %llu, alarms %llu, children %llu, computed %llu\n",
            (unsigned long long)answered, (unsigned long long)threads, (unsigned long long)alarms,
            (unsigned long long)children, (unsigned long long)computed);
    return status == 0 ? 0 : 1;
}
