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

#define FISQL_NOTE(text) (fisql_note ? fisql_note(text) : (void)0)
#define FISQL_STOP() (fisql_stop ? fisql_stop() : (void)0)
#define FISQL_START() (fisql_start ? fisql_start() : (void)0)
#define FISQL_DUMP() (fisql_dump ? fisql_dump() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
