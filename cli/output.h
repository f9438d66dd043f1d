/*
 * Rows for people and programs: aligned tables, CSV (RFC 4180), JSON, Markdown.
 *
 * A table and Markdown show times and sizes in readable units; CSV and JSON give raw numbers. Names
 * come from programs that may be hostile: control characters are escaped in tables and Markdown, and
 * bytes that are not UTF-8 are replaced in JSON.
 */
#ifndef FISQL_CLI_OUTPUT_H
#define FISQL_CLI_OUTPUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_MARKDOWN };

/* What a column's numbers are. */
enum output_unit { UNIT_NONE, UNIT_NS, UNIT_BYTES, UNIT_PERCENT };

struct output_column {
    const char *name; /* borrowed */
    enum output_unit unit;
};

/* Finds a format by its name; returns whether there is one. */
bool output_format_parse(const char *name, enum output_format *format);

/* Steps the statement to its end, or to limit rows (-1 = all), and writes its rows. *rows gets their
 * number. Returns SQLITE_DONE, or SQLite's error code. The caller checks the stream. */
int output_rows(FILE *out, enum output_format format, sqlite3_stmt *statement,
                const struct output_column *columns, long limit, long *rows);

/* A time or a size in readable units, e.g. "1.23 ms", "4.0 KiB". */
void output_time(double ns, char *text, size_t size);
void output_bytes(double bytes, char *text, size_t size);

/* Writes text with control characters escaped. */
void output_escaped(FILE *out, const char *text);

#endif
