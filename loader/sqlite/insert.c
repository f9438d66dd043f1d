/* A prepared INSERT: see insert.h. */
#include "loader/sqlite/insert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void check(struct insert *insert, int status)
{
    if (status == SQLITE_OK)
        return;
    insert->failed = 1;
    snprintf(insert->problem, sizeof insert->problem, "%s", insert_problem(insert->database));
}

void insert_begin(struct insert *insert, sqlite3 *database, const char *table, const char *columns)
{
    char sql[4096];
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(%s) VALUES(?", table, columns);
    for (const char *at = columns; (at = strchr(at, ',')) != NULL && used + 4 < sizeof sql; at++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ",?");
    snprintf(sql + used, sizeof sql - used, ")");
    *insert = (struct insert){.database = database, .column = 1};
    check(insert, sqlite3_prepare_v2(database, sql, -1, &insert->statement, NULL));
}

void insert_int(struct insert *insert, int64_t value)
{
    if (!insert->failed)
        check(insert, sqlite3_bind_int64(insert->statement, insert->column++, value));
}

void insert_id(struct insert *insert, uint64_t id)
{
    if (id == 0)
        insert_null(insert);
    else
        insert_int(insert, (int64_t)id);
}

void insert_real(struct insert *insert, double value)
{
    if (!insert->failed)
        check(insert, sqlite3_bind_double(insert->statement, insert->column++, value));
}

void insert_text(struct insert *insert, const char *text)
{
    if (!insert->failed)
        check(insert,
              sqlite3_bind_text(insert->statement, insert->column++, text, -1, SQLITE_TRANSIENT));
}

void insert_text_bytes(struct insert *insert, const char *text, size_t bytes)
{
    if (!insert->failed)
        check(insert, sqlite3_bind_text(insert->statement, insert->column++, text, (int)bytes,
                                        SQLITE_TRANSIENT));
}

void insert_null(struct insert *insert)
{
    if (!insert->failed)
        check(insert, sqlite3_bind_null(insert->statement, insert->column++));
}

void insert_row(struct insert *insert)
{
    if (!insert->failed) {
        int status = sqlite3_step(insert->statement);
        check(insert, status == SQLITE_DONE ? SQLITE_OK : status);
    }
    if (!insert->failed)
        check(insert, sqlite3_reset(insert->statement));
    insert->column = 1;
}

int insert_end(struct insert *insert, struct error *error)
{
    int result = insert->failed ? error_set(error, "%s", insert->problem) : 0;
    sqlite3_finalize(insert->statement);
    insert->statement = NULL;
    return result;
}

const char *insert_problem(sqlite3 *database)
{
    int last = errno, system = sqlite3_system_errno(database);
    if ((sqlite3_errcode(database) & 0xff) != SQLITE_IOERR)
        return sqlite3_errmsg(database);
    if (system == 0 && (last == EFBIG || last == ENOSPC || last == EDQUOT))
        system = last; /* a COMMIT that fails does not tell SQLite's own */
    return system != 0 ? strerror(system) : sqlite3_errmsg(database);
}
