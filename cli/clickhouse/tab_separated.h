/*
 * ClickHouse's TabSeparatedWithNamesAndTypes, read piece by piece: a line of names, a line of types, then
 * rows. In a value, tab, newline and backslash are escaped; all other bytes are as they are.
 */
#ifndef FISQL_CLI_CLICKHOUSE_TAB_SEPARATED_H
#define FISQL_CLI_CLICKHOUSE_TAB_SEPARATED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A line is longer than a part of a run (1 MiB) may become, each of its bytes escaped. */
enum { TAB_COLUMNS_MAX = 64, TAB_LINE_BYTES_MAX = 64 << 20 };

struct tab_value {
    const char *text; /* unescaped, ends with a NUL that is not counted */
    size_t size_bytes;
    bool null;
};

struct tab_separated {
    /* Takes a line: 0 = names, 1 = types, then rows. Returns 0, or -1 with the error. */
    int (*take)(void *context, size_t line, const struct tab_value *values, size_t count,
                struct error *error);
    void *context;
    size_t rows_max; /* more are an error, as are more columns and longer lines than above */
    char *text;
    size_t text_bytes, text_capacity, searched_bytes;
    struct tab_value *values;
    size_t values_capacity, lines;
};

/* Reads a piece. Returns 0, or -1 with the error. */
int tab_separated_read(struct tab_separated *reader, const char *bytes, size_t size_bytes,
                       struct error *error);

/* At the end: was all of it whole lines? */
bool tab_separated_whole(const struct tab_separated *reader);
void tab_separated_release(struct tab_separated *reader);

#endif
