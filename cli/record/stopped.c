/*
 * See stopped.h.
 *
 * Threads begin threads while we stop them, so we look at /proc/PID/task again until a look finds
 * none that we do not hold. A thread whose signal came first stops on its delivery; we keep the
 * signal, and PTRACE_DETACH delivers it.
 *
 * A thread can be killed at any instant, also while it is stopped. Then it is ours until we have
 * waited for its end: without that the process never ends for its parent. But the end of a process
 * whose parent we are is not taken here: `fisql record` waits for its program's status.
 */
#include "cli/record/stopped.h"

#include "base/array.h"
#include "cli/record/process_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE_MAX 1024
#define STEP_MS 300          /* for an instruction: other threads of the processor go first */
#define INTERRUPTED_MS 10000 /* and until a system call that it has begun is interrupted */
#define LOOK_NS 200000L      /* between two looks for a stop */
#define END_LOOKS 50

/* ---- what the kernel says ---- */

/* The first line of /proc/PID/NAME that begins with "KEY:", behind that; "" = none. */
static void status_line(pid_t pid, const char *key, char *text, size_t size)
{
    char path[64], line[256];
    size_t length = strlen(key);
    text[0] = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && text[0] == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            snprintf(text, size, "%s", line + length + 1);
    if (file != NULL)
        fclose(file);
}

long stopped_status(pid_t pid, const char *key)
{
    char text[128], *end;
    status_line(pid, key, text, sizeof text);
    long number = strtol(text, &end, 10);
    return end != text ? number : -1;
}

/* "PID (NAME)" */
static void name_of(pid_t pid, char *text, size_t size)
{
    char name[64];
    status_line(pid, "Name", name, sizeof name);
    name[strcspn(name, "\n")] = 0;
    snprintf(text, size, "%d (%s)", (int)pid, name[0] == '\t' ? name + 1 : name);
}

static int number_in(const char *path)
{
    int number = 0;
    FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%d", &number) != 1)
        number = 0;
    if (file != NULL)
        fclose(file);
    return number;
}

static bool refused_by_user(pid_t pid, char *text, size_t size)
{
    struct stat status;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    long user = stopped_status(pid, "Uid");
    if (geteuid() == 0 || user < 0)
        return false;
    const struct passwd *entry = user != (long)geteuid() ? getpwuid((uid_t)user) : NULL;
    if (user != (long)geteuid()) {
        snprintf(text, size, "it belongs to another user (%s): attach as that user, or as root",
                 entry != NULL ? entry->pw_name : "?");
        return true;
    }
    /* Of what its user may not look at, the files in /proc/PID belong to root. */
    if (stat(path, &status) != 0 || status.st_uid == geteuid())
        return false;
    snprintf(text, size,
             "it has, or had, other rights than its user (set-user-ID, set-group-ID, capabilities, "
             "prctl(PR_SET_DUMPABLE)): attach as root");
    return true;
}

void stopped_refusal(pid_t pid, char *text, size_t size)
{
    char name[128];
    long tracer = stopped_status(pid, "TracerPid");
    int scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
    if (tracer > 0) {
        name_of((pid_t)tracer, name, sizeof name);
        snprintf(text, size,
                 "%s traces it already: a process has one debugger at a time (gdb, strace)", name);
    } else if (refused_by_user(pid, text, size)) {
        return;
    } else if (scope == 3) {
        snprintf(text, size,
                 "this system forbids attaching until it is started anew "
                 "(/proc/sys/kernel/yama/ptrace_scope is 3)");
    } else if (scope > 0 && geteuid() != 0) {
        snprintf(text, size,
                 "/proc/sys/kernel/yama/ptrace_scope is %d: attach as root, or allow it "
                 "(echo 0 | sudo tee /proc/sys/kernel/yama/ptrace_scope)",
                 scope);
    } else {
        snprintf(text, size,
                 "the system does not let us attach to it (no CAP_SYS_PTRACE in its user "
                 "namespace, a container without that capability, SELinux or AppArmor)");
    }
}

