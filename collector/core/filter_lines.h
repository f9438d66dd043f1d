/* The lines of a text that names functions, as in filter.c: a module's path, then the addresses of its functions. */
#ifndef FISQL_COLLECTOR_CORE_FILTER_LINES_H
#define FISQL_COLLECTOR_CORE_FILTER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct filter_lines {
    const char *at, *end;
    bool here; /* in the lines of the module that is looked for */
};

static inline uint64_t filter_hex(const char *at, const char *end)
{
    uint64_t value = 0;
    for (; at < end; at++)
        value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    return value;
}

/* The next address of the module at this path. False: there is none. */
static inline bool filter_lines_next(struct filter_lines *lines, const char *path,
                                     uint64_t *address)
{
    while (lines->at < lines->end) {
        const char *line = lines->at;
        const char *stop = memchr(line, '\n', (size_t)(lines->end - line));
        if (stop == NULL)
            stop = lines->end;
        lines->at = stop < lines->end ? stop + 1 : stop;
        if (stop - line > 7 && memcmp(line, "module ", 7) == 0) {
            lines->here = (size_t)(stop - line - 7) == strlen(path) &&
                          memcmp(line + 7, path, strlen(path)) == 0;
        } else if (lines->here) {
            *address = filter_hex(line, stop);
            return true;
        }
    }
    return false;
}

#endif
