/*
 * The kind names the cause for callers that go on after some failures and not after others: a chunk
 * whose events break the rules costs that chunk alone, a full disk ends the load.
 */
#ifndef FISQL_BASE_ERROR_H
#define FISQL_BASE_ERROR_H

#include <stdint.h>

enum error_kind {
    ERROR_SYSTEM,      /* the machine's: no memory, no room on the disk, no permission */
    ERROR_DAMAGE,      /* the input's: it breaks the rules of its format, or contradicts itself */
    ERROR_UNSUPPORTED, /* nobody's: a newer format, or more of something than can be handled */
    ERROR_USAGE,       /* the user's: another file or option is meant, or a file is in the way */
};

#define ERROR_NO_OFFSET UINT64_MAX

struct error {
    char text[1024]; /* NUL-terminated; cut where it does not fit */
    enum error_kind kind;
    char file[256];  /* the file concerned, cut to fit; "" = none */
    uint64_t offset; /* in that file, in bytes; ERROR_NO_OFFSET = not known */
};

/* For a function whose result no caller may drop. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Each of these returns -1, so that a failing function can end with `return error_set(error, ...)`.
 * The error may be NULL. Control characters (a path may hold any) are replaced by '?'. */

/* An error of the kind system that is about no file. */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error of any kind that is about no file. */
int error_set_kind(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error that is about a file: its text is "file: " and the formatted words. */
int error_set_file(struct error *error, enum error_kind kind, const char *file, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* Adds a place to an error that is set already; its text stays. */
int error_at(struct error *error, const char *file, uint64_t offset);

/* For an analyzer that reads one file at a time: what they return. */
#ifdef __clang_analyzer__
#define error_minus_one(call)                                                                      \
    __extension__({                                                                                \
        (void)(call);                                                                              \
        -1;                                                                                        \
    })
#define error_set(...) error_minus_one(error_set(__VA_ARGS__))
#define error_set_kind(...) error_minus_one(error_set_kind(__VA_ARGS__))
#define error_set_file(...) error_minus_one(error_set_file(__VA_ARGS__))
#define error_at(...) error_minus_one(error_at(__VA_ARGS__))
#endif

#endif
