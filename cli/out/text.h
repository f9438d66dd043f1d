/*
 * Text that comes from a program, a log or a database, as people see it: this one place decides
 * what reaches a terminal or a page unchanged. Names may be hostile: a character that would move
 * the cursor, reverse others or be invisible is shown by its number.
 */
#ifndef FISQL_CLI_OUT_TEXT_H
#define FISQL_CLI_OUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Must the character not be shown as it is: a control (C0, DEL, C1), one that changes the direction
 * of writing, or an invisible one? */
bool text_is_hidden(uint32_t character);

/* The text with such characters as \xNN (below U+0080, and bytes that are not UTF-8) or <U+NNNN>.
 * It may hold NULs, and ends with a further one; NULL is "?". Caller frees; NULL without memory. */
char *text_shown(const char *text, size_t length);

/* Cuts what text_shown() gave in its middle if it is too long for a line that people read: the name
 * in it may be a megabyte. Its end, which says what to do, stays. */
void text_bound(char *shown);

/* Writes text_shown() of the text, bounded. */
void text_put(FILE *out, const char *text);

/* What text_shown() gave, as Markdown that shows it: no tag, entity, link or end of a cell. Caller
 * frees; NULL without memory. */
char *text_markdown(const char *shown);

/* Writes text_markdown() of text_shown() of the text. */
void text_put_markdown(FILE *out, const char *text);

/* A stream that writes its lines to `out` as people see them, and leaves it open. NULL without
 * memory. */
FILE *text_stream(FILE *out);

/* Columns that the text takes on a terminal. */
int text_width(const char *text);

/* Bytes of the text's longest part, from its start or at its end, in at most so many columns. */
size_t text_fits(const char *text, int width_max);
size_t text_fits_end(const char *text, int width_max);

#endif
