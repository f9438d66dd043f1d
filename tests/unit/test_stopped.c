/* Stopping a process of several threads and letting it go: it must not notice. Code that stopped
 * threads run for us. */
#include "cli/record/remote.h"
#include "cli/record/stopped.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) check((condition), "%s", #condition)
#define STOPS 100

#if defined(__x86_64__)

/* What the process counts, shared with us. */
struct counts {
    uint64_t signals, broken_calls, spins, threads, calls, steps_started;
    uint64_t sleep_early;
    int end;
};
static struct counts *counts;

/* Instructions within which the thread is most of the time. */
void spin_in(void);
void spin_start(void);
void spin_end(void);
__asm__(".globl spin_in\nspin_in:\n\t"
        "movl $2000, %ecx\n"
        "spin_start: nop\n\tpause\n\tnop\n\tpause\n\tnop\n\tnop\n"
        "spin_end: decl %ecx\n\tjnz spin_start\n\tret\n");

static void on_signal(int number)
{
    (void)number;
    __atomic_fetch_add(&counts->signals, 1, __ATOMIC_RELAXED);
}

/* A handler that waits within, so that its context can be found. */
static void on_stay(int number)
{
    (void)number;
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED))
        pause();
}

/* A lock that is held most of the time by a thread that must run to give it back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused)
{
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED)) {
        pthread_mutex_lock(&lock);
        usleep(2000);
        pthread_mutex_unlock(&lock);
        usleep(100);
    }
    return unused;
}

static uint64_t takes_lock(uint64_t number)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return number + 1;
}

static void *stays(void *unused)
{
    raise(SIGUSR2);
    return unused;
}

static void *spins(void *unused)
{
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED)) {
        spin_in();
        __atomic_fetch_add(&counts->spins, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

static void *waits(void *unused)
{
    struct epoll_event event;
    int file = epoll_create1(0);
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED))
        if (epoll_wait(file, &event, 1, 20) < 0)
            __atomic_fetch_add(&counts->broken_calls, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *sleeps(void *unused)
{
    const struct timespec nap = {0, 3000000};
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED))
        if (nanosleep(&nap, NULL) != 0)
            __atomic_fetch_add(&counts->sleep_early, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *ends(void *unused)
{
    __atomic_fetch_add(&counts->threads, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *begins(void *unused)
{
    pthread_t thread;
    while (!__atomic_load_n(&counts->end, __ATOMIC_RELAXED))
        if (pthread_create(&thread, NULL, ends, NULL) == 0)
            pthread_join(thread, NULL);
    return unused;
}

static int program(void)
{
    static void *(*const all[])(void *) = {spins, waits, sleeps, begins};
    pthread_t threads[4], other;
    sigset_t set;
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_stay);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* the main thread alone gets them */
    pthread_create(&other, NULL, stays, NULL);
    pthread_create(&other, NULL, locks, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, all[i], NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 7;
}

/* A function that the process calls for us. */
static uint64_t called(uint64_t one, uint64_t two)
{
    __atomic_fetch_add(&counts->calls, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 50; i++)
        syscall(SYS_getppid); /* no sleep: the kernel keeps one that was interrupted to go on */
    return one * 1000 + two;
}

static void nap_ms(long ms)
{
    const struct timespec nap = {0, ms * 1000000};
    nanosleep(&nap, NULL);
}

static void sets_position(uint64_t position, void *context)
{
    *(uint64_t *)context = position;
}

static void check_contexts(pid_t pid)
{
    struct stopped stopped = {0};
    struct error error;
    unsigned found = 0;
    if (stopped_begin(&stopped, pid, 3000, &error) == 0)
        for (size_t i = 0; i < stopped.count; i++) {
            uint64_t position = 0;
            stopped_contexts(&stopped, i, sets_position, &position);
            found += position != 0;
        }
    stopped_end(&stopped);
    check(found == 1, "the context that a handler returns to is found: %u", found);
}

static void check_step_out(pid_t pid)
{
    const struct stopped_range range = {(uint64_t)(uintptr_t)spin_start,
                                        (uint64_t)(uintptr_t)spin_end};
    struct error error;
    unsigned inside = 0, left = 0;
    for (int i = 0; i < 40; i++) {
        struct stopped stopped = {0};
        if (stopped_begin(&stopped, pid, 3000, &error) != 0)
            break;
        for (size_t k = 0; k < stopped.count; k++) {
            if (!stopped_in(&range, 1, stopped.threads[k].registers.rip))
                continue;
            inside++;
            left += stopped_step_out(&stopped, k, &range, 1, 10) &&
                    !stopped_in(&range, 1, stopped.threads[k].registers.rip);
        }
        stopped_end(&stopped);
        nap_ms(3);
    }
    check(inside > 5 && left == inside, "%u of %u threads in a range are led out of it", left,
          inside);
}

