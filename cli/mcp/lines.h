/* Lines from a descriptor, of a bounded length: a longer one is passed over and named. */
#ifndef FISQL_CLI_MCP_LINES_H
#define FISQL_CLI_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised but for the first two. */
struct lines {
    int file;         /* the caller's */
    size_t bytes_max; /* of a line, without its newline */
    /* Private. */
    char *bytes;
    size_t begin, end; /* of what was read and not given yet */
    bool ended, passing;
};

enum lines_result {
    LINES_LINE,     /* *line has it */
    LINES_TOO_LONG, /* one was passed over */
    LINES_END,      /* there is nothing more, or it cannot be read */
    LINES_NO_MEMORY
};

/* Waits for the next line. *line ends with a NUL in place of the newline, or the end of all, and is
 * borrowed until the next call; it may hold NULs. */
enum lines_result lines_next(struct lines *lines, char **line, size_t *length);

void lines_release(struct lines *lines);

#endif
