/*
 * Text that comes from a program, a log or a database, as people are to see it: the one place that
 * decides what may reach a terminal or a page as it is. Names may be hostile: what would move the
 * cursor, turn the order of other characters around, or not be seen at all is shown by its number.
 */
#ifndef FISQL_CLI_OUT_TEXT_H
#define FISQL_CLI_OUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Is the character one that is not to be shown as it is: a control (C0, DEL, C1), one that changes
 * the direction of writing, or one that is invisible? */
bool text_is_hidden(uint32_t character);

/* The text with such characters as \xNN (below U+0080, and bytes that are not UTF-8) or <U+NNNN>.
 * It may hold NULs, and ends with one that is not counted. NULL is shown as "?". Caller frees; NULL
 * without memory. */
char *text_shown(const char *text, size_t length);

/* Cuts what text_shown() gave in its middle where it is longer than a line that people read may be:
 * the name in it may be a megabyte. Its end, which says what to do, stays. */
void text_bound(char *shown);

/* Writes text_shown() of the text, bounded. */
void text_put(FILE *out, const char *text);

/* What text_shown() gave, as Markdown shows it again: no tag, no entity, no link, no end of a cell.
 * Caller frees; NULL without memory. */
char *text_markdown(const char *shown);

/* Writes text_markdown() of text_shown() of the text. */
void text_put_markdown(FILE *out, const char *text);

/* A stream whose lines go to `out` as they are to be shown; `out` stays open when it is closed.
 * NULL without memory. */
FILE *text_stream(FILE *out);

/* Columns that the text takes on a terminal. */
int text_width(const char *text);

/* Bytes of the longest part of the text, from its start or at its end, that takes at most so many
 * columns. */
size_t text_fits(const char *text, int width_max);
size_t text_fits_end(const char *text, int width_max);

#endif
