/* Text as people are to see it: see text.h. */
#include "cli/out/text.h"

#include "base/shortage.h"

#include "base/array.h"
#include "base/utf8.h"

#include <errno.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

/* ---- what is not shown as it is ---- */

/* Controls, line and paragraph separators, invisible format characters, blank letters and marks,
 * and what XML cannot hold. page/format.js has the same list; tests/e2e/hidden.sh compares them. */
static const uint32_t hidden[][2] = {
    {0x0000, 0x001f},   {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x034f, 0x034f},   {0x061c, 0x061c},
    {0x115f, 0x1160},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x2800, 0x2800}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

bool text_is_hidden(uint32_t character)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && hidden[i][0] <= character; i++)
        if (character <= hidden[i][1])
            return true;
    return false;
}

enum { SHOWN_MAX = 10 }; /* bytes of one character: <U+E0001> */

/* Writes the character at *at, which it passes, as it is shown. `keep` is one that stays as it is.
 * Returns the end of what it wrote. */
static char *show(char *to, const unsigned char **at, uint32_t keep)
{
    int length = utf8_length(*at), taken = length > 0 ? length : 1;
    uint32_t character = length > 0 ? utf8_character(*at, length) : 0;
    if (length > 0 && (character == keep || !text_is_hidden(character)))
        to = mempcpy(to, *at, (size_t)taken);
    else if (taken == 1)
        to += sprintf(to, "\\x%02x", **at);
    else
        to += sprintf(to, "<U+%04X>", character);
    *at += taken;
    return to;
}

static char *shown_but(const char *text, size_t length, uint32_t keep)
{
    if (text == NULL)
        return strdup("?");
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    size_t room = 0, used = 0;
    char *copy = NULL;
    bool failed = array_reserve(&copy, &room, length + SHOWN_MAX + 1, NULL) != 0;
    while (!failed && at < end) {
        used = (size_t)(show(copy + used, &at, keep) - copy);
        failed = array_reserve(&copy, &room, used + SHOWN_MAX + 1, NULL) != 0;
    }
    if (failed) {
        free(copy);
        return NULL;
    }
    copy[used] = '\0';
    return copy;
}

char *text_shown(const char *text, size_t length)
{
    return shown_but(text, length, UINT32_MAX);
}

void text_bound(char *shown)
{
    static const char between[] = "\u2026";
    const size_t head_max = 6144, tail_max = 2048;
    size_t length = strlen(shown);
    if (length <= head_max + tail_max + 8) /* the tail may begin up to three bytes earlier */
        return;
    size_t head = utf8_cut(shown, length, head_max);
    size_t tail = utf8_cut(shown, length, length - tail_max);
    memcpy(shown + head, between, sizeof between - 1);
    memmove(shown + head + sizeof between - 1, shown + tail, length - tail + 1);
}

void text_put(FILE *out, const char *text)
{
    char *copy = text_shown(text, text != NULL ? strlen(text) : 0);
    if (copy != NULL) {
        text_bound(copy);
        fputs(copy, out);
    }
    free(copy);
}

/* ---- Markdown ---- */

/* Does the character at `at` mean something in Markdown? An underscore within a word, which most
 * names have, does not. */
static bool is_mark(const char *text, const char *at)
{
    bool within = at > text && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
    return *at == '_' ? !within : strchr("\\`*<>[]|&~$#", *at) != NULL;
}

char *text_markdown(const char *shown)
{
    char *copy = malloc(2 * strlen(shown) + 1), *to = copy;
    if (copy == NULL)
        return NULL;
    for (const char *at = shown; *at != '\0'; at++) {
        if (is_mark(shown, at))
            *to++ = '\\';
        *to++ = *at;
    }
    *to = '\0';
    return copy;
}

void text_put_markdown(FILE *out, const char *text)
{
    char *shown = text_shown(text, text != NULL ? strlen(text) : 0);
    char *copy = shown != NULL ? text_markdown(shown) : NULL;
    if (copy != NULL)
        fputs(copy, out);
    else if (text != NULL)
        shortage_note(ENOMEM);
    free(shown);
    free(copy);
}

/* ---- a stream ---- */

struct stream {
    FILE *out;
    char kept[4]; /* the start of a character whose end is still to come */
    size_t kept_bytes;
};

static bool put_shown(struct stream *stream, const char *text, size_t length)
{
    char *copy = shown_but(text, length, '\n');
    bool done = copy != NULL && fputs(copy, stream->out) >= 0;
    free(copy);
    return done;
}

static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
    struct stream *stream = cookie;
    char *text = malloc(stream->kept_bytes + size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, stream->kept, stream->kept_bytes);
    memcpy(text + stream->kept_bytes, data, size);
    size_t length = stream->kept_bytes + size, open = utf8_open_end(text, length);
    memcpy(stream->kept, text + length - open, open);
    stream->kept_bytes = open;
    text[length - open] = '\0';
    bool done = put_shown(stream, text, length - open);
    free(text);
    return done ? (ssize_t)size : 0;
}

static int stream_close(void *cookie)
{
    struct stream *stream = cookie;
    char text[5] = "";
    memcpy(text, stream->kept, stream->kept_bytes);
    bool done = put_shown(stream, text, stream->kept_bytes);
    free(stream);
    return done ? 0 : EOF;
}

FILE *text_stream(FILE *out)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->out = out;
    FILE *opened = fopencookie(
        stream, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (opened == NULL)
        free(stream);
    return opened;
}

/* ---- columns ---- */

/* Columns of the character at `at`; *length gets its bytes, at least one. */
static int columns_of(const unsigned char *at, int *length)
{
    *length = utf8_length(at);
    int columns = *length > 1 ? wcwidth((wchar_t)utf8_character(at, *length)) : 1;
    if (*length == 0)
        *length = 1;
    return columns >= 0 ? columns : 1;
}

int text_width(const char *text)
{
    int width = 0, length;
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at += length)
        width += columns_of(at, &length);
    return width;
}

size_t text_fits(const char *text, int width_max)
{
    const unsigned char *at = (const unsigned char *)text;
    int length;
    for (int width = 0; *at != 0; at += length) {
        width += columns_of(at, &length);
        if (width > width_max)
            break;
    }
    return (size_t)(at - (const unsigned char *)text);
}

size_t text_fits_end(const char *text, int width_max)
{
    int over = text_width(text) - width_max, length;
    const unsigned char *at = (const unsigned char *)text;
    for (; *at != 0 && over > 0; at += length)
        over -= columns_of(at, &length);
    return strlen((const char *)at);
}
