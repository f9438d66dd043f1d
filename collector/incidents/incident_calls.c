/*
 * Calls by which a program says that something is wrong: a failed assert(), abort(), what the C++
 * runtime calls if an exception finds no handler, and the guard of a stack. Our functions report it
 * and call the real ones.
 *
 * The C library does not call its own abort() by name: if it aborts in one of these calls, we see
 * it again as SIGABRT (incident_signals.c): see incident_is_told().
 */
#include "collector/incidents/incident_calls.h"

#include "collector/core/interpose.h"
#include "collector/fisql.h"
#include "collector/incidents/incident.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/core/true_return.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The frame of the function behind fisql.h's macros, which calls abort(), is at most this large. */
#define MACRO_FRAME 1024u
#define BY_EXPORT EXPORT __attribute__((noreturn))

#ifdef FISQL_WRAP
#define NAME(name) __wrap_##name
#define NEXT(name, ...)                                                                            \
    extern void __real_##name(__VA_ARGS__) __attribute__((noreturn, weak));                        \
    static void (*next_##name(void))(__VA_ARGS__)                                                  \
    {                                                                                              \
        return __real_##name;                                                                      \
    }
#else
#define NAME(name) name
#define NEXT(name, ...)                                                                            \
    static void (*next_##name(void))(__VA_ARGS__)                                                  \
    {                                                                                              \
        void (*next)(__VA_ARGS__);                                                                 \
        void *found = quiet_symbol(#name);                                                         \
        memcpy(&next, &found, sizeof next);                                                        \
        return next;                                                                               \
    }
#endif

NEXT(abort, void)
NEXT(__assert_fail, const char *, const char *, unsigned, const char *)
NEXT(__stack_chk_fail, void)
NEXT(_ZN9__gnu_cxx27__verbose_terminate_handlerEv, void)
#ifndef FISQL_WRAP
NEXT(__assert, const char *, const char *, int)
NEXT(__assert_perror_fail, int, const char *, unsigned, const char *)
#endif

/* Ends the program if the real function is missing. */
static __attribute__((noreturn)) void end_by_signal(void)
{
    raise(SIGABRT);
    _exit(134);
}

/* ---- exceptions ---- */

/* The C++ runtime's, if the program has one. */
#pragma weak __cxa_current_exception_type
extern void *__cxa_current_exception_type(void);
/* std::current_exception() writes a pointer to the exception into its caller's memory, like all
 * results longer than two registers. */
struct exception_pointer {
    void *object, *rest[3];
};
#pragma weak _ZSt17current_exceptionv
extern struct exception_pointer _ZSt17current_exceptionv(void);
#pragma weak _ZTISt9exception
extern char _ZTISt9exception[];

/* The fifth virtual function of a std::type_info: would a handler of this type catch an exception
 * of that type? It moves the address of the exception to the part that the handler would catch. */
typedef bool type_catches(const void *type, const void *thrown, void **object, unsigned outer);
/* The third one of a std::exception. */
typedef const char *exception_words(const void *exception);

static const char *words_of(const void *type)
{
    type_catches *catches;
    exception_words *what;
    if (_ZTISt9exception == NULL || _ZSt17current_exceptionv == NULL)
        return NULL;
    void *object = _ZSt17current_exceptionv().object;
    const void *base = _ZTISt9exception, *const * table;
    memcpy(&table, base, sizeof table);
    memcpy(&catches, &table[4], sizeof catches);
    if (object == NULL || !catches(base, type, &object, 1))
        return NULL;
    memcpy(&table, object, sizeof table);
    memcpy(&what, &table[2], sizeof what);
    return what(object);
}

/* Adds the exception that is being handled, or that found no handler. Returns whether there is
 * one. */
static bool put_exception(struct trouble *trouble)
{
    const char *name;
    void *type = __cxa_current_exception_type != NULL ? __cxa_current_exception_type() : NULL;
    if (type == NULL)
        return false;
    memcpy(&name, (const char *)type + sizeof(void *), sizeof name); /* the mangled name */
    trouble_text(trouble, " exception {");
    trouble_text(trouble, name + (name[0] == '*'));
    trouble_text(trouble, "}");
    const char *words = words_of(type);
    if (words != NULL) {
        trouble_text(trouble, ": ");
        trouble_text(trouble, words);
    }
    return true;
}

/* ---- the calls ---- */

static void tell_assert(const char *expression, const char *file, unsigned line,
                        const char *function, uint64_t code, uint64_t stack)
{
    struct trouble trouble;
    if (incident_is_told(stack))
        return;
    trouble_begin(&trouble, FISQL_INCIDENT_ASSERT, 0, code, stack);
    if (file != NULL) {
        trouble_text(&trouble, file);
        trouble_text(&trouble, ":");
        trouble_number(&trouble, line);
        trouble_text(&trouble, ": ");
    }
    if (function != NULL) {
        trouble_text(&trouble, function);
        trouble_text(&trouble, ": ");
    }
    trouble_text(&trouble, expression);
    incident_tell(&trouble);
}

BY_EXPORT void NAME(__assert_fail)(const char *expression, const char *file, unsigned line,
                                   const char *function);
BY_EXPORT void NAME(__assert_fail)(const char *expression, const char *file, unsigned line,
                                   const char *function)
{
    void (*next)(const char *, const char *, unsigned, const char *) = next___assert_fail();
    tell_assert(expression, file, line, function, CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next(expression, file, line, function);
    end_by_signal();
}

#ifndef FISQL_WRAP /* a static C library may lack these; they call abort() */
BY_EXPORT void __assert_perror_fail(int error, const char *file, unsigned line,
                                    const char *function);
BY_EXPORT void __assert_perror_fail(int error, const char *file, unsigned line,
                                    const char *function)
{
    void (*next)(int, const char *, unsigned, const char *) = next___assert_perror_fail();
    tell_assert(strerror(error), file, line, function, CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next(error, file, line, function);
    end_by_signal();
}

BY_EXPORT void __assert(const char *expression, const char *file, int line);
BY_EXPORT void __assert(const char *expression, const char *file, int line)
{
    void (*next)(const char *, const char *, int) = next___assert();
    tell_assert(expression, file, (unsigned)line, NULL, CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next(expression, file, line);
    end_by_signal();
}
#endif

static void tell_plain(enum fisql_incident_kind kind, const char *words, uint64_t code,
                       uint64_t stack)
{
    struct trouble trouble;
    int error = errno;
    if (incident_is_told(stack) || !process_recording())
        return;
    if (kind == FISQL_INCIDENT_TERMINATE && interpose_throw_site != 0)
        code = interpose_throw_site;
    trouble_begin(&trouble, kind, kind == FISQL_INCIDENT_ABORT ? SIGABRT : 0, code, stack);
    trouble_text(&trouble, words);
    if (kind == FISQL_INCIDENT_TERMINATE && !put_exception(&trouble))
        trouble_text(&trouble, " no exception");
    if (kind == FISQL_INCIDENT_ABORT && __cxa_current_exception_type != NULL &&
        __cxa_current_exception_type() != NULL) {
        trouble_text(&trouble, " with");
        put_exception(&trouble);
    }
    incident_tell(&trouble);
    errno = error;
}

BY_EXPORT void NAME(abort)(void);
BY_EXPORT void NAME(abort)(void)
{
    void (*next)(void) = next_abort();
    tell_plain(FISQL_INCIDENT_ABORT, "abort()", CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next();
    end_by_signal();
}

/* std::terminate() calls this, unless the program has set another function. */
BY_EXPORT void NAME(_ZN9__gnu_cxx27__verbose_terminate_handlerEv)(void);
BY_EXPORT void NAME(_ZN9__gnu_cxx27__verbose_terminate_handlerEv)(void)
{
    void (*next)(void) = next__ZN9__gnu_cxx27__verbose_terminate_handlerEv();
    tell_plain(FISQL_INCIDENT_TERMINATE, "std::terminate():", CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next();
    end_by_signal();
}

BY_EXPORT void NAME(__stack_chk_fail)(void);
BY_EXPORT void NAME(__stack_chk_fail)(void)
{
    void (*next)(void) = next___stack_chk_fail();
    tell_plain(FISQL_INCIDENT_STACK, "", CALL_SITE(), FRAME_ADDRESS());
    if (next != NULL)
        next();
    end_by_signal();
}

/* ---- fisql.h ---- */

EXPORT void fisql_incident(int assertion, const char *file, int line, const char *function,
                           const char *condition, const char *text, const void *place)
{
    struct trouble trouble;
    int error = errno;
    uint32_t then = process.options.on_assert;
    if (!process_recording() || collector_inside != 0)
        return;
    trouble_begin(&trouble, assertion ? FISQL_INCIDENT_ASSERT : FISQL_INCIDENT_STACKS, 0,
                  (uint64_t)(uintptr_t)place, FRAME_ADDRESS() + MACRO_FRAME);
    trouble.fatal = assertion != 0 && then == FISQL_ON_ASSERT_ABORT;
    trouble_text(&trouble, file);
    trouble_text(&trouble, ":");
    trouble_number(&trouble, (uint64_t)line);
    trouble_text(&trouble, ": ");
    trouble_text(&trouble, function);
    trouble_text(&trouble, ": ");
    trouble_text(&trouble, condition);
    trouble_text(&trouble, condition[0] != 0 && text[0] != 0 ? ": " : "");
    trouble_text(&trouble, text);
    incident_tell(&trouble);
    if (!trouble.fatal)
        incident_forget();
    if (assertion && then == FISQL_ON_ASSERT_STOP)
        syscall(SYS_kill, syscall(SYS_getpid), (long)SIGSTOP);
    errno = error;
}

EXPORT int fisql_goes_on(void)
{
    return process_recording() && process.options.on_assert != FISQL_ON_ASSERT_ABORT;
}
