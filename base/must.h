/*
 * Assertions that stay in release builds: what a function relies on, and what it promises.
 *
 * They are for mistakes of our own code: lengths, the order of ids, states, the number of bound
 * columns. Logs, programs and databases are input: we check them and refuse them by a struct error.
 * The collector has no assertions, because it runs inside other people's programs.
 */
#ifndef FISQL_BASE_MUST_H
#define FISQL_BASE_MUST_H

/* Ends the program with the condition's text and place on stderr, unless the condition holds. */
#define must(condition)                                                                            \
    (__builtin_expect(!(condition), 0) ? must_fail(#condition, __FILE__, __LINE__) : (void)0)

/* Prints "fisql: FILE:LINE: CONDITION does not hold: please report this" and aborts. */
_Noreturn __attribute__((cold)) void must_fail(const char *condition, const char *file, int line);

#endif
