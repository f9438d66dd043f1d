/*
 * UTF-8 that nobody has checked: sequences are sound or they are none. Overlong forms, surrogates
 * and what lies beyond U+10FFFF are none.
 */
#ifndef FISQL_BASE_UTF8_H
#define FISQL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the sound sequence at `at`, 0 if it is none. The text ends with a NUL. */
int utf8_length(const unsigned char *at);

/* The character of a sound sequence of that length. */
uint32_t utf8_character(const unsigned char *at, int length);

/* The first bytes of a text of sound sequences: as many as fit into `most` without cutting one. */
size_t utf8_cut(const char *text, size_t length, size_t most);

/* Bytes at the end of the text that may be the start of a sequence that goes on behind it. */
size_t utf8_open_end(const char *text, size_t length);

#endif
