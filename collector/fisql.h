/*
 * What a program can call in fisql's collector. It need not: a program is recorded if it was built
 * with -finstrument-functions (`fisql cc`) and runs under `fisql record`.
 *
 * Any thread, and a signal handler, may call each function at any time, but for fisql_on_call() and
 * fisql_off_call(). None allocates, blocks or changes errno. Without the collector the functions are
 * absent: declare them weak and test their addresses, as the macros here do, to build a program that
 * runs with and without it.
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

/*
 * Callbacks, for programs that want a recorder of their own. fisql_on_call() arranges that the
 * collector calls function(call, data) when a call of a function begins whose name or file matches
 * the pattern (as for `fisql record --only`: *, ?, []), and when it ends. It needs `fisql record`,
 * which knows the names, and waits for it: call it at the start, not from a signal handler.
 * Libraries that the program opens later count, too.
 *
 * Rules for the callback. It runs in the thread of the call. What it calls and allocates is not
 * recorded, nor is a signal handler that interrupts it, and it is not called again for that. errno
 * stays as it was. It must return: no exception and no longjmp may leave it. A block that it frees
 * but the program allocated, or the other way round, is seen by half. All that it gets is valid
 * until it returns.
 */
enum fisql_call_kind {
    FISQL_CALL_UNKNOWN, /* the collector did not find it, or could not read it */
    FISQL_CALL_INTEGER,
    FISQL_CALL_UNSIGNED, /* an integer above the largest long long: cast it */
    FISQL_CALL_POINTER,
    FISQL_CALL_REAL,
    FISQL_CALL_TEXT, /* what a pointer to text points to, with a NUL behind it */
    FISQL_CALL_BYTES /* a struct, or an integer of 16 bytes */
};

struct fisql_call_value {
    enum fisql_call_kind kind;
    unsigned length; /* bytes of TEXT and BYTES */
    int cut;         /* of TEXT: there is more */
    union {
        long long integer;
        double real;
        const void *pointer;
        const char *text;
        const void *bytes;
    } is;
};

struct fisql_call {
    int ends;              /* 0: the call begins */
    int unwound;           /* an exception ends it */
    const void *function;  /* its address, for dladdr() or your own table */
    const void *site;      /* its return address */
    unsigned depth;        /* recorded calls open around it */
    unsigned thread;       /* the thread's id in the kernel, gettid() */
    unsigned long long ns; /* CLOCK_MONOTONIC */
    /* With `fisql record --values`, where it records this function's values: the arguments in their
     * order, when the call begins; then those of --value. Else none. */
    unsigned arguments_count;
    const struct fisql_call_value *arguments;
    const struct fisql_call_value *result; /* when it ends; NULL = none, or not known */
};

typedef void fisql_call_function(const struct fisql_call *call, void *data);

/* Returns the number of functions that match so far, or -1: the process is not recorded, no `fisql
 * record` answers (it waits 10 s), there are 64 callbacks already, or the pattern is empty or
 * longer than 255 bytes. */
__attribute__((weak)) int fisql_on_call(const char *pattern, fisql_call_function *function,
                                        void *data);
/* Takes back all patterns of this function with this data. Threads that are in the callback, or
 * about to call it, still finish that. Returns how many patterns there were. */
__attribute__((weak)) int fisql_off_call(fisql_call_function *function, void *data);

#define FISQL_ON_CALL(pattern, function, data)                                                     \
    (fisql_on_call ? fisql_on_call((pattern), (function), (data)) : -1)
#define FISQL_OFF_CALL(function, data) (fisql_off_call ? fisql_off_call((function), (data)) : 0)

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
