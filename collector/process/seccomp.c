/*
 * Programs that forbid themselves system calls (seccomp). Recording needs a few, and the kernel may
 * kill the program for one of them. If `fisql record` writes the chunks, recording goes on without
 * any system call (silent.h). Else it ends before the filter takes effect, with everything written,
 * and `fisql record` says so. A filter is a program of the classic BPF (bpf(4); struct seccomp_data
 * in linux/seccomp.h): we run it for each call that recording needs. If it allows them all, nothing
 * changes. If it only forbids reading clocks (usage.h, clock.h), only that ends.
 *
 * Strict mode and prctl(2) PR_SET_TSC also forbid the processor's clock: then recording ends.
 */
#include "collector/process/seccomp.h"

#include "collector/core/feature.h"
#include "collector/core/handed.h"
#include "collector/core/live_area.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"
#include "collector/core/stack.h"
#include "collector/core/system_call.h"
#include "collector/core/thread_log.h"
#include "collector/core/wrap.h"
#include "collector/process/unrecorded.h"
#include "formats/seccomp_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

/* System calls made while recording, whose refusal the program would notice. */
static const int needed[] = {SYS_rt_sigprocmask, SYS_write, SYS_lseek,  SYS_fstat,  SYS_fcntl,
                             SYS_futex,          SYS_mmap,  SYS_munmap, SYS_mremap, SYS_openat,
                             SYS_read,           SYS_close, SYS_getpid, SYS_gettid, SYS_prctl,
                             SYS_sigaltstack,    SYS_tgkill};

/* System calls of usage.h and clock.h. */
static const int for_usage[] = {SYS_getrusage, SYS_clock_gettime};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- what a filter allows ---- */

static bool allows(const struct sock_fprog *filter, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct seccomp_data data = {.nr = calls[i], .arch = OWN_ARCH};
        uint32_t action =
            fisql_seccomp_run(filter->filter, filter->len, &data) & SECCOMP_RET_ACTION_FULL;
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
            return false;
    }
    return true;
}

/* ---- before the call ---- */

/* Ends recording in this process. The live area holds what other threads have not written. */
static struct thread_log *seal(void)
{
    struct thread_log *log = current_log;
    thread_log_finish(FISQL_HOW_WITH_PROCESS, NULL);
    thread_logs_poke();
    current_log = NULL;
    __atomic_store_n(&process.active, PROCESS_NEVER, __ATOMIC_RELEASE);
    return log;
}

static void unseal(struct thread_log *log)
{
    current_log = log;
    __atomic_store_n(&process.active, PROCESS_RECORDING, __ATOMIC_RELEASE);
}

/* ---- going on in silence ---- */

/* What silence needs. From then on the time off the processor is unknown. */
static bool silence_possible(void)
{
    return clock_is_counter(process.clock) && process.options.ring_chunks == 0 &&
           handed_silently_possible();
}

static long call_in_silence(long number, const long argument[6])
{
    uint64_t gap_ticks = process.gap_ticks;
    struct quiet quiet;
    quiet_begin(&quiet);
    live_slots_reserve();
    handed_silently();
    FEATURES_CALL(forbidden)(FEATURE_CALLS);
    silent_prepare();
    if (current_log != NULL)
        stack_is_one(&current_log->shadow.bounds, 0, 0); /* it cannot look later */
    quiet_end(&quiet);
    __atomic_store_n(&process.gap_ticks, UINT64_MAX, __ATOMIC_RELAXED);
    __atomic_store_n(&silence, 1, __ATOMIC_SEQ_CST);
    long result = system_call(number, argument);
    if (result < 0) {
        __atomic_store_n(&silence, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&process.gap_ticks, gap_ticks, __ATOMIC_RELAXED);
    }
    return result;
}

/* Ends recording and makes the call; recording goes on if the call fails. */
static long end_before(long number, const long argument[6], enum fisql_unrecorded reason)
{
    char name[UNRECORDED_NAME_BYTES];
    unrecorded_name(name);
    struct thread_log *log = seal();
    long result = system_call(number, argument);
    if (result >= 0)
        unrecorded_count(process.area, reason, name, 1);
    else
        unseal(log);
    return result;
}

long seccomp_call(long number, const long argument[6], uint64_t mode, const void *filter)
{
    bool strict = mode == SECCOMP_MODE_STRICT;
    if (!process_recording() || silent() ||
        (!strict && (mode != SECCOMP_MODE_FILTER || filter == NULL)))
        return system_call(number, argument);
    if (!strict && allows(filter, needed, COUNT(needed))) {
        if (!allows(filter, for_usage, COUNT(for_usage))) {
            __atomic_store_n(&process.gap_ticks, UINT64_MAX, __ATOMIC_RELAXED);
            clock_forbid_call();
        }
        for (const struct feature *const *at = features; *at != NULL; at++)
            if ((*at)->calls_count != 0 && !allows(filter, (*at)->calls, (*at)->calls_count))
                (*at)->forbidden(FEATURE_NEEDED);
        return system_call(number, argument);
    }
    FEATURES_CALL(forbidden)(FEATURE_SIGNALS);
    if (!strict && silence_possible())
        return call_in_silence(number, argument);
    return end_before(number, argument, FISQL_UNRECORDED_SECCOMP);
}

bool clock_forbidden(void)
{
    int now = 0;
    const long argument[6] = {PR_GET_TSC, (long)(intptr_t)&now};
    return system_call(SYS_prctl, argument) == 0 && now == PR_TSC_SIGSEGV;
}

/* Without the processor's clock each event would fail. So recording ends first, in the whole
 * process: threads and children that this thread begins inherit the ban. */
static long forbid_clock(const long argument[6])
{
    if (!process_recording() || silent() || argument[1] != PR_TSC_SIGSEGV)
        return system_call(SYS_prctl, argument);
    FEATURES_CALL(forbidden)(FEATURE_SIGNALS);
    long result = end_before(SYS_prctl, argument, FISQL_UNRECORDED_CLOCK);
    if (result < 0)
        FEATURES_CALL(forbidden)(FEATURE_ALLOWED);
    return result;
}

long seccomp_prctl(const long argument[6])
{
    if (argument[0] == PR_SET_SECCOMP)
        return seccomp_call(SYS_prctl, argument, (uint64_t)argument[1],
                            (const void *)(uintptr_t)argument[2]);
    return argument[0] == PR_SET_TSC ? forbid_clock(argument) : system_call(SYS_prctl, argument);
}

REPLACE(int, prctl, (int option, ...))
{
    long argument[6] = {option};
    va_list rest;
    va_start(rest, option);
    for (int i = 1; i < 5; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    long result = seccomp_prctl(argument);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return (int)result;
}
