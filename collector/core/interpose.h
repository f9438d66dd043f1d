/* The interposed longjmp and its relatives: shared by interpose.c and jump_chk.c. */
#ifndef FISQL_COLLECTOR_CORE_INTERPOSE_H
#define FISQL_COLLECTOR_CORE_INTERPOSE_H

#include "collector/core/base.h"

#include <setjmp.h>

#define OWN_STACK FRAME_ADDRESS()

/* Records the calls that a jump from `own_stack` to the buffer's target ends. */
void interpose_before_jump(const void *buffer, uint64_t own_stack);

#ifdef FISQL_WRAP
/* `weak`: the real one may be missing. */
#define JUMP_WRAPPED(name, weak)                                                                   \
    extern void __real_##name(struct __jmp_buf_tag buffer[1], int value)                           \
        __attribute__((noreturn weak));                                                            \
    EXPORT                                                                                         \
    __attribute__((noreturn)) void __wrap_##name(struct __jmp_buf_tag buffer[1], int value);       \
    EXPORT __attribute__((noreturn)) void __wrap_##name(struct __jmp_buf_tag buffer[1], int value) \
    {                                                                                              \
        interpose_before_jump(buffer, OWN_STACK);                                                  \
        __real_##name(buffer, value);                                                              \
    }
#define COMMA_WEAK , weak
#define JUMP(name) JUMP_WRAPPED(name, COMMA_WEAK)
#else
void (*interpose_find_jump(const char *name))(struct __jmp_buf_tag[1], int);
#define JUMP(name)                                                                                 \
    EXPORT __attribute__((noreturn)) void name(struct __jmp_buf_tag buffer[1], int value);         \
    EXPORT __attribute__((noreturn)) void name(struct __jmp_buf_tag buffer[1], int value)          \
    {                                                                                              \
        static void (*next)(struct __jmp_buf_tag[1], int);                                         \
        if (UNLIKELY(next == NULL))                                                                \
            next = interpose_find_jump(#name);                                                     \
        interpose_before_jump(buffer, OWN_STACK);                                                  \
        next(buffer, value);                                                                       \
        __builtin_unreachable();                                                                   \
    }
#endif

/* Where the calling thread last threw an exception. */
extern HIDDEN THREAD_LOCAL uint64_t interpose_throw_site;

#endif
