/* What the commands say on stderr, and the guess at what a mistyped name was meant to be. */
#ifndef FISQL_CLI_OUT_SAY_H
#define FISQL_CLI_OUT_SAY_H

#include <stddef.h>
#include <stdio.h>

/* Prints "fisql: " and the formatted words ("what: why and what to do") as one line on stderr,
 * names and paths in it as text.h shows and bounds them. Returns 2, the exit status. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What fail() returns, for an analyzer that reads one file at a time. */
#ifdef __clang_analyzer__
#define fail(...)                                                                                  \
    __extension__({                                                                                \
        (void)fail(__VA_ARGS__);                                                                   \
        2;                                                                                         \
    })
#endif

/* The same for what is worth saying but is no failure. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says "words: name, name", the names that exist, after fail() said that one does not. */
void say_list(const char *words, const char *const *names, size_t count);

/* A line on a terminal that shows how far a command has come: each replaces the one before,
 * ..._end() removes the last one. */
void say_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_progress_end(void);

/* From now on, what this thread says goes to `to` as lines without "fisql: ", for somebody who does
 * not read stderr; progress is not shown. NULL = to stderr, as at first. Returns where it went
 * before. The stream stays the caller's. */
FILE *say_to(FILE *to);

/* What another program said on its stderr, as it is. */
void say_through(const char *text, size_t size_bytes);

/* Flushes stdout. Returns 0, or the errno of the first failure (EIO if it is not known). */
int flush_output(void);

/* The name nearest to `word` by edit distance (exchanged neighbours count once), else one that
 * contains it, else NULL. Borrowed from names. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* Says "words; did you mean a, b or c?" with the names nearest to `word` that are equally near. A
 * word that is near to none counts as a part of names. Returns 2. */
int fail_nearest(const char *words, const char *word, const char *const *names, size_t count);

#endif
