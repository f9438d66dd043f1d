/* See remote.h. */
#include "cli/record/remote.h"

#include "base/must.h"
#include "cli/record/process_stat.h"

#if defined(__x86_64__)
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 50000L
#define CALL_MS 5000u /* a single system call takes less */
#define SYSCALL_STOP (SIGTRAP | 0x80)

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- one step of the thread ---- */

enum outcome {
    AT_SYSTEM_CALL, /* before or behind one */
    AT_EVENT,       /* of ours: PTRACE_INTERRUPT; or of the process: SIGSTOP */
    CRASHED,
    TOO_LATE,
    GONE
};

/* Does the function wait for a lock? Then the others go on. */
static void others_released(struct remote *remote)
{
    struct process_stat stat;
    size_t at = stopped_find(remote->stopped, remote->tid);
    if (!process_stat_read(remote->tid, &stat) || stat.state != 'S' || at == remote->stopped->count)
        return;
    stopped_keep_one(remote->stopped, at);
    remote->alone = false;
}

static enum outcome wait_for(struct remote *remote, uint64_t end_ms, int *number)
{
    const struct timespec look = {0, LOOK_NS};
    for (unsigned looks = 0;; looks++) {
        int status;
        pid_t got = waitpid(remote->tid, &status, __WALL | WNOHANG);
        if (got == remote->tid && !WIFSTOPPED(status))
            return GONE;
        if (got < 0 && errno != EINTR)
            return GONE;
        if (got == remote->tid) {
            *number = WSTOPSIG(status);
            return *number == SYSCALL_STOP ? AT_SYSTEM_CALL
                   : status >> 16 != 0     ? AT_EVENT
                                           : CRASHED;
        }
        if (now_ms() >= end_ms)
            return TOO_LATE;
        if (looks > 20) { /* most calls are over by then */
            if (remote->alone)
                others_released(remote);
            nanosleep(&look, NULL);
        }
    }
}

static enum outcome run(struct remote *remote, uint64_t end_ms, int *number)
{
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, remote->tid, NULL, NULL) != 0)
            return GONE;
        enum outcome outcome = wait_for(remote, end_ms, number);
        if (outcome != AT_EVENT)
            return outcome;
    }
}

static bool registers_get(struct remote *remote, struct user_regs_struct *registers)
{
    return ptrace(PTRACE_GETREGS, remote->tid, NULL, registers) == 0;
}

static bool registers_set(struct remote *remote, const struct user_regs_struct *registers)
{
    return ptrace(PTRACE_SETREGS, remote->tid, NULL, registers) == 0;
}

/* ---- a system call instruction ---- */

/* Looks for bytes in code of the vDSO, which every process has, and of the C library. 0 = none. */
static uint64_t code_find(const struct stopped *stopped, const unsigned char *wanted, size_t count)
{
    char path[64], *line = NULL;
    size_t size = 0;
    uint64_t found = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)stopped->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && found == 0 && getline(&line, &size, file) > 0) {
        unsigned long long start, end;
        char access[8];
        unsigned char code[16384];
        if (sscanf(line, "%llx-%llx %7s", &start, &end, access) != 3 || access[2] != 'x' ||
            (strstr(line, "[vdso]") == NULL && strstr(line, "libc") == NULL))
            continue;
        for (uint64_t at = start; at < end && found == 0; at += sizeof code - count + 1) {
            size_t bytes = end - at < sizeof code ? end - at : sizeof code;
            if (!stopped_read(stopped, at, code, bytes))
                break;
            const unsigned char *place = memmem(code, bytes, wanted, count);
            if (place != NULL)
                found = at + (uint64_t)(place - code);
        }
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return found;
}

static void gadgets_find(struct remote *remote)
{
    static const unsigned char call[] = {0x0f, 0x05}, trap[] = {0xcc};
    struct process_signals signals;
    remote->gadget = code_find(remote->stopped, call, sizeof call);
    process_signals_read(remote->stopped->pid, &signals);
    if ((signals.ignored >> (SIGTRAP - 1) & 1) == 0)
        remote->trap = code_find(remote->stopped, trap, sizeof trap);
}

