/* ClickHouse's TabSeparatedWithNamesAndTypes: see tab_separated.h. */
#include "cli/clickhouse/tab_separated.h"

#include "base/array.h"

#include <string.h>

static char unescaped(char letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case '0':
        return '\0';
    default:
        return letter;
    }
}

/* Unescapes the value in its place. */
static void read_value(struct tab_value *value, char *from, char *to)
{
    char *out = from;
    value->text = from;
    value->null = to - from == 2 && from[0] == '\\' && from[1] == 'N';
    for (char *at = from; at < to; at++)
        *out++ = *at == '\\' && at + 1 < to ? unescaped(*++at) : *at;
    *out = '\0';
    value->size_bytes = (size_t)(out - from);
}

/* Reads a line and overwrites its newline with a NUL. */
static int read_line(struct tab_separated *reader, char *line, char *newline, struct error *error)
{
    size_t count = 0;
    if (reader->lines >= 2 && reader->lines - 2 >= reader->rows_max)
        return error_set_kind(error, ERROR_DAMAGE,
                              "the server's answer has more than %zu rows, which were not asked "
                              "for: is it ClickHouse's HTTP port (8123)?",
                              reader->rows_max);
    for (char *from = line; from <= newline;) {
        if (count == TAB_COLUMNS_MAX)
            return error_set_kind(
                error, ERROR_DAMAGE,
                "the server's answer has a line of more than %d columns, which were "
                "not asked for: is it ClickHouse's HTTP port (8123)?",
                (int)TAB_COLUMNS_MAX);
        char *tab = memchr(from, '\t', (size_t)(newline - from));
        char *to = tab != NULL ? tab : newline;
        if (array_reserve(&reader->values, &reader->values_capacity, count + 1, error) != 0)
            return -1;
        read_value(&reader->values[count++], from, to);
        from = to + 1;
    }
    return reader->take(reader->context, reader->lines++, reader->values, count, error);
}

int tab_separated_read(struct tab_separated *reader, const char *bytes, size_t size_bytes,
                       struct error *error)
{
    if (size_bytes == 0) /* reader->text may still be NULL */
        return 0;
    if (array_reserve(&reader->text, &reader->text_capacity, reader->text_bytes + size_bytes,
                      error) != 0)
        return -1;
    memcpy(reader->text + reader->text_bytes, bytes, size_bytes);
    reader->text_bytes += size_bytes;
    char *line = reader->text, *end = reader->text + reader->text_bytes, *newline;
    char *searched = line + reader->searched_bytes;
    while (searched < end && (newline = memchr(searched, '\n', (size_t)(end - searched))) != NULL) {
        if (read_line(reader, line, newline, error) != 0)
            return -1;
        searched = line = newline + 1;
    }
    reader->text_bytes = reader->searched_bytes = (size_t)(end - line);
    memmove(reader->text, line, reader->text_bytes);
    return reader->text_bytes <= TAB_LINE_BYTES_MAX
               ? 0
               : error_set_kind(error, ERROR_DAMAGE,
                                "the server's answer has a line of more than %d MiB: is it "
                                "ClickHouse's HTTP port (8123)?",
                                TAB_LINE_BYTES_MAX >> 20);
}

bool tab_separated_whole(const struct tab_separated *reader)
{
    return reader->text_bytes == 0 && reader->lines >= 2;
}

void tab_separated_release(struct tab_separated *reader)
{
    free(reader->text);
    free(reader->values);
    *reader = (struct tab_separated){0};
}
