/* A command's words as one text that a POSIX shell divides into the same words. */
#ifndef FISQL_CLI_OUT_SHELL_WORDS_H
#define FISQL_CLI_OUT_SHELL_WORDS_H

#include <stddef.h>

/* Writes words, of which a null pointer is the last, with a blank between them, into text[size] and ends it with a
 * NUL; size > 5. A word of letters, digits and _./=,:+@%- stays as it is. Another gets single quotes, and a single quote
 * in it double ones, which is what the view command_again (schema.sql) takes for words alone. Where not all fit, " ..."
 * follows those that do. Returns the text's length. Allocates nothing. */
size_t shell_words(char *text, size_t size, const char *const *words);

#endif