/* ---- calls ---- */

long remote_system_call(struct remote *remote, long number, const uint64_t argument[6])
{
    struct user_regs_struct registers = remote->registers;
    int ignored;
    registers.rax = (uint64_t)number;
    registers.orig_rax = UINT64_MAX;
    registers.rip = remote->gadget;
    registers.rdi = argument[0];
    registers.rsi = argument[1];
    registers.rdx = argument[2];
    registers.r10 = argument[3];
    registers.r8 = argument[4];
    registers.r9 = argument[5];
    if (!registers_set(remote, &registers) ||
        run(remote, now_ms() + CALL_MS, &ignored) != AT_SYSTEM_CALL ||
        run(remote, now_ms() + CALL_MS, &ignored) != AT_SYSTEM_CALL ||
        !registers_get(remote, &registers))
        return -EIO;
    return (long)registers.rax;
}

uint64_t remote_room(const struct remote *remote)
{
    return remote->stack;
}

/* The function has returned to the breakpoint. */
static bool trapped(struct remote *remote, uint64_t top, uint64_t *result)
{
    struct user_regs_struct registers;
    if (!registers_get(remote, &registers) || registers.rip != remote->trap + 1 ||
        registers.rsp != top)
        return false;
    *result = registers.rax;
    return true;
}

/* The function has returned to the system call instruction, which is about to be made: its number is
 * the function's result. Makes none of it. */
static bool returned(struct remote *remote, uint64_t top, uint64_t *result)
{
    struct user_regs_struct registers;
    int ignored;
    if (!registers_get(remote, &registers) || registers.rip != remote->gadget + 2 ||
        registers.rsp != top)
        return false;
    *result = registers.orig_rax;
    registers.orig_rax = UINT64_MAX;
    return registers_set(remote, &registers) &&
           run(remote, now_ms() + CALL_MS, &ignored) == AT_SYSTEM_CALL;
}

/* Lets the function run until it returns. */
static enum outcome finish(struct remote *remote, uint64_t top, uint64_t end_ms, int *number,
                           uint64_t *result, bool *done)
{
    enum outcome outcome = AT_EVENT;
    *done = false;
    while (remote->trap != 0 && outcome == AT_EVENT) {
        if (ptrace(PTRACE_CONT, remote->tid, NULL, NULL) != 0)
            return GONE;
        outcome = wait_for(remote, end_ms, number);
        *done = outcome == CRASHED && *number == SIGTRAP && trapped(remote, top, result);
    }
    while (remote->trap == 0 && !*done && (outcome = run(remote, end_ms, number)) == AT_SYSTEM_CALL)
        *done = returned(remote, top, result);
    return outcome;
}

int remote_function(struct remote *remote, const char *what, uint64_t function,
                    const uint64_t argument[3], unsigned timeout_ms, uint64_t *result,
                    struct error *error)
{
    struct user_regs_struct registers = remote->registers;
    uint64_t top = remote->stack + REMOTE_STACK_BYTES - 64, end_ms = now_ms() + timeout_ms;
    int number = 0;
    registers.rsp = top - 8;
    registers.rbp = 0;
    registers.rip = function;
    registers.rax = 0;
    registers.orig_rax = UINT64_MAX;
    registers.rdi = argument[0];
    registers.rsi = argument[1];
    registers.rdx = argument[2];
    registers.eflags &= ~(uint64_t)0x400; /* the direction flag is clear at calls */
    const uint64_t back = remote->trap != 0 ? remote->trap : remote->gadget;
    enum outcome outcome = GONE;
    bool done = false;
    if (stopped_write(remote->stopped, top - 8, &back, sizeof back) &&
        registers_set(remote, &registers))
        outcome = finish(remote, top, end_ms, &number, result, &done);
    remote->alone = false;
    if (done)
        return 0;
    if (outcome == CRASHED)
        return error_set(error, "%s in process %d ended by signal %d (%s)", what,
                         (int)remote->stopped->pid, number, strsignal(number));
    return outcome == TOO_LATE
               ? error_set(error, "%s in process %d did not end in %u s", what,
                           (int)remote->stopped->pid, timeout_ms / 1000)
               : error_set(error, "%s: process %d has ended", what, (int)remote->stopped->pid);
}