/* ---- stopping ---- */

#if defined(__x86_64__)

size_t stopped_find(const struct stopped *stopped, pid_t tid)
{
    size_t at = 0;
    while (at < stopped->count && stopped->threads[at].tid != tid)
        at++;
    return at;
}

static void wait_a_little(void)
{
    const struct timespec look = {0, LOOK_NS};
    nanosleep(&look, NULL);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void remove_at(struct stopped *stopped, size_t index)
{
    stopped->threads[index] = stopped->threads[--stopped->count];
}

/* waitpid() for a thread of the process, without waiting; but the end of a child of ours is left for
 * whoever waits for it: -1. */
static pid_t thread_look(pid_t pid, pid_t tid, int *status)
{
    siginfo_t info = {.si_pid = 0};
    if (tid != pid || stopped_status(pid, "PPid") != (long)getpid())
        return waitpid(tid, status, __WALL | WNOHANG);
    if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL) != 0)
        return -1;
    if (info.si_pid == tid) {
        *status = info.si_status << 8 | 0x7f; /* WIFSTOPPED(); with the event of ptrace */
        return tid;
    }
    if (waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0)
        return -1;
    errno = ECHILD;
    bool ended = info.si_pid == tid && info.si_code != CLD_TRAPPED; /* a stop comes uncalled, too */
    return ended ? -1 : 0;
}

/* Takes in the stop that waitpid() reported. False: the thread is gone, or dies. */
static bool stop_take(struct stopped_thread *thread, int status)
{
    if (!WIFSTOPPED(status))
        return false;
    int event = status >> 16, number = WSTOPSIG(status);
    thread->signal = 0;
    if (event == 0 && ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &thread->info) == 0)
        thread->signal = number;
    thread->held = ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->registers) == 0;
    return thread->held;
}

/* Waits for the thread's next stop. 1, 0 if it is gone, -1 if the time is over. */
static int stop_wait(pid_t pid, struct stopped_thread *thread, uint64_t end_ms)
{
    for (;;) {
        int status = 0;
        pid_t got = thread_look(pid, thread->tid, &status);
        if (got == thread->tid && !WIFSTOPPED(status))
            return 0;
        if (got == thread->tid && stop_take(thread, status))
            return 1; /* else it dies: we wait for its end */
        if (got < 0 && errno != EINTR)
            return 0;
        if (now_ms() >= end_ms)
            return -1;
        wait_a_little();
    }
}

/* As proc(5) has it; 'X' if there is no such thread. */
static char state_of(pid_t tid)
{
    struct process_stat stat;
    return process_stat_read((long)tid, &stat) ? stat.state : 'X';
}

static bool is_dead(pid_t tid)
{
    char state = state_of(tid);
    return state == 'Z' || state == 'X';
}

static int refused(const struct stopped *stopped, struct error *error, const char *why)
{
    char name[128];
    name_of(stopped->pid, name, sizeof name);
    return error_set(error, "%s: %s", name, why);
}

/* Seizes a thread that is new to us; asks it to stop. 0, also if it is gone; -1 = refused. */
static int seize(struct stopped *stopped, pid_t tid, struct error *error)
{
    char why[512];
    if (array_reserve(&stopped->threads, &stopped->capacity, stopped->count + 1, error) != 0)
        return -1;
    /* One that did not stop in time when we asked before is ours still. */
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD) != 0 &&
        (errno != EPERM || stopped_status(tid, "TracerPid") != (long)getpid())) {
        if (errno == ESRCH || is_dead(tid))
            return 0;
        stopped_refusal(stopped->pid, why, sizeof why);
        return refused(stopped, error, why);
    }
    stopped->threads[stopped->count++] = (struct stopped_thread){.tid = tid};
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    return 0;
}