static void check_remote(pid_t pid)
{
    struct stopped stopped = {0};
    struct remote remote;
    struct error error = {.text = ""};
    uint64_t result = 0;
    unsigned asked = 0, done = 0;
    for (int i = 0; i < 20; i++) {
        if (stopped_begin(&stopped, pid, 3000, &error) != 0)
            break;
        for (size_t k = 0; k < stopped.count; k++) {
            if (stopped.threads[k].signal != 0)
                continue;
            asked++;
            if (remote_begin(&remote, &stopped, k, &error) != 0)
                break;
            long tid = remote_system_call(&remote, SYS_gettid, (const uint64_t[6]){0});
            done += tid == (long)stopped.threads[k].tid &&
                    remote_function(&remote, "called", (uint64_t)(uintptr_t)called,
                                    (const uint64_t[3]){(uint64_t)i, k, 0}, 3000, &result,
                                    &error) == 0 &&
                    result == (uint64_t)i * 1000 + k;
            remote_end(&remote);
        }
        stopped_end(&stopped);
    }
    check(asked > 60 && done == asked && counts->calls == asked,
          "%u of %u threads made a system call and called a function for us %s", done, asked,
          error.text);
}

/* A function that runs while all else is stopped, and wants a lock that a stopped thread holds. */
static void check_alone(pid_t pid)
{
    struct stopped stopped = {0};
    struct remote remote;
    struct error error = {.text = ""};
    unsigned done = 0, released = 0;
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t result = 0;
        if (stopped_begin(&stopped, pid, 3000, &error) != 0)
            break;
        size_t k = stopped_find(&stopped, pid), all = stopped.count;
        if (k < all && remote_begin(&remote, &stopped, k, &error) == 0) {
            remote.alone = true;
            done += remote_function(&remote, "takes_lock", (uint64_t)(uintptr_t)takes_lock,
                                    (const uint64_t[3]){i, 0, 0}, 10000, &result, &error) == 0 &&
                    result == i + 1 && !remote.alone;
            released += stopped.count == 1 && all > 1;
            remote_end(&remote);
        }
        stopped_end(&stopped);
        nap_ms(1);
    }
    check(done == 20 && released > 0,
          "%u of 20 functions got their lock, others were let go for %u %s", done, released,
          error.text);
}

static void check_refused(pid_t pid)
{
    struct stopped first = {0}, second = {0};
    struct error error = {.text = ""};
    pid_t other = fork();
    if (other == 0) {
        int status = stopped_begin(&first, pid, 3000, &error);
        sleep(20);
        _exit(status);
    }
    nap_ms(300);
    check(stopped_begin(&second, pid, 3000, &error) != 0 &&
              strstr(error.text, "traces it already") != NULL,
          "a second tracer is refused: %s", error.text);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    CHECK(stopped_begin(&first, 1 << 30, 100, &error) != 0 &&
          strstr(error.text, "there is no such process") != NULL);
}

int main(void)
{
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(program());
    nap_ms(200);
    struct error error = {.text = ""};
    unsigned stops = 0, all = 0;
    uint64_t sent = 0, position = 0;
    for (int i = 0; i < STOPS; i++) {
        struct stopped stopped = {0};
        uint64_t before = counts->signals;
        kill(pid, SIGUSR1);
        sent++;
        if (stopped_begin(&stopped, pid, 3000, &error) == 0) {
            stops++;
            all += stopped.count >= 5;
            uint64_t spins_before = counts->spins, number = 0;
            CHECK(i > 0 || (stopped_read(&stopped, (uint64_t)(uintptr_t)&counts, &number, 8) &&
                            number == (uint64_t)(uintptr_t)counts));
            if (i == 0)
                nap_ms(100);
            CHECK(i > 0 || counts->spins == spins_before);
            stopped_contexts(&stopped, 0, sets_position, &position);
            if (i % 3 == 0) {
                stopped_keep_one(&stopped, 0);
                nap_ms(2);
                CHECK(stopped_all_again(&stopped, 3000, &error) == 0 && stopped.count >= 5);
            }
        }
        stopped_end(&stopped);
        for (int waits_left = 500; counts->signals == before && waits_left > 0; waits_left--)
            nap_ms(1);
    }
    check(stops == STOPS && all == STOPS, "stopped %u times, all threads %u times: %s", stops, all,
          error.text);
    check(counts->signals == sent, "%llu of %llu signals came", (unsigned long long)counts->signals,
          (unsigned long long)sent);
    check_contexts(pid);
    check_step_out(pid);
    check_remote(pid);
    check_alone(pid);
    check(counts->broken_calls == 0, "%llu waits ended early",
          (unsigned long long)counts->broken_calls);
    check(counts->sleep_early == 0, "%llu sleeps ended early",
          (unsigned long long)counts->sleep_early);
    check_refused(pid); /* a tracer is killed: waits end early */
    counts->end = 1;
    int status = 0;
    waitpid(pid, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "it ends as it would have");
    return check_status();
}

#else
int main(void)
{
    return check_status();
}
#endif