/* ---- beginning and ending ---- */

/* Leads the thread to a stop from which an interrupted system call can be taken up again: the kernel
 * looks for that when it has handled signals. */
static bool settle(struct remote *remote)
{
    int number;
    ptrace(PTRACE_INTERRUPT, remote->tid, NULL, NULL); /* first: it is to run nothing before */
    ptrace(PTRACE_CONT, remote->tid, NULL, NULL);      /* fails if it runs */
    for (int tries = 0; tries < 100; tries++) {
        enum outcome outcome = wait_for(remote, now_ms() + 100, &number);
        if (outcome == AT_EVENT)
            return true;
        if (outcome == GONE)
            return false;
        if (outcome == TOO_LATE)
            ptrace(PTRACE_INTERRUPT, remote->tid, NULL, NULL);
        else
            ptrace(PTRACE_CONT, remote->tid, NULL, NULL);
    }
    return false;
}

static struct stopped_thread *thread_of(struct remote *remote)
{
    size_t at = stopped_find(remote->stopped, remote->tid);
    return at < remote->stopped->count ? &remote->stopped->threads[at] : NULL;
}

static bool give_back(struct remote *remote)
{
    struct iovec state = {remote->state, remote->state_bytes};
    struct stopped_thread *thread = thread_of(remote);
    if (!settle(remote) || !registers_set(remote, &remote->registers)) {
        if (thread != NULL)
            thread->held = false;
        return false;
    }
    ptrace(PTRACE_SETREGSET, remote->tid, (void *)(uintptr_t)NT_X86_XSTATE, &state);
    ptrace(PTRACE_SETSIGMASK, remote->tid, (void *)sizeof remote->mask, &remote->mask);
    if (thread != NULL)
        thread->registers = remote->registers;
    return true;
}

int remote_begin(struct remote *remote, struct stopped *stopped, size_t thread, struct error *error)
{
    must(thread < stopped->count && stopped->threads[thread].signal == 0);
    *remote = (struct remote){.stopped = stopped,
                              .tid = stopped->threads[thread].tid,
                              .registers = stopped->threads[thread].registers};
    struct iovec state = {remote->state, sizeof remote->state};
    gadgets_find(remote);
    const uint64_t all = remote->trap != 0 ? ~((uint64_t)1 << (SIGTRAP - 1)) : UINT64_MAX;
    if (remote->gadget == 0)
        return error_set(error, "process %d has no system call instruction", (int)stopped->pid);
    if (ptrace(PTRACE_GETREGSET, remote->tid, (void *)(uintptr_t)NT_X86_XSTATE, &state) != 0 ||
        ptrace(PTRACE_GETSIGMASK, remote->tid, (void *)sizeof remote->mask, &remote->mask) != 0 ||
        ptrace(PTRACE_SETSIGMASK, remote->tid, (void *)sizeof all, &all) != 0)
        return error_set(error, "process %d: its registers cannot be read: %s", (int)stopped->pid,
                         strerror(errno));
    remote->state_bytes = state.iov_len;
    remote->begun = true;
    long stack =
        remote_system_call(remote, SYS_mmap,
                           (const uint64_t[6]){0, REMOTE_STACK_BYTES, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0});
    if (stack > 0 || stack < -4095) {
        remote->stack = (uint64_t)stack;
        return 0;
    }
    remote_end(remote);
    return error_set(error, "process %d: it cannot map memory: %s", (int)stopped->pid,
                     strerror((int)-stack));
}

void remote_end(struct remote *remote)
{
    if (!remote->begun)
        return;
    if (remote->stack != 0)
        remote_system_call(remote, SYS_munmap,
                           (const uint64_t[6]){remote->stack, REMOTE_STACK_BYTES});
    give_back(remote);
    remote->begun = false;
    remote->stack = 0;
}
#endif