/* Seizes the threads that we do not hold. Returns how many there are, or -1 with *error set. */
static int seize_new(struct stopped *stopped, struct error *error)
{
    char path[64];
    int fresh = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)stopped->pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return error_set(error, "%d: there is no such process", (int)stopped->pid);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL && fresh >= 0;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        size_t before = stopped->count;
        if (tid <= 0 || stopped_find(stopped, tid) < before)
            continue;
        if (seize(stopped, tid, error) != 0)
            fresh = -1;
        else
            fresh += stopped->count > before;
    }
    closedir(folder);
    return fresh;
}

static int does_not_stop(const struct stopped *stopped, pid_t tid, struct error *error)
{
    char why[256];
    char state = state_of(tid);
    if (state == 'D')
        return refused(stopped, error,
                       "a thread of it does not stop: it sleeps in the kernel (state D: a disk or "
                       "network file system that is slow, or does not answer; or vfork())");
    snprintf(why, sizeof why, "a thread of it does not stop in time (state %c%s)", state,
             state == 'R' ? ": it waits for a processor, or is in a long system call" : "");
    return refused(stopped, error, why);
}

/* Waits for all that were asked to stop. */
static int stops_wait(struct stopped *stopped, uint64_t end_ms, struct error *error)
{
    for (size_t i = 0; i < stopped->count;) {
        struct stopped_thread *thread = &stopped->threads[i];
        int got = thread->held ? 1 : stop_wait(stopped->pid, thread, end_ms);
        if (got < 0)
            return does_not_stop(stopped, thread->tid, error);
        if (got > 0)
            i++;
        else
            remove_at(stopped, i);
    }
    return 0;
}

/* Reads where its mappings lie. */
static int maps_read(struct stopped *stopped, struct error *error)
{
    char path[64], *line = NULL;
    size_t size = 0;
    int status = 0;
    stopped->maps_count = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)stopped->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && status == 0 && getline(&line, &size, file) > 0) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx", &start, &end) == 2)
            status = array_add(&stopped->maps, &stopped->maps_count, &stopped->maps_capacity,
                               ((struct stopped_range){start, end}), error);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return status;
}

static int stop_all(struct stopped *stopped, unsigned timeout_ms, struct error *error)
{
    uint64_t end_ms = now_ms() + timeout_ms;
    for (int fresh = 1; fresh > 0;) {
        fresh = seize_new(stopped, error);
        if (fresh < 0 || stops_wait(stopped, end_ms, error) != 0)
            return -1;
    }
    return stopped->count > 0 ? maps_read(stopped, error)
                              : error_set(error, "%d: the process has ended", (int)stopped->pid);
}

int stopped_begin(struct stopped *stopped, pid_t pid, unsigned timeout_ms, struct error *error)
{
    char path[64];
    must(stopped->threads == NULL && pid > 0);
    *stopped = (struct stopped){.pid = pid, .memory = -1};
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int status = stop_all(stopped, timeout_ms, error);
    if (status == 0 && (stopped->memory = open(path, O_RDWR | O_CLOEXEC)) < 0) {
        char why[256];
        snprintf(why, sizeof why, "its memory cannot be opened: %s", strerror(errno));
        status = refused(stopped, error, why);
    }
    if (status != 0)
        stopped_end(stopped);
    return status;
}

int stopped_all_again(struct stopped *stopped, unsigned timeout_ms, struct error *error)
{
    return stop_all(stopped, timeout_ms, error);
}

/* ---- letting go ---- */

/* Does a signal that the process handles wait for the thread? Ignored ones wait, too, while it is
 * traced. */
static bool signal_waits(const struct stopped *stopped, const struct stopped_thread *thread)
{
    char path[64], line[256];
    unsigned long long pending = 0, blocked = 0, caught = 0, mask;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)stopped->pid, (int)thread->tid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "SigPnd: %llx", &mask) == 1 || sscanf(line, "ShdPnd: %llx", &mask) == 1)
            pending |= mask;
        else if (sscanf(line, "SigBlk: %llx", &mask) == 1)
            blocked = mask;
        else if (sscanf(line, "SigCgt: %llx", &mask) == 1)
            caught = mask;
    if (file != NULL)
        fclose(file);
    pending &= ~blocked;
    if (thread->signal > 0)
        pending |= 1ull << (thread->signal - 1);
    return (pending & caught) != 0;
}

