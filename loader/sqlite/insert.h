/*
 * A prepared INSERT: one statement for many rows. A row names each column beside its value, so no
 * two can be swapped, and all rows of a table have the same columns:
 *
 *     struct insert insert;
 *     insert_begin(&insert, database, "faults");
 *     insert_row(&insert, column_int("rule_id", 1), column_count("ns", fault->ns));
 *     return insert_end(&insert, error);
 */
#ifndef FISQL_LOADER_SQLITE_INSERT_H
#define FISQL_LOADER_SQLITE_INSERT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define COLUMNS_MAX 64u /* of a row */

enum column_type { COLUMN_NULL, COLUMN_INT, COLUMN_REAL, COLUMN_TEXT };

struct column {
    const char *name; /* a literal */
    enum column_type type;
    size_t bytes; /* of text */
    union {
        int64_t integer;
        double real;
        const char *text; /* borrowed until the row is inserted */
    };
};

struct insert {
    sqlite3 *database;
    const char *table;
    sqlite3_stmt *statement;        /* NULL before the first row */
    const char *names[COLUMNS_MAX]; /* of the first row */
    size_t count;
    bool failed;       /* after any error: we bind and insert no more then */
    char problem[256]; /* the first error: later calls would change the connection's */
};

static inline struct column column_null(const char *name)
{
    return (struct column){.name = name, .type = COLUMN_NULL};
}

static inline struct column column_int(const char *name, int64_t value)
{
    return (struct column){.name = name, .type = COLUMN_INT, .integer = value};
}

/* NULL unless the value is known. */
static inline struct column column_int_if(const char *name, bool known, int64_t value)
{
    return known ? column_int(name, value) : column_null(name);
}

/* A count as SQLite can hold it. */
static inline int64_t clip(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static inline struct column column_count(const char *name, uint64_t value)
{
    return column_int(name, clip(value));
}

static inline struct column column_count_if(const char *name, bool known, uint64_t value)
{
    return column_int_if(name, known, clip(value));
}

/* NULL for 0. */
static inline struct column column_id(const char *name, uint64_t id)
{
    return column_int_if(name, id != 0, (int64_t)id);
}

static inline struct column column_real(const char *name, double value)
{
    return (struct column){.name = name, .type = COLUMN_REAL, .real = value};
}

struct column column_text(const char *name, const char *text); /* NULL for NULL */
struct column column_bytes(const char *name, const char *text, size_t bytes);

/* Inserts into a table; the first row prepares the statement. */
void insert_begin(struct insert *insert, sqlite3 *database, const char *table);
/* A row; each has the same columns. */
#define insert_row(insert, ...)                                                                    \
    insert_columns(insert, (const struct column[]){__VA_ARGS__},                                   \
                   sizeof((const struct column[]){__VA_ARGS__}) / sizeof(struct column))
void insert_columns(struct insert *insert, const struct column *columns, size_t count);
/* 0, or -1 with the first error. */
MUST_CHECK int insert_end(struct insert *insert, struct error *error);

/* The same; a result that is an error already stays, with its words. */
MUST_CHECK int insert_end_after(struct insert *insert, int result, struct error *error);

/* Why the connection's last call failed: the system's words where SQLite only has "disk I/O
 * error". */
const char *insert_problem(sqlite3 *database);

#endif
