/* The table of `fisql top`: functions by what they did, as lines of text. */
#ifndef FISQL_CLI_LIVE_TOP_ROWS_H
#define FISQL_CLI_LIVE_TOP_ROWS_H

#include "cli/live/live_sums.h"

#include <stddef.h>

/* The letters are the keys. X(constant, letter, word) */
#define TOP_SORTS(X)                                                                               \
    X(CALLS, 'c', "calls")                                                                         \
    X(CPU, 't', "cpu")                                                                             \
    X(WAITS, 'w', "waits")                                                                         \
    X(NAME, 'n', "name")
enum top_sort {
#define TOP_SORT_ENUM(constant, letter, word) TOP_SORT_##constant,
    TOP_SORTS(TOP_SORT_ENUM)
#undef TOP_SORT_ENUM
        TOP_SORTS_COUNT
};

const char *top_sort_word(enum top_sort sort);
/* By its letter, or its word; TOP_SORTS_COUNT: there is none. */
enum top_sort top_sort_of_letter(int letter);
enum top_sort top_sort_of_word(const char *word);

struct top_rows_options {
    enum top_sort sort;
    const char *filter; /* of names: a pattern, or a part of them; NULL or "" = all */
    int columns;        /* of the terminal; 0 = do not cut */
    size_t rows_max;    /* 0 = all */
};

/* Prints the head and the rows of the last settlement. Functions that did nothing then have no row.
 * Returns the number of lines; -1 without memory. */
int top_rows_print(const struct live_sums *sums, const struct top_rows_options *options);

#endif
