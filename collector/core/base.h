/*
 * What every file of the collector may use: the compiler's words.
 *
 * How the collector records, from the top. Each thread has a thread log: the first page of a slot
 * of the live area (formats/live.h), followed by the chunk that it fills. A hook sets log->busy,
 * writes its event behind what is committed, stores the new state word (this commits), clears busy
 * and looks at log->abandoned. A signal handler that interrupts a hook and calls hooks itself finds
 * busy set: it writes out what the log has committed, goes on with another thread log (the
 * interrupted hook's remaining stores go to the abandoned one, which nobody reads), and the
 * interrupted hook then sees that it was abandoned and starts again in the new log. So every event
 * is whole and in order, no signal is ever blocked on the fast path, and a handler may leave by
 * siglongjmp.
 *
 * What may be used where: hooks call nothing in libc but clock_gettime; the slow path uses system
 * calls with all signals blocked and preserves errno (quiet.h). Nothing here calls malloc on
 * purpose; libc functions that might (dl_iterate_phdr, dlsym, pthread_setspecific) run with
 * `collector_inside` set, so that the allocations they make are passed through without being
 * recorded.
 */
#ifndef FISQL_COLLECTOR_CORE_BASE_H
#define FISQL_COLLECTOR_CORE_BASE_H

#include <stdint.h>

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define EXPORT __attribute__((visibility("default")))
/* On the declaration of each variable of another file: else each use would load its address first.
 * (What is defined is hidden by -fvisibility=hidden.) */
#define HIDDEN __attribute__((visibility("hidden")))
/* A variable of each thread, reached without a call. */
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#define BARRIER() __asm__ volatile("" ::: "memory")

/* Where a function's frame lies: the stack pointer of its caller, so that those of two hooks can be
 * compared. That is the canonical frame address; the frame pointer is at any distance from it on
 * aarch64, and costs a register. */
#define FRAME_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

#endif
