/*
 * longjmp and C++ exceptions: calls that end without an exit hook.
 *
 * We interpose longjmp and its relatives to learn where they jump: every call whose frame lies
 * below the target's stack pointer is gone, and the log says so at once. __cxa_throw marks that an
 * exception is under way: the exit hooks that g++ runs in cleanups are then unwinding, not returns.
 * __cxa_begin_catch, called from the frame that catches, ends every call below that frame.
 *
 * In the shared library we interpose by name. A static program has no next definition to look up,
 * so a program with libfisql.a is linked with --wrap (`fisql cc --static-runtime`); FISQL_WRAP
 * selects the wrapped names.
 */
#include "collector/core/interpose.h"

#include "collector/core/feature.h"
#include "collector/memory/alloc.h"
#include "collector/core/shadow_stack.h"
#include "collector/core/thread_log.h"
#include "collector/core/true_return.h"
#include "collector/core/watch.h"
#include "collector/core/wrap.h"

#include <string.h>

#if defined(__aarch64__)
/* The word of a jmp_buf that holds the stack pointer: glibc's JB_SP; the same in musl. */
static uint64_t jump_word(const void *buffer)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)buffer + 13 * sizeof word, sizeof word);
    return word;
}
#endif

extern void *__libc_stack_end __attribute__((weak)); /* only glibc has it */

/* The stack pointer that longjmp will set; 0 = not known.
 *
 * x86-64: glibc stores it in the jmp_buf at index 6 (JB_RSP), xored with the pointer guard at
 * %fs:0x30 and rotated left by 17 (glibc, sysdeps/x86_64: jmpbuf-offsets.h, pointer_guard.h); musl
 * stores it there unchanged (src/setjmp/x86_64/setjmp.s).
 *
 * aarch64: xored, too (not in musl), with a guard that only the C library can read. A setjmp of our
 * own, whose stack pointer we know, reveals it. */
static uint64_t jump_target(const void *buffer)
{
#if defined(__x86_64__) && defined(__GLIBC__)
    uint64_t mangled, guard;
    memcpy(&mangled, (const unsigned char *)buffer + 6 * sizeof mangled, sizeof mangled);
    if (&__libc_stack_end == NULL)
        return mangled;
    __asm__("mov %%fs:0x30, %0" : "=r"(guard));
    return (mangled >> 17 | mangled << 47) ^ guard;
#elif defined(__aarch64__)
    jmp_buf own;
    uint64_t stack;
    __asm__ volatile("mov %0, sp" : "=r"(stack));
    if (_setjmp(own) != 0)
        return 0; /* nobody jumps there */
    return jump_word(buffer) ^ jump_word(own) ^ stack;
#else
    (void)buffer;
    return 0;
#endif
}

void interpose_before_jump(const void *buffer, uint64_t own_stack)
{
    uint64_t target = jump_target(buffer);
    FEATURES_CALL(jumps)();
    watch_jumps(target);
    if (collector_inside == 0 && current_log != NULL && target != 0 && (target & 7) == 0) {
        alloc_unwound(target);
        shadow_unwind_to(target, own_stack);
    }
}

#ifndef FISQL_WRAP
void (*interpose_find_jump(const char *name))(struct __jmp_buf_tag[1], int)
{
    void (*function)(struct __jmp_buf_tag[1], int);
    quiet_find(&function, name);
    return function;
}
#endif

#undef longjmp
#undef siglongjmp
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
#ifndef FISQL_STATIC
JUMP(__longjmp_chk)
#endif

/* ---- C++ ---- */

THREAD_LOCAL uint64_t interpose_throw_site;

static void throwing(uint64_t site)
{
    interpose_throw_site = site;
    if (collector_inside == 0)
        shadow_throw();
}

REAL(__attribute__((noreturn)) void, __cxa_throw, (void *, void *, void (*)(void *)))
REPLACE(__attribute__((noreturn)) void, __cxa_throw,
        (void *object, void *type, void (*destroy)(void *)))
{
    static void (*next)(void *, void *, void (*)(void *));
    if (next == NULL)
        FIND(__cxa_throw, next);
    throwing(CALL_SITE());
    next(object, type, destroy);
    __builtin_unreachable();
}

REAL(__attribute__((noreturn)) void, __cxa_rethrow, (void))
REPLACE(__attribute__((noreturn)) void, __cxa_rethrow, (void))
{
    static void (*next)(void);
    if (next == NULL)
        FIND(__cxa_rethrow, next);
    throwing(CALL_SITE());
    next();
    __builtin_unreachable();
}

REAL(void *, __cxa_begin_catch, (void *))
REPLACE(void *, __cxa_begin_catch, (void *exception))
{
    static void *(*next)(void *);
    if (next == NULL)
        FIND(__cxa_begin_catch, next);
    watch_jumps(OWN_STACK);
    if (collector_inside == 0 && current_log != NULL) {
        alloc_unwound(OWN_STACK);
        shadow_unwind_to(OWN_STACK, OWN_STACK);
    }
    return next(exception);
}
