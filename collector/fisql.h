/*
 * What a program can call in fisql's collector. It need not: a program is recorded if it was built
 * with -finstrument-functions (`fisql cc`) and runs under `fisql record`.
 *
 * Any thread, and a signal handler, may call each function at any time. None allocates, blocks or
 * changes errno. Without the collector the functions are absent: declare them weak and test their
 * addresses, as the macros here do, to build a program that runs with and without it.
 */
#ifndef FISQL_H
#define FISQL_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a message, of up to 80 bytes, to the calling thread's timeline (table notes). */
__attribute__((weak)) void fisql_note(const char *text);

/* Switch recording off and on for the whole process. In the log, open calls end when recording
 * stops. Calls entered while it is off are not recorded. */
__attribute__((weak)) void fisql_stop(void);
__attribute__((weak)) void fisql_start(void);

/* Flight recorder (fisql record --ring): each thread writes its ring at its next event. So does
 * SIGUSR2; the thread that gets the signal writes at once, even if it is blocked. If all threads
 * are blocked, kill the program: `fisql record` then writes every ring. */
__attribute__((weak)) void fisql_dump(void);

/* For the macros below: reports what happened; says whether the program goes on. */
__attribute__((weak)) void fisql_incident(int assertion, const char *file, int line,
                                          const char *function, const char *condition,
                                          const char *text, const void *place);
__attribute__((weak)) int fisql_goes_on(void);

/* Without the collector, fails as assert() does. */
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

/* If the condition does not hold: reports it with the message (printf's format; 255 bytes), the
 * stacks of all threads and their last calls. Then aborts, or does what `fisql record --on-assert`
 * says. Without the collector, it works like assert(). */
#define FISQL_ASSERT(condition, ...)                                                               \
    ((condition) ? (void)0                                                                         \
                 : fisql_incident_here(1, __FILE__, __LINE__, __func__, #condition, __VA_ARGS__))
/* Makes the same report with nothing wrong. Does nothing without the collector. */
#define FISQL_STACKS(...)                                                                          \
    (fisql_incident ? fisql_incident_here(0, __FILE__, __LINE__, __func__, "", __VA_ARGS__)        \
                    : (void)0)

/* We never look into an object: it may not exist yet, or no longer. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define FISQL_BY_ADDRESS __attribute__((weak, access(none, 1)))
#else
#define FISQL_BY_ADDRESS __attribute__((weak))
#endif

/*
 * Diaries. FISQL_KEEP adds an entry to an object's diary: the open calls, the time, the thread and
 * the object's state, a text (cut beyond 63 bytes) or an integer. The process keeps the last 8
 * entries for each of up to 4096 objects, found by address; beyond that, the object with the oldest
 * last entry makes room. The log keeps all entries (table diaries). FISQL_TELL prints the object's
 * diary on stderr: who changed it, in order. `fisql record` prints it with names and lines; without
 * it the program does, with modules and offsets.
 */
FISQL_BY_ADDRESS void fisql_keep(const volatile void *object, const char *state);
FISQL_BY_ADDRESS void fisql_keep_number(const volatile void *object, long long state);
FISQL_BY_ADDRESS void fisql_tell(const volatile void *object);

/*
 * Reference counts. FISQL_REF records that the program takes a reference to the object, FISQL_UNREF
 * that it gives one back. Both get the count before that: what atomic_fetch_add() and
 * atomic_fetch_sub() return. (Call these first: without the collector a macro does not evaluate its
 * arguments.) FISQL_REF with a count of 0 begins an object's life, even where another object lay
 * before. FISQL_GONE ends it: call it before the memory is given back. FISQL_UNREF with a count of
 * 0 or less, and FISQL_REF after FISQL_GONE, print the diary at once (the first 16 of a process).
 * `fisql query reference-errors` lists them all, and what was still held at the end.
 */
FISQL_BY_ADDRESS void fisql_ref(const volatile void *object, long long count);
FISQL_BY_ADDRESS void fisql_unref(const volatile void *object, long long count);
FISQL_BY_ADDRESS void fisql_gone(const volatile void *object);

#ifdef __cplusplus
}
/* Always inlined, without hooks or lines: the call then appears at the macro's line. */
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
/* If the condition does not hold: prints the object's diary and fails with the message. */
#define FISQL_ASSERT_OBJECT(object, condition, ...)                                                \
    ((condition) ? (void)0                                                                         \
                 : (FISQL_TELL(object), fisql_incident_here(1, __FILE__, __LINE__, __func__,       \
                                                            #condition, __VA_ARGS__)))
#define FISQL_REF(object, count) (fisql_ref ? fisql_ref((object), (count)) : (void)0)
#define FISQL_UNREF(object, count) (fisql_unref ? fisql_unref((object), (count)) : (void)0)
#define FISQL_GONE(object) (fisql_gone ? fisql_gone(object) : (void)0)

/* Locks that the program implements itself (fisql record --locks): it has just taken this one; it
 * is about to give it back. `lock` is any address that belongs to this lock alone. fisql sees
 * pthread mutexes and the like by itself. */
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
