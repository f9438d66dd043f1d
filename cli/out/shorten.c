/* Text shortened for a table's cell: see shorten.h. */
#include "cli/out/shorten.h"

#include "cli/out/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ellipsis[] = "\xe2\x80\xa6";
enum { ELLIPSIS_BYTES = sizeof ellipsis - 1, GROUPS_MAX = 32 };

/* Of longer text we look only at so much of its start and its end, because the time grows with the
 * square of the length. */
enum { START_MAX = 1000, END_MAX = 3000 };

static bool in_word(char letter)
{
    return isalnum((unsigned char)letter) || (letter & 0x80) != 0;
}

/* Puts an ellipsis in the place of [from, to). There is room for it: what goes is longer, or
 * shorten() has added some. */
static void elide(char *text, size_t from, size_t to)
{
    memmove(text + from + ELLIPSIS_BYTES, text + to, strlen(text + to) + 1);
    memcpy(text + from, ellipsis, ELLIPSIS_BYTES);
}

/* Is there the border of a word before `at`? */
static bool is_border(const char *text, size_t at)
{
    return at == 0 || !in_word(text[at]) || !in_word(text[at - 1]);
}

/* Keeps the start and the end, at borders of words where one is near. */
static void cut_middle(char *text, int width_max)
{
    size_t length = strlen(text), left = text_fits(text, (width_max - 1) / 2), near = left;
    while (near > left / 2 && !is_border(text, near))
        near--;
    if (near > left / 2)
        left = near;
    char kept = text[left];
    text[left] = '\0';
    int room = width_max - 1 - text_width(text);
    text[left] = kept;
    size_t right = length - text_fits_end(text, room);
    near = right;
    while (near < right + (length - right) / 2 && !is_border(text, near))
        near++;
    if (near < right + (length - right) / 2)
        right = near;
    elide(text, left, right);
}

static void cut_end(char *text, int width_max)
{
    size_t left = text_fits(text, width_max - 1), near = left;
    while (near > left / 2 && text[near - 1] != ' ')
        near--;
    if (near > left / 2)
        left = near;
    elide(text, left, strlen(text));
}

/* Keeps as many of a path's last parts as there is room for. */
static void cut_place(char *text, int width_max)
{
    size_t length = strlen(text), from = length - text_fits_end(text, width_max - 1);
    const char *slash = strchr(text + from, '/');
    if (slash != NULL)
        elide(text, 0, (size_t)(slash - text));
    else
        cut_middle(text, width_max);
}

/* ---- functions ---- */

/* The end of what opens at `at`, or 0 if it is not closed. */
static size_t group_end(const char *text, size_t at)
{
    int depth = 0;
    for (; text[at] != '\0'; at++) {
        if (strchr("<([{", text[at]) != NULL)
            depth++;
        else if (strchr(">)]}", text[at]) != NULL && !(text[at] == '>' && text[at - 1] == '-') &&
                 --depth == 0)
            return at + 1;
    }
    return 0;
}

/* Passes the symbol of an operator: its brackets do not group. */
static size_t skip_operator(const char *text, size_t at)
{
    if (strncmp(text + at, "operator", 8) != 0 ||
        (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '_')))
        return at;
    at += 8;
    if (strncmp(text + at, "()", 2) == 0 || strncmp(text + at, "[]", 2) == 0)
        return at + 2;
    at += strspn(text + at, "<>=-!*");
    return text[at] == ' ' && text[at + 1] == '<' ? at + 1 : at;
}

/* The longest outermost list of template arguments or parameters; *to = 0 if there is none that is
 * longer than its ellipsis. */