/* Leads a thread back to the system call that our stop has ended (signal(7), "Interruption of system
 * calls and library functions by stop signals"). With a time limit it begins anew. */
static void call_again(const struct stopped *stopped, struct stopped_thread *thread)
{
    static const long calls[] = {
        SYS_epoll_wait,      SYS_epoll_pwait,  SYS_epoll_pwait2,  SYS_semop,  SYS_semtimedop,
        SYS_rt_sigtimedwait, SYS_io_getevents, SYS_io_pgetevents, SYS_msgrcv, SYS_io_uring_enter};
    struct user_regs_struct *registers = &thread->registers;
    if ((int64_t)registers->rax != -EINTR || signal_waits(stopped, thread))
        return;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((int64_t)registers->orig_rax == calls[i]) {
            struct user_regs_struct again = *registers;
            again.rax = again.orig_rax;
            again.orig_rax = UINT64_MAX;
            again.rip -= 2; /* syscall */
            if (ptrace(PTRACE_SETREGS, thread->tid, NULL, &again) == 0)
                *registers = again;
            return;
        }
}

/* Threads that have not stopped yet, and will be let go when they do. */
struct late_thread {
    pid_t pid, tid;
};
static _Thread_local struct late_thread late[LATE_MAX];
static _Thread_local size_t late_count;

static void late_add(const struct stopped *stopped, const struct stopped_thread *thread)
{
    if (late_count < LATE_MAX)
        late[late_count++] = (struct late_thread){stopped->pid, thread->tid};
}

static void let_go(const struct stopped *stopped, struct stopped_thread *thread)
{
    if (thread->held) {
        call_again(stopped, thread);
        if (thread->signal != 0)
            ptrace(PTRACE_SETSIGINFO, thread->tid, NULL, &thread->info);
        thread->held = false;
        if (ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal) != 0)
            late_add(stopped, thread); /* it was killed */
        return;
    }
    /* It was asked to stop and has not: it must, to be let go. */
    int status = 0;
    pid_t got = thread_look(stopped->pid, thread->tid, &status);
    if (got == thread->tid && WIFSTOPPED(status) && stop_take(thread, status))
        let_go(stopped, thread);
    else if (got == 0 || (got == thread->tid && WIFSTOPPED(status)))
        late_add(stopped, thread);
}

size_t stopped_late(void)
{
    size_t left = 0;
    for (size_t i = 0; i < late_count; i++) {
        struct stopped_thread thread = {.tid = late[i].tid};
        const struct stopped stopped = {.pid = late[i].pid};
        int got = stop_wait(late[i].pid, &thread, 0);
        if (got < 0) {
            late[left++] = late[i];
            continue;
        }
        if (thread.signal == SIGTRAP && thread.info.si_code > 0)
            thread.signal = 0; /* of a step */
        if (got > 0)
            let_go(&stopped, &thread);
    }
    return late_count = left;
}

void stopped_end(struct stopped *stopped)
{
    for (size_t i = 0; i < stopped->count; i++)
        let_go(stopped, &stopped->threads[i]);
    for (int looks = 0; looks < END_LOOKS && stopped_late() > 0; looks++)
        wait_a_little(); /* those that are being killed end soon */
    if (stopped->memory > 0)
        close(stopped->memory);
    free(stopped->threads);
    free(stopped->maps);
    *stopped = (struct stopped){0};
}

void stopped_keep_one(struct stopped *stopped, size_t thread)
{
    must(thread < stopped->count);
    struct stopped_thread one = stopped->threads[thread];
    for (size_t i = 0; i < stopped->count; i++)
        if (i != thread)
            let_go(stopped, &stopped->threads[i]);
    stopped->threads[0] = one;
    stopped->count = 1;
}

