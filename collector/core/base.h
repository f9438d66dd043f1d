/*
 * What every file of the collector may use: attributes and builtins of the compiler.
 *
 * How the collector records, from the top. Each thread has a thread log: the first page of a slot
 * of the live area (formats/live.h), and the chunk that it fills. A hook sets log->busy, writes its
 * event behind what is committed, stores the new state word (this commits), clears busy and checks
 * log->abandoned. If a signal handler interrupts a hook and calls hooks itself, these find busy
 * set. They write out what the log has committed and go on in another thread log. The interrupted
 * hook's remaining stores go to the abandoned log, which nobody reads; the hook then sees that its
 * log was abandoned and starts again in the new one. So every event is whole and in order, the fast
 * path never blocks a signal, and a handler may leave by siglongjmp.
 *
 * What may be used where: hooks call nothing in libc but clock_gettime; the slow path makes system
 * calls with all signals blocked and preserves errno (quiet.h). Nothing here calls malloc on
 * purpose. libc functions that might (dl_iterate_phdr, dlsym, pthread_setspecific) run with
 * `collector_inside` set, so that we pass their allocations through unrecorded.
 */
#ifndef FISQL_COLLECTOR_CORE_BASE_H
#define FISQL_COLLECTOR_CORE_BASE_H

#include <stdint.h>

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define EXPORT __attribute__((visibility("default")))
/* For the declaration of each variable of another file: else each use would first load its address.
 * (-fvisibility=hidden hides definitions.) */
#define HIDDEN __attribute__((visibility("hidden")))
/* A variable of each thread, reached without a call. musl's dlopen() gives a library's variables no
 * place in the static block, but a block in each thread's table; it makes them for all threads at
 * once, so that no hook allocates one (musl, ldso/dynlink.c: install_new_tls(); since 1.1.22). */
#ifdef FISQL_LATE
#define THREAD_LOCAL __thread __attribute__((tls_model("local-dynamic")))
#else
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#endif
#define BARRIER() __asm__ volatile("" ::: "memory")

/* Where a function's frame lies: its caller's stack pointer, so that two hooks' addresses can be
 * compared. This is the canonical frame address. The frame pointer would cost a register, and lies
 * at any distance from it on aarch64. */
#define FRAME_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

#endif
