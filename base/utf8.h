/*
 * Unchecked UTF-8. Overlong forms, surrogates and characters beyond U+10FFFF are no sound
 * sequences.
 */
#ifndef FISQL_BASE_UTF8_H
#define FISQL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the sound sequence at `at`, 0 if there is none. The text ends with a NUL. */
int utf8_length(const unsigned char *at);

/* The character of a sound sequence of that length. */
uint32_t utf8_character(const unsigned char *at, int length);

/* The length of the text's start that fits into `most` bytes without a cut sequence. The text must
 * be sound. */
size_t utf8_cut(const char *text, size_t length, size_t most);

/* The number of bytes at the end that may begin a sequence which continues behind it. */
size_t utf8_open_end(const char *text, size_t length);

#endif