/* ---- memory and registers ---- */

bool stopped_read(const struct stopped *stopped, uint64_t address, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
    if (size == 0)
        return true;
    return process_vm_readv(stopped->pid, &here, 1, &there, 1, 0) == (ssize_t)size ||
           pread(stopped->memory, to, size, (off_t)address) == (ssize_t)size;
}

bool stopped_write(const struct stopped *stopped, uint64_t address, const void *from, size_t size)
{
    return size == 0 || pwrite(stopped->memory, from, size, (off_t)address) == (ssize_t)size;
}

bool stopped_set_registers(struct stopped *stopped, size_t thread,
                           const struct user_regs_struct *registers)
{
    struct stopped_thread *one = &stopped->threads[thread];
    must(one->held);
    if (ptrace(PTRACE_SETREGS, one->tid, NULL, registers) != 0)
        return false;
    one->registers = *registers;
    return true;
}

/* ---- out of a range ---- */

bool stopped_in(const struct stopped_range *ranges, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && address > ranges[low].start;
}

/* One instruction. The trap is a signal that the kernel forces on the thread: it must not be
 * blocked, or the kernel would change its handling. All others are. */
static bool step(pid_t pid, struct stopped_thread *thread)
{
    int signal = thread->signal;
    siginfo_t info = thread->info;
    for (int tries = 0; tries < 8; tries++) {
        thread->held = false;
        if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) != 0)
            return false;
        int stops = stop_wait(pid, thread, now_ms() + STEP_MS);
        if (stops < 0 && ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) == 0)
            stops =
                stop_wait(pid, thread, now_ms() + INTERRUPTED_MS); /* it sleeps in a system call */
        if (stops <= 0)
            return false;
        bool trapped = thread->signal == SIGTRAP && thread->info.si_code > 0;
        if (thread->signal != 0 && !trapped)
            return false; /* the instruction fails: it gets its signal when it goes on */
        thread->signal = signal;
        thread->info = info;
        if (trapped)
            return true;
    }
    return false;
}

bool stopped_step_out(struct stopped *stopped, size_t thread, const struct stopped_range *ranges,
                      size_t ranges_count, unsigned steps)
{
    struct stopped_thread *one = &stopped->threads[thread];
    struct process_signals signals;
    uint64_t mask = 0, open;
    if (!stopped_in(ranges, ranges_count, one->registers.rip))
        return true;
    process_signals_read(stopped->pid, &signals);
    if ((int64_t)one->registers.orig_rax >= 0 || (signals.ignored >> (SIGTRAP - 1) & 1) != 0 ||
        ptrace(PTRACE_GETSIGMASK, one->tid, (void *)sizeof mask, &mask) != 0)
        return false;
    /* Only the trap: a signal's handler is not to begin here. */
    open = ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, one->tid, (void *)sizeof open, &open);
    bool going = true;
    while (going && steps-- > 0 && stopped_in(ranges, ranges_count, one->registers.rip))
        going = step(stopped->pid, one);
    if (one->held)
        ptrace(PTRACE_SETSIGMASK, one->tid, (void *)sizeof mask, &mask);
    return one->held && !stopped_in(ranges, ranges_count, one->registers.rip);
}

/* ---- signals' contexts ---- */

