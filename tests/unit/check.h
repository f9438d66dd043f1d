/*
 * What unit tests report with: a line `ok - what` or `not ok - what` for each check (tests/run
 * counts them). A test program is a main that makes checks and ends with `return check_status();`.
 * What is expected comes first, as in tests/e2e/lib.sh.
 */
#ifndef FISQL_TESTS_UNIT_CHECK_H
#define FISQL_TESTS_UNIT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned check_failures;

__attribute__((format(printf, 4, 5))) static inline bool
check_report(bool passed, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf(passed ? "ok - " : "not ok - ");
    vprintf(format, arguments);
    if (!passed)
        printf(" (%s:%d)", file, line);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
    check_failures += !passed;
    return passed;
}

/* check(condition, "what is so", ...): formatted as by printf. Its value is the condition's. */
#define check(condition, ...) check_report((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Two integers that should be equal; tells both when they are not. */
static inline bool check_equal_at(long long expected, long long actual, const char *what,
                                  const char *file, int line)
{
    if (actual == expected)
        return check_report(true, file, line, "%s", what);
    return check_report(false, file, line, "%s: expected %lld, got %lld", what, expected, actual);
}
#define check_equal(expected, actual, what)                                                        \
    check_equal_at((long long)(expected), (long long)(actual), (what), __FILE__, __LINE__)

/* Two strings that should be equal; NULL equals NULL only. */
static inline bool check_string_at(const char *expected, const char *actual, const char *what,
                                   const char *file, int line)
{
    bool equal =
        actual != NULL && expected != NULL ? strcmp(actual, expected) == 0 : actual == expected;
    if (equal)
        return check_report(true, file, line, "%s", what);
    return check_report(false, file, line, "%s: expected \"%s\", got \"%s\"", what,
                        expected != NULL ? expected : "(null)", actual != NULL ? actual : "(null)");
}
#define check_string(expected, actual, what)                                                       \
    check_string_at((expected), (actual), (what), __FILE__, __LINE__)

static inline int check_status(void)
{
    return check_failures > 0;
}

#endif
