/* The number of edits (insertion, deletion, replacement, exchange of neighbours) from one word to
 * another. */
#ifndef FISQL_BASE_EDIT_DISTANCE_H
#define FISQL_BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_WORD_MAX = 256 }; /* bytes of a word at most */

size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
