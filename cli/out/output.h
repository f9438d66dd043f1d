/*
 * Rows for people and programs: aligned tables, CSV (RFC 4180), JSON, Markdown.
 *
 * A table and Markdown show times and sizes in readable units; CSV and JSON give raw numbers. Names
 * come from programs that may be hostile: tables, Markdown and what goes to a terminal show them as
 * text.h says. CSV to a file or a pipe has the exact bytes; JSON has the exact characters, hidden
 * ones as escapes, and U+FFFD for bytes that are not UTF-8.
 */
#ifndef FISQL_CLI_OUT_OUTPUT_H
#define FISQL_CLI_OUT_OUTPUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/out/shorten.h"

enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_MARKDOWN };

/* What a column's numbers are. UNIT_NS_A_CALL: the time of one call, or a mean of them, which
 * recording itself may have made: see doubt_ns. */
enum output_unit { UNIT_NONE, UNIT_NS, UNIT_NS_A_CALL, UNIT_BYTES, UNIT_PERCENT };

/* `kind` says what a column's text is, whatever it looks like. Columns of lower priority leave a
 * table first if it is too wide. */
struct output_column {
    const char *name; /* the caller's */
    enum output_unit unit;
    enum text_kind kind;
    int priority;
};

/* Finds a format by its name; returns whether there is one. */
bool output_format_parse(const char *name, enum output_format *format);

/* Bounds on JSON that goes to a reader who cannot be asked whether it wants more: what is written
 * never exceeds them. Zero-initialised but for bytes_max. */
struct output_bounds {
    size_t bytes_max; /* of all that is written: rows that would go beyond it are counted */
    bool in_string;   /* what is written becomes a JSON string: its bytes are those there */
    /* The answer. */
    bool full;            /* a limit is reached: rows are counted from now on, if at all */
    long rows_written;    /* the rest of *rows were not */
    long cells_shortened; /* texts that are longer than cell_width_max */
};

/* What to write. */
struct output_source {
    sqlite3_stmt *statement;
    const struct output_column *columns; /* one for each of the statement's; borrowed */
    int columns_max;                     /* write only so many of them; 0 = all */
    long limit;                          /* write at most so many rows; -1 = all */
    bool count_all;                      /* go on counting rows after the limit */
    int cell_width_max;                  /* cut longer text, except in CSV; 0 = never */
    int width_max;                       /* of a whole table, 0 = as wide as it is */
    bool say_left_out;                   /* say in a line which columns that left out */
    struct output_bounds *bounds;        /* of JSON; NULL = none */
    double doubt_ns;                     /* tables show smaller times a call as ~N; 0 = none */
    /* By how much the present row's time may be off: tables show a smaller one as ~N. NULL =
     * none. */
    double (*sum_doubt_ns)(const void *context, sqlite3_stmt *statement, int column);
    /* Is the row to be written? NULL = all are. */
    bool (*keep)(void *context, sqlite3_stmt *statement);
    /* Rewrites a name or a stack; the result is freed. NULL = as it is. */
    char *(*rewrite)(void *context, const char *text);
    /* CSV and JSON: the text of the column full_NAME beside a column NAME of functions; the result
     * is freed. NULL = no such columns. */
    char *(*full)(void *context, const char *text);
    void *context;
};

/* Steps the statement to its end, or to the limit, and writes its rows. *rows gets the number of
 * rows kept. Returns SQLITE_DONE, or SQLite's error code. The caller checks the stream. */
int output_rows(FILE *out, enum output_format format, const struct output_source *source,
                long *rows);

/* A time or a size in readable units, e.g. "1.23 ms", "4.0 KiB". */
void output_time(double ns, char *text, size_t size);
/* A time that may be off by doubt_ns: a smaller one is "~1 ms", not even that digit being sure. */
void output_doubtful_time(double ns, double doubt_ns, char *text, size_t size);
void output_bytes(double bytes, char *text, size_t size);

#endif
