/* Lines of a bounded length: see lines.h. */
#include "cli/mcp/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads more behind what is there; false at the end. There is always room for one byte more than a
 * line may have. */
static bool fill(struct lines *lines)
{
    ssize_t got;
    if (lines->begin > 0) {
        memmove(lines->bytes, lines->bytes + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    do
        got = read(lines->file, lines->bytes + lines->end, lines->bytes_max + 1 - lines->end);
    while (got < 0 && errno == EINTR);
    lines->ended = got <= 0;
    lines->end += got > 0 ? (size_t)got : 0;
    return !lines->ended;
}

enum lines_result lines_next(struct lines *lines, char **line, size_t *length)
{
    if (lines->bytes == NULL && (lines->bytes = malloc(lines->bytes_max + 2)) == NULL)
        return LINES_NO_MEMORY;
    size_t looked = 0;
    for (;;) {
        char *start = lines->bytes + lines->begin;
        size_t held = lines->end - lines->begin;
        char *newline = memchr(start + looked, '\n', held - looked);
        bool passed = lines->passing;
        if (newline == NULL && held > lines->bytes_max) {
            lines->passing = true; /* to its end */
            lines->begin = lines->end = looked = 0;
        } else if (newline == NULL && !lines->ended) {
            looked = held;
            fill(lines);
        } else if (newline == NULL && held == 0 && !passed) {
            return LINES_END;
        } else {
            *line = start;
            *length = newline != NULL ? (size_t)(newline - start) : held;
            start[*length] = '\0';
            lines->begin += *length + (newline != NULL);
            lines->passing = false;
            return passed ? LINES_TOO_LONG : LINES_LINE;
        }
    }
}

void lines_release(struct lines *lines)
{
    free(lines->bytes);
    lines->bytes = NULL;
}
