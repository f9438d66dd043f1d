/*
 * ClickHouse's TabSeparatedWithNamesAndTypes, read piece by piece: a line of names, a line of
 * types, then rows. Tab, newline and backslash are escaped within a value; all other bytes are as
 * they are.
 */
#ifndef FISQL_CLI_CLICKHOUSE_TAB_SEPARATED_H
#define FISQL_CLI_CLICKHOUSE_TAB_SEPARATED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The limit of a line has room for a part of a run (1 MiB) with each byte escaped. */
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
    size_t rows_max; /* more are an error, as are lines and columns beyond the limits above */
    char *text;
    size_t text_bytes, text_capacity, searched_bytes;
    struct tab_value *values;
    size_t values_capacity, lines;
};

/* Reads a piece. Returns 0, or -1 with the error. */
int tab_separated_read(struct tab_separated *reader, const char *bytes, size_t size_bytes,
                       struct error *error);

/* At the end: did we get whole lines only, names and types among them? */
bool tab_separated_whole(const struct tab_separated *reader);
void tab_separated_release(struct tab_separated *reader);

#endif
