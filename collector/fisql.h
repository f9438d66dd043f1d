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
