/*
 * fisql's collector, for programs that want to speak to it. A program need not include this: it is
 * recorded because it was built with -finstrument-functions (`fisql cc`) and run with `fisql
 * record`.
 *
 * Each function may be called at any time, by any thread and in a signal handler; none allocates,
 * blocks or changes errno. In a program that runs without the collector the functions are absent:
 * declare them weak and test their address, as the macros here do, to build a program that runs
 * with and without it.
 */
#ifndef FISQL_H
#define FISQL_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Leaves a message at this point of the calling thread's timeline (table notes). The text is
 * copied; what is longer than 80 bytes is cut. */
__attribute__((weak)) void fisql_note(const char *text);

/* Switches recording off and on for the whole process. A call that is open when recording goes off
 * is ended there as far as the log knows; calls entered while it is off are not recorded. */
__attribute__((weak)) void fisql_stop(void);
__attribute__((weak)) void fisql_start(void);

/* Flight recorder (fisql record --ring): each thread writes what its ring holds at its next event.
 * SIGUSR2 does the same, and the thread that gets the signal writes at once, even if it is blocked.
 * Where all threads are blocked, kill the program: `fisql record` then writes every ring. */
__attribute__((weak)) void fisql_dump(void);

/* For the macros below: what happened, as text; and whether the program goes on. */
__attribute__((weak)) void fisql_incident(int assertion, const char *file, int line,
                                          const char *function, const char *condition,
                                          const char *text, const void *place);
__attribute__((weak)) int fisql_goes_on(void);

/* Without the collector, it says so as assert() does. */
__attribute__((unused, no_instrument_function, noinline, cold, format(printf, 6, 7))) static void
fisql_incident_here(int assertion, const char *file, int line, const char *function,
                    const char *condition, const char *format, ...)
{
    char text[256];
    __builtin_va_list rest;
    __builtin_va_start(rest, format);
    __builtin_vsnprintf(text, sizeof text, format, rest);
    __builtin_va_end(rest);
    if (fisql_incident)
        fisql_incident(assertion, file, line, function, condition, text,
                       __builtin_return_address(0));
    if (!assertion || (fisql_goes_on && fisql_goes_on()))
        return;
    fprintf(stderr, "%s:%d: %s: Assertion `%s' failed: %s\n", file, line, function, condition,
            text);
    abort();
}

/* If the condition does not hold: reports it with the message (printf's format; 255 bytes), the stacks of
 * all threads and their last calls, and then aborts, or does what `fisql record --on-assert` says. Without
 * the collector it is as assert(). */
