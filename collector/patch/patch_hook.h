/*
 * Calls of patched functions: what the stubs of an unmodified module lead to (formats/patch.h).
 *
 * A function's entry jumps to its stub, which calls patch_entered() (patch_x86_64.S). This records
 * the entry. If the call was recorded, the stub goes on to one of the *call sites* that lie in
 * libfisql.so, many alike: it takes the caller's return address off the stack and calls the moved
 * instructions, so that its own return address lies where the caller's did. So the function finds
 * its arguments where they belong, every return is predicted, and a CET shadow stack agrees. When
 * the function returns, patch_returned() records the exit, puts the true return address back, and
 * returns there.
 *
 * The true address waits in the *mirror*: memory at a fixed distance from the stack, a word for
 * each word (patch_mirror()). It is what unwinding needs: the unwind information of the call sites
 * (in libfisql.so's .eh_frame, where every unwinder looks, gdb's too) says that a call site's
 * return address lies in the mirror. So exceptions, backtrace() and debuggers see true frames.
 *
 * On aarch64, where calls leave the return address in x30, the site's address is put there instead,
 * and the slot is the word below the caller's stack pointer: no callee's slot is as high.
 *
 * A patched call's hooks have the address of the return address, its *slot*, as their frame.
 *
 * A function that another one jumps to (a tail call) finds a call site as its return address: the
 * call that ends and the one that begins share the slot, and the mirror stays.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_HOOK_H
#define FISQL_COLLECTOR_PATCH_PATCH_HOOK_H

#if defined(__x86_64__) || (defined(__aarch64__) && !defined(FISQL_WRAP))
#define FISQL_PATCHES 1
#endif

/* Read by patch_x86_64.S as well. Few in a program that holds the collector itself. */
#if defined(FISQL_WRAP) || defined(__aarch64__)
#define PATCH_SITES_OWN 1024
#else
#define PATCH_SITES_OWN 8192
#endif
#ifdef __aarch64__
#define PATCH_SITE_BYTES 8
#else
#define PATCH_SITE_BYTES 16
#define PATCH_SITE_BACK 9 /* from a site to the return address in it */
#endif
#if defined(FISQL_VALUES) && defined(__x86_64__) && !defined(FISQL_WRAP)
#define PATCH_KEEPS 1 /* registers, for values and faults (patch_kept.h) */
/* The last sites are those of functions whose registers are wanted, for values or faults: their hooks
 * always take the slow path. */
#define PATCH_SITES_KEPT 2048
#else
#define PATCH_SITES_KEPT 0
#endif
/* The first sites are for calls that are timed while others are not (core/sampled.h), each as far in front
 * of a function's own site as they are many. What they return to needs no jump that is mostly not taken: it
 * would cost the timed calls, and them alone, a misprediction. */
#ifdef __aarch64__
#define PATCH_SITES_TIMED 0
#else
#define PATCH_SITES_TIMED (PATCH_SITES_OWN - PATCH_SITES_KEPT)
#endif
#define PATCH_SITES (PATCH_SITES_TIMED + PATCH_SITES_OWN)
#define PATCH_MIRROR 0x200000000840

/* In a stub, before and behind the address that its call of patch_entered() returns to. */
#define PATCH_BACK_CALL 6
#define PATCH_BACK_FUNCTION (PATCH_BACK_CALL + 16)
#define PATCH_BACK_SITE (PATCH_BACK_CALL + 8)
#define PATCH_BACK_MOVED 4

#ifndef __ASSEMBLER__
#include "collector/core/base.h"

#include <stdbool.h>

extern HIDDEN const unsigned char patch_sites[];

/* Is it the return address of a call site? */
static inline bool patch_is_site(uint64_t address)
{
#ifdef FISQL_PATCHES
    return address - (uint64_t)(uintptr_t)patch_sites < (uint64_t)PATCH_SITES * PATCH_SITE_BYTES;
#else
    (void)address;
    return false;
#endif
}

