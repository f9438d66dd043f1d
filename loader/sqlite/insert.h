/* A prepared INSERT with positional binding: one statement for many rows. */
#ifndef FISQL_LOADER_SQLITE_INSERT_H
#define FISQL_LOADER_SQLITE_INSERT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct insert {
    sqlite3 *database;
    sqlite3_stmt *statement;
    int column;        /* the next to bind */
    int failed;        /* 1 after any error: no more is bound or put then */
    char problem[256]; /* the first error, in words: later calls would change the connection's */
};

/* Prepares "INSERT INTO table(columns) VALUES(?,...)". */
void insert_begin(struct insert *insert, sqlite3 *database, const char *table, const char *columns);
void insert_int(struct insert *insert, int64_t value);
void insert_id(struct insert *insert, uint64_t id); /* 0 = NULL */
void insert_real(struct insert *insert, double value);
void insert_text(struct insert *insert, const char *text); /* NULL = NULL; copied */
void insert_text_bytes(struct insert *insert, const char *text, size_t bytes); /* copied */
void insert_null(struct insert *insert);
/* Ends the row. */
void insert_row(struct insert *insert);
/* 0, or -1 with the first error. */
int insert_end(struct insert *insert, struct error *error);

/* Why the connection's last call failed: the system's words where SQLite has but "disk I/O error".
 */
const char *insert_problem(sqlite3 *database);

#endif