#define FISQL_ASSERT(condition, ...)                                                               \
    ((condition) ? (void)0                                                                         \
                 : fisql_incident_here(1, __FILE__, __LINE__, __func__, #condition, __VA_ARGS__))
/* The same report, with nothing wrong. Nothing without the collector. */
#define FISQL_STACKS(...)                                                                          \
    (fisql_incident ? fisql_incident_here(0, __FILE__, __LINE__, __func__, "", __VA_ARGS__)        \
                    : (void)0)

/* An object is looked at by nobody: it may be one that is not made yet, or gone. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define FISQL_BY_ADDRESS __attribute__((weak, access(none, 1)))
#else
#define FISQL_BY_ADDRESS __attribute__((weak))
#endif

/*
 * Diaries. FISQL_KEEP keeps this moment in the diary of an object: where the program is (the calls that are open),
 * the time, the thread and the object's state, a text (cut beyond 63 bytes) or an integer. The process keeps the last
 * 8 moments of an object, found by its address, for up to 4096 objects; beyond that, an object makes room whose
 * last moment is long ago. The log keeps them all (table diaries). FISQL_TELL prints the object's diary on stderr: who
 * made it as it is, in order. `fisql record` does so, with names and lines; without it the program itself does,
 * in modules and offsets.
 */
FISQL_BY_ADDRESS void fisql_keep(const volatile void *object, const char *state);
FISQL_BY_ADDRESS void fisql_keep_number(const volatile void *object, long long state);
FISQL_BY_ADDRESS void fisql_tell(const volatile void *object);

/*
 * Reference counts. FISQL_REF says that a reference to the object is taken, FISQL_UNREF that one is given back,
 * each with the count as it was before: what atomic_fetch_add() and atomic_fetch_sub() return. (Do these first: without
 * the collector a macro does not look at its arguments.) FISQL_REF with a count
 * of 0 begins an object's life, also where another one lay before; FISQL_GONE ends it: say it before the memory is
 * given back. FISQL_UNREF with a count of 0 or less, and FISQL_REF after FISQL_GONE, print the diary at once (the
 * first 16 of a process); `fisql query reference-errors` has them all, and what was still held at the end.
 */
FISQL_BY_ADDRESS void fisql_ref(const volatile void *object, long long count);
FISQL_BY_ADDRESS void fisql_unref(const volatile void *object, long long count);
FISQL_BY_ADDRESS void fisql_gone(const volatile void *object);

#ifdef __cplusplus
}
/* Inlined always, without hooks and lines of their own: the call stands where the macro does. */
#define FISQL_INLINE __attribute__((always_inline, no_instrument_function)) inline
FISQL_INLINE const char *fisql_state_of(const char *state)
{
    return state;
}
FISQL_INLINE const char *fisql_state_of(char *state)
{
    return state;
}
template <class State> FISQL_INLINE long long fisql_state_of(State state)
{
    return static_cast<long long>(state);
}
FISQL_INLINE void (*fisql_keep_of(const char *const *))(const volatile void *, const char *)
{
    return fisql_keep;
}
FISQL_INLINE void (*fisql_keep_of(const long long *))(const volatile void *, long long)
{
    return fisql_keep_number;
}
extern "C" {
#define FISQL_KEEP(object, state)                                                                  \
    (fisql_keep ? fisql_keep_of(static_cast<decltype(fisql_state_of(state)) *>(0))(                \
                      (object), fisql_state_of(state))                                             \
                : (void)0)
#else
#define FISQL_KEEP(object, state)                                                                  \
    (fisql_keep ? _Generic((state), char * : fisql_keep, const char * : fisql_keep,                \
                           default : fisql_keep_number)((object), (state))                         \
                : (void)0)
#endif
#define FISQL_TELL(object) (fisql_tell ? fisql_tell(object) : (void)0)
/* If the condition does not hold: prints the object's diary, and fails with the message (printf's format). */
#define FISQL_ASSERT_OBJECT(object, condition, ...)                                                \
    ((condition) ? (void)0                                                                         \
                 : (FISQL_TELL(object), fisql_incident_here(1, __FILE__, __LINE__, __func__,       \
                                                            #condition, __VA_ARGS__)))
#define FISQL_REF(object, count) (fisql_ref ? fisql_ref((object), (count)) : (void)0)
#define FISQL_UNREF(object, count) (fisql_unref ? fisql_unref((object), (count)) : (void)0)
#define FISQL_GONE(object) (fisql_gone ? fisql_gone(object) : (void)0)

/* Locks of the program's own making (fisql record --locks): it has just taken this one, it is about to give it
 * back. `lock` is any address that is the lock's alone. Of others, such as pthread mutexes, fisql knows. */
__attribute__((weak)) void fisql_locked(const void *lock);
__attribute__((weak)) void fisql_unlocked(const void *lock);

#define FISQL_LOCKED(lock) (fisql_locked ? fisql_locked(lock) : (void)0)
#define FISQL_UNLOCKED(lock) (fisql_unlocked ? fisql_unlocked(lock) : (void)0)
#define FISQL_NOTE(text) (fisql_note ? fisql_note(text) : (void)0)
#define FISQL_STOP() (fisql_stop ? fisql_stop() : (void)0)
#define FISQL_START() (fisql_start ? fisql_start() : (void)0)
#define FISQL_DUMP() (fisql_dump ? fisql_dump() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