/* Is it a site, or its return address, of functions whose registers are wanted? */
static inline bool patch_is_kept(uint64_t address)
{
#if PATCH_SITES_KEPT > 0
    const uint64_t bytes = (uint64_t)PATCH_SITES_KEPT * PATCH_SITE_BYTES;
    return address - ((uint64_t)(uintptr_t)patch_sites + (uint64_t)PATCH_SITES * PATCH_SITE_BYTES -
                      bytes) <
           bytes;
#else
    (void)address;
    return false;
#endif
}

/* Where the mirror of a slot lies. Not at a multiple of a page from it: then slot and mirror would
 * compete for the same places of the cache, and stores seem to alias loads. 0x5eff... to 0x5fff...,
 * where the mirror of stacks lies so, is free in all programs, those of ThreadSanitizer and
 * MemorySanitizer, too (their kMemoryLayout). */
static inline uint64_t *patch_mirror(uint64_t slot)
{
    return (uint64_t *)(slot ^ PATCH_MIRROR);
}

/* The part of the thread's stack whose mirror is known to be there. */
struct patch_stack {
    uint64_t low, bytes;
};
extern HIDDEN THREAD_LOCAL struct patch_stack patch_stack;

/* The slot of the thread's hook that is on the slow path; 0 = none. */
extern HIDDEN THREAD_LOCAL uint64_t patch_slow_hook;
/* The table of blocks of the mirror: its words are addresses of stacks that have one. */
struct patch_mirror_table {
    uint64_t **blocks;
    uint32_t count, block_bytes;
};
struct patch_mirror_table patch_mirror_table(void);

/* Makes the mirror of a slot; false if the memory is refused. Async-signal-safe. */
bool patch_mirror_make(uint64_t slot);
/* In a forked child. */
void patch_mirror_forked(void);

#ifdef __aarch64__
/* For patch_aarch64.S, which saves every register that these may change: the first two use no vector
 * registers (patch_fast.c). */
enum patch_next { PATCH_NOT_TAKEN, PATCH_TAKEN, PATCH_SLOW };
uint64_t patch_enter(uint64_t function, uint64_t site, uint64_t slot); /* an enum patch_next */
uint64_t patch_exit(uint64_t slot); /* the true return address; 0: patch_exit_slow() knows it */
uint64_t patch_enter_slow(uint64_t function, uint64_t site, uint64_t slot);
uint64_t patch_exit_slow(uint64_t slot);
#else
/* For patch_x86_64.S, with patch_enter() and patch_exit(), which keep every register (patch_fast.c).
 * The two for the slow path run with all registers saved. `back`: the address in the stub that
 * patch_entered() returns to. The words below the slot say what is next: -16, where the stub jumps
 * to; -24, the moved instructions for the call site. */
struct patch_kept;
void patch_enter_slow(uint64_t back, uint64_t slot, unsigned char *state, struct patch_kept *kept);
void patch_exit_slow(uint64_t slot, uint64_t unused, unsigned char *state, struct patch_kept *kept);
void patch_enter_other(void);
#endif
void patch_entered(void);
#ifdef __x86_64__
/* The same without times, and what call sites return to. */
void patch_entered_untimed(void);
void patch_entered_sampled(void);
/* Where values may be recorded, events are counted in more ways than the leaves' paths know. */
#if PATCH_SITES_KEPT > 0
#define PATCH_LEAF(entered) entered
#else
#define PATCH_LEAF(entered) entered##_leaf
void patch_entered_untimed_leaf(void);
void patch_entered_sampled_leaf(void);
#endif
void patch_enter_again(void);
void patch_returned(void);
void patch_returned_untimed(void);
void patch_returned_sampled(void);
void patch_returned_slowly(void);
extern HIDDEN void (*patch_returned_by_clock)(void);
#endif
/* What stubs are to call: as the process's clock and options want it, which from now on stay as they
 * are. Chooses what call sites return to, too. */
struct patch_hooks {
    uint64_t entered, entered_leaf; /* leaf: of functions that are soon over (formats/patch.h) */
};
struct patch_hooks patch_choose_hooks(void);

#endif
#endif