static void longest_group(const char *text, size_t *from, size_t *to)
{
    size_t longest = 3;
    *to = 0;
    for (size_t at = 0; text[at] != '\0';) {
        size_t behind = skip_operator(text, at);
        size_t end = behind == at && strchr("<(", text[at]) != NULL ? group_end(text, at) : 0;
        if (end > 0 && end - at > longest + ELLIPSIS_BYTES - 1 &&
            strncmp(text + at, "(anon)", 6) != 0) {
            longest = end - at - ELLIPSIS_BYTES + 1;
            *from = at + 1;
            *to = end - 1;
        }
        at = end > 0 ? end : behind > at ? behind : at + 1;
    }
}

/* The start of the innermost scopes that fit behind "…". */
static size_t scopes_from(const char *text, int width_max)
{
    for (size_t at = 0; text[at] != '\0';) {
        size_t end = strchr("<({", text[at]) != NULL ? group_end(text, at) : 0;
        if (strncmp(text + at, "::", 2) == 0 && text_width(text + at) <= width_max - 1)
            return at;
        at = end > 0 ? end : at + 1;
    }
    return 0;
}

static void cut_function(char *text, int width_max)
{
    size_t from = 0, to = 0;
    for (int i = 0; i < GROUPS_MAX && text_width(text) > width_max; i++) {
        longest_group(text, &from, &to);
        if (to == 0)
            break;
        elide(text, from, to);
    }
    if (text_width(text) > width_max && (from = scopes_from(text, width_max)) > 0)
        elide(text, 0, from);
    if (text_width(text) > width_max)
        cut_middle(text, width_max);
}

/* ---- stacks ---- */

/* The start of the stack's last functions that fit, one of them at least. */
static size_t last_functions(const char *text, int width_max)
{
    size_t last = 0;
    for (const char *at = text; (at = strstr(at, SHORTEN_ARROW)) != NULL;) {
        at += strlen(SHORTEN_ARROW);
        last = (size_t)(at - text);
        if (text_width(at) <= width_max)
            return last;
    }
    return last;
}

static void cut_stack(char *text, int width_max)
{
    const char *arrow = strstr(text, SHORTEN_ARROW);
    const int arrow_width = (int)strlen(SHORTEN_ARROW);
    if (arrow == NULL) {
        cut_function(text, width_max);
        return;
    }
    /* main => … => next, or … => next */
    size_t first = (size_t)(arrow - text) + strlen(SHORTEN_ARROW);
    int start = text_width(text) - text_width(text + first);
    size_t last = last_functions(text, width_max - start - 1 - arrow_width);
    if (text_width(text + last) > width_max - start - 1 - arrow_width) {
        first = 0;
        last = last_functions(text, width_max - 1 - arrow_width);
    }
    cut_function(text + last, width_max - 1 - arrow_width);
    if (last == first) {
        cut_middle(text, width_max);
        return;
    }
    elide(text, first, last - strlen(SHORTEN_ARROW));
}

char *shorten(const char *text, enum text_kind kind, int width_max)
{
    size_t size = strlen(text) + (size_t)ELLIPSIS_BYTES * (GROUPS_MAX + 3) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return NULL;
    strcpy(copy, text);
    if (text_width(copy) <= width_max)
        return copy;
    if (strlen(copy) > START_MAX + END_MAX && text_width(copy) > START_MAX + END_MAX) {
        size_t length = strlen(copy);
        elide(copy, text_fits(copy, START_MAX), length - text_fits_end(copy, END_MAX));
        if (text_width(copy) <= width_max)
            return copy;
    }
    size_t indent = strspn(copy, " ");
    if ((int)indent > width_max / 2)
        indent = 0;
    int room = width_max - (int)indent;
    if (kind == TEXT_STACK && room > 12)
        cut_stack(copy + indent, room);
    else if (kind == TEXT_FUNCTION || kind == TEXT_STACK)
        cut_function(copy + indent, room);
    else if (kind == TEXT_PLACE || copy[0] == '/')
        cut_place(copy + indent, room);
    else
        cut_end(copy + indent, room);
    if (text_width(copy) > width_max)
        cut_middle(copy, width_max);
    return copy;
}