/* What a handler returns to: mov $15, %eax or %rax; syscall (rt_sigreturn). */
static bool is_restorer(const struct stopped *stopped, uint64_t address)
{
    static const unsigned char full[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    static const unsigned char half[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
    unsigned char code[sizeof full];
    return stopped_read(stopped, address, code, sizeof code) &&
           (memcmp(code, full, sizeof full) == 0 || memcmp(code, half, sizeof half) == 0);
}

/* The end of the mapping that an address lies in, 0 = none. */
static uint64_t mapping_end(const struct stopped *stopped, uint64_t address)
{
    size_t low = 0, high = stopped->maps_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stopped->maps[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stopped->maps_count && address >= stopped->maps[low].start ? stopped->maps[low].end
                                                                            : 0;
}

#define STACK_MAX ((uint64_t)16 << 20)
/* The kernel's struct rt_sigframe, in words: the restorer's address, then struct ucontext with flags,
 * link, the alternate stack, the registers, and where their extended state lies, further up. */
enum {
    FRAME_FLAGS = 1,
    FRAME_LINK = 2,
    FRAME_RSP = 6 + 15,
    FRAME_RIP = 6 + 16,
    FRAME_SEGMENTS = 6 + 18,
    FRAME_STATE = 6 + 23,
    FRAME_WORDS
};
#define FRAME_FLAGS_MAX 7u
#define FRAME_STATE_MAGIC (464 / 8) /* in the state: FP_XSTATE_MAGIC1 of asm/sigcontext.h */
#define STATE_MAGIC 0x46505853u
#define USER_CODE 0x33u /* the code segment */

/* Is it one, as far as its contents say? Most words of a stack are none. */
static bool frame_fits(const uint64_t *words, size_t count, size_t at, uint64_t from)
{
    const uint64_t *frame = words + at;
    uint64_t address = from + at * sizeof *words;
    if (at + FRAME_WORDS > count || frame[0] < 65536 || frame[FRAME_FLAGS] > FRAME_FLAGS_MAX ||
        frame[FRAME_LINK] != 0 || (frame[FRAME_SEGMENTS] & 0xffff) != USER_CODE)
        return false;
    uint64_t state = frame[FRAME_STATE];
    if (state == 0)
        return true;
    size_t magic = (state - from) / sizeof *words + FRAME_STATE_MAGIC;
    return state > address && state - from < count * sizeof *words && magic < count &&
           (uint32_t)words[magic] == STATE_MAGIC;
}

struct frames {
    const struct stopped *stopped;
    uint64_t low, high; /* of code that may be a restorer's: asked once */
    uint64_t restorers[8];
    size_t restorers_count;
};

static bool frame_is(struct frames *frames, uint64_t word)
{
    for (size_t i = 0; i < frames->restorers_count; i++)
        if (frames->restorers[i] == word)
            return true;
    return false;
}

/* All restorers that words of the stack lead to: few, so that each word is read from memory once. */
static void frame_learn(struct frames *frames, uint64_t word)
{
    if (word < 65536 || word >> 47 != 0 || (word >= frames->low && word < frames->high) ||
        frame_is(frames, word) ||
        frames->restorers_count == sizeof frames->restorers / sizeof *frames->restorers)
        return;
    if (is_restorer(frames->stopped, word))
        frames->restorers[frames->restorers_count++] = word;
}

void stopped_contexts(const struct stopped *stopped, size_t thread,
                      void (*each)(uint64_t position, void *context), void *context)
{
    uint64_t from = stopped->threads[thread].registers.rsp & ~(uint64_t)7;
    uint64_t end = mapping_end(stopped, from);
    if (end == 0)
        return;
    uint64_t bytes = end - from < STACK_MAX ? end - from : STACK_MAX;
    uint64_t *words = malloc(bytes);
    struct frames frames = {.stopped = stopped, .low = from, .high = end};
    if (words == NULL || !stopped_read(stopped, from, words, bytes)) {
        free(words);
        return;
    }
    size_t count = bytes / sizeof *words;
    for (size_t i = 0; i < count; i++) {
        if (!frame_fits(words, count, i, from))
            continue;
        if (!frame_is(&frames, words[i]))
            frame_learn(&frames, words[i]);
        if (frame_is(&frames, words[i]))
            each(words[i + FRAME_RIP], context);
    }
    free(words);
}

#else /* not x86-64 */

int stopped_begin(struct stopped *stopped, pid_t pid, unsigned timeout_ms, struct error *error)
{
    (void)stopped, (void)timeout_ms;
    return error_set(error, "%d: fisql attaches to programs on x86-64 alone", (int)pid);
}

void stopped_end(struct stopped *stopped)
{
    (void)stopped;
}

#endif
