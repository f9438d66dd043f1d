/* A prepared INSERT: see insert.h. */
#include "loader/sqlite/insert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"

struct column column_text(const char *name, const char *text)
{
    return text != NULL ? column_bytes(name, text, strlen(text)) : column_null(name);
}

struct column column_bytes(const char *name, const char *text, size_t bytes)
{
    return (struct column){.name = name, .type = COLUMN_TEXT, .bytes = bytes, .text = text};
}

static void check(struct insert *insert, int status)
{
    if (status == SQLITE_OK || insert->failed)
        return;
    insert->failed = true;
    snprintf(insert->problem, sizeof insert->problem, "%s", insert_problem(insert->database));
}

void insert_begin(struct insert *insert, sqlite3 *database, const char *table)
{
    *insert = (struct insert){.database = database, .table = table};
}

static void prepare(struct insert *insert, const struct column *columns, size_t count)
{
    char sql[4096], values[2 * COLUMNS_MAX + 1] = "";
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(", insert->table);
    must(count > 0 && count <= COLUMNS_MAX);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            must(strcmp(columns[i].name, columns[k].name) != 0);
        insert->names[i] = columns[i].name;
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", i > 0 ? "," : "",
                                 columns[i].name);
        must(used < sizeof sql);
        memcpy(values + 2 * i, "?,", 2);
    }
    used += (size_t)snprintf(sql + used, sizeof sql - used, ") VALUES(%.*s)", (int)(2 * count - 1),
                             values);
    must(used < sizeof sql);
    insert->count = count;
    check(insert, sqlite3_prepare_v2(insert->database, sql, -1, &insert->statement, NULL));
    must(insert->failed || (size_t)sqlite3_bind_parameter_count(insert->statement) == count);
}

/* Binds text without a copy: nobody reads it after the row's step, and the next row binds
 * another. */
static int bind(sqlite3_stmt *statement, int at, const struct column *column)
{
    switch (column->type) {
    case COLUMN_NULL:
        return sqlite3_bind_null(statement, at);
    case COLUMN_INT:
        return sqlite3_bind_int64(statement, at, column->integer);
    case COLUMN_REAL:
        return sqlite3_bind_double(statement, at, column->real);
    case COLUMN_TEXT:
        return sqlite3_bind_text64(statement, at, column->text, column->bytes, SQLITE_STATIC,
                                   SQLITE_UTF8);
    }
    return SQLITE_MISUSE;
}

void insert_columns(struct insert *insert, const struct column *columns, size_t count)
{
    if (insert->statement == NULL && !insert->failed)
        prepare(insert, columns, count);
    if (insert->failed)
        return;
    must(count == insert->count);
    for (size_t i = 0; i < count; i++) {
        must(columns[i].name == insert->names[i] || strcmp(columns[i].name, insert->names[i]) == 0);
        check(insert, bind(insert->statement, (int)i + 1, &columns[i]));
    }
    if (!insert->failed) {
        int status = sqlite3_step(insert->statement);
        check(insert, status == SQLITE_DONE ? SQLITE_OK : status);
    }
    check(insert, sqlite3_reset(insert->statement));
}

int insert_end(struct insert *insert, struct error *error)
{
    check(insert, sqlite3_finalize(insert->statement));
    insert->statement = NULL;
    return insert->failed ? error_set(error, "%s", insert->problem) : 0;
}

int insert_end_after(struct insert *insert, int result, struct error *error)
{
    return insert_end(insert, result == 0 ? error : NULL) != 0 ? -1 : result;
}

const char *insert_problem(sqlite3 *database)
{
    int last = errno, system = sqlite3_system_errno(database);
    if ((sqlite3_errcode(database) & 0xff) != SQLITE_IOERR)
        return sqlite3_errmsg(database);
    if (system == 0 && (last == EFBIG || last == ENOSPC || last == EDQUOT))
        system = last; /* SQLite keeps none for a failed COMMIT */
    return system != 0 ? strerror(system) : sqlite3_errmsg(database);
}
