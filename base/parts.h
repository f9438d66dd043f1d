/* Parts of texts and paths: how a text begins and ends, and the last part of a path. */
#ifndef FISQL_BASE_PARTS_H
#define FISQL_BASE_PARTS_H

#include <stdbool.h>
#include <string.h>

static inline bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static inline bool ends_with(const char *text, const char *end)
{
    size_t text_bytes = strlen(text), end_bytes = strlen(end);
    return text_bytes >= end_bytes && memcmp(text + text_bytes - end_bytes, end, end_bytes) == 0;
}

/* The same, with something before that end: a file's name before ".bin". */
static inline bool has_ending(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && ends_with(text, end);
}

/* Does the path end with these parts, each whole? "a/b.c" does with "b.c", "ab.c" does not. */
static inline bool path_ends_with(const char *path, const char *end)
{
    size_t path_bytes = strlen(path), end_bytes = strlen(end);
    return ends_with(path, end) &&
           (path_bytes == end_bytes || end[0] == '/' || path[path_bytes - end_bytes - 1] == '/');
}

/* The part behind the last slash, as a pointer into the path; the whole path if it has no slash or
 * ends with one. */
static inline const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

#endif
