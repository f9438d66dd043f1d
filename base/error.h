/*
 * The loader's errors. Functions of the loader return int (0 or positive: done; negative: failed)
 * and put the words into a struct error that the caller owns; they never print. The words have the
 * form "what: why", without the program's name and without a newline, e.g. "run.bin: not a fisql
 * log: the first chunk's magic is 0x7f454c46".
 */
#ifndef FISQL_LOADER_ERROR_H
#define FISQL_LOADER_ERROR_H

struct error {
    char text[1024]; /* NUL-terminated; cut where it does not fit */
};

/* Puts the formatted words into *error, which may be NULL. Control characters (a path may hold any)
 * are replaced by '?'. Returns -1, so that a failing function can end with
 * `return error_set(error, ...)`. */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An analyzer that reads one file at a time is told what it returns. */
#ifdef __clang_analyzer__
#define error_set(...)                                                                             \
    __extension__({                                                                                \
        (void)error_set(__VA_ARGS__);                                                              \
        -1;                                                                                        \
    })
#endif

#endif
