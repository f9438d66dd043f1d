/*
 * The schema of a database that somebody gave us: see schema_check.h. SQLite keeps the statements
 * that made it. If all known ones are there to the letter, it is the known schema. Otherwise we
 * make the known schema in memory, and compare what SQLite says of both, row by row.
 */
#include "cli/run/schema_check.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"

#include "queries/embedded.h"

#include <stdio.h>
#include <string.h>

enum { KNOWN_MAX = 512 }; /* statements */

/* A row for each thing that matters, in the same order for both: a table's columns with type, key
 * and whether they are computed; an index as it was written. Virtual tables have no page of their
 * own (rootpage). */
static const char shape_sql[] =
    "SELECT s.name AS name, 'column ' || x.name AS what,"
    "  x.type || ' ' || x.pk || ' ' || x.hidden || ' ' || (s.rootpage > 0) AS shape"
    " FROM sqlite_schema s, pragma_table_xinfo(s.name) x WHERE s.type = 'table'"
    "  AND s.name NOT LIKE 'sqlite_%'"
    " UNION ALL"
    " SELECT tbl_name, 'index ' || name, sql FROM sqlite_schema"
    " WHERE type = 'index' AND sql IS NOT NULL"
    " ORDER BY 1, 2";

static const char views_sql[] = "SELECT sql FROM sqlite_schema WHERE type = 'view'";

/* What has pages of its own, and what has none. */
static const char statements_sql[] =
    "SELECT DISTINCT sql FROM sqlite_schema"
    " WHERE sql IS NOT NULL AND (rootpage > 0) = (sql NOT LIKE 'CREATE VIEW %')";

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

/* Was text_at() for want of memory empty? */
static bool lacks_memory(sqlite3_stmt *statement)
{
    return sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM;
}

static int compare(sqlite3_stmt *known, sqlite3_stmt *found)
{
    int order = strcmp(text_at(known, 0), text_at(found, 0));
    return order != 0 ? order : strcmp(text_at(known, 1), text_at(found, 1));
}

/* Goes through both lists: all that is known must be found. */
static bool same_shape(sqlite3_stmt *known, sqlite3_stmt *found, const char *path,
                       const char *maker)
{
    int step = sqlite3_step(found), wanted;
    while ((wanted = sqlite3_step(known)) == SQLITE_ROW) {
        while (step == SQLITE_ROW && compare(known, found) > 0)
            step = sqlite3_step(found);
        if (step != SQLITE_ROW && step != SQLITE_DONE) {
            fail("%s: its schema cannot be read: %s", path, sqlite3_errstr(step));
            return false;
        }
        if (step == SQLITE_ROW && compare(known, found) == 0 &&
            strcmp(text_at(known, 2), text_at(found, 2)) == 0)
            continue;
        if (lacks_memory(known) || lacks_memory(found)) {
            fail("%s: its schema cannot be compared: out of memory", path);
            return false;
        }
        fail("%s: is not as %s: the table %s has no %s of the known kind", path, maker,
             text_at(known, 0), text_at(known, 1));
        return false;
    }
    if (wanted != SQLITE_DONE) {
        fail("%s: its schema cannot be compared: %s", path, sqlite3_errstr(wanted));
        return false;
    }
    return true;
}

/* Makes the known views as temporary ones, which hide the database's own. */
static bool put_views(sqlite3 *memory, sqlite3 *database)
{
    static const char create[] = "CREATE VIEW ";
    sqlite3_stmt *views = NULL;
    bool done = sqlite3_prepare_v2(memory, views_sql, -1, &views, NULL) == SQLITE_OK;
    int step = SQLITE_DONE;
    while (done && (step = sqlite3_step(views)) == SQLITE_ROW) {
        char *sql = sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS %s",
                                    text_at(views, 0) + strlen(create));
        done = sql != NULL && distrust_execute(database, sql) == SQLITE_OK;
        sqlite3_free(sql);
    }
    sqlite3_finalize(views);
    return done && step == SQLITE_DONE;
}

/* Makes the schema in memory; NULL after saying why not. */
static sqlite3 *make_known(const char *schema)
{
    sqlite3 *memory = NULL;
    if (sqlite3_open(":memory:", &memory) == SQLITE_OK &&
        sqlite3_exec(memory, schema, NULL, NULL, NULL) == SQLITE_OK)
        return memory;
    fail("the schema cannot be made: %s", sqlite3_errmsg(memory));
    sqlite3_close(memory);
    return NULL;
}

/* Finds the statements of the known schema that make something. Returns their number. */
static size_t find_known(const char *known[KNOWN_MAX])
{
    static const char create[] = "\nCREATE ";
    size_t count = 0;
    for (const char *at = strstr(embedded_schema, create); at != NULL && count < KNOWN_MAX;
         at = strstr(at + 1, create))
        known[count++] = at + 1;
    return count;
}

static bool is_known(const char *sql, const char *const *known, size_t count)
{
    size_t length = strlen(sql), i = 0;
    while (i < count && (strncmp(known[i], sql, length) != 0 || known[i][length] != ';'))
        i++;
    return i < count;
}

/* Are all statements of the known schema there as they are written? Every database that `fisql
 * load` made passes, in a tenth of the time of what is below. */
static bool same_text(sqlite3 *database)
{
    sqlite3_stmt *statements = NULL;
    const char *known[KNOWN_MAX];
    size_t count = find_known(known), found = 0;
    if (sqlite3_prepare_v2(database, statements_sql, -1, &statements, NULL) != SQLITE_OK)
        return false;
    while (sqlite3_step(statements) == SQLITE_ROW)
        found += is_known(text_at(statements, 0), known, count);
    return sqlite3_finalize(statements) == SQLITE_OK && count < KNOWN_MAX && found == count;
}

bool schema_same(sqlite3 *database, const char *path, const char *schema, const char *maker)
{
    sqlite3 *memory = make_known(schema);
    sqlite3_stmt *known = NULL, *found = NULL;
    bool good = false;
    if (memory == NULL)
        return false;
    if (sqlite3_prepare_v2(memory, shape_sql, -1, &known, NULL) != SQLITE_OK)
        fail("the schema cannot be made: %s", sqlite3_errmsg(memory));
    else if (sqlite3_prepare_v2(database, shape_sql, -1, &found, NULL) != SQLITE_OK)
        fail("%s: its schema cannot be read: %s", path, sqlite3_errmsg(database));
    else
        good = same_shape(known, found, path, maker);
    sqlite3_finalize(known);
    sqlite3_finalize(found);
    sqlite3_close(memory);
    return good;
}

bool schema_put_views(sqlite3 *database)
{
    sqlite3 *memory = make_known(embedded_schema);
    bool done = memory != NULL && put_views(memory, database);
    sqlite3_close(memory);
    return done;
}

bool schema_check(sqlite3 *database, const char *path)
{
    sqlite3_exec(database, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    if (same_text(database))
        return true;
    if (!schema_same(database, path, embedded_schema, "`fisql load` makes it (load the log again)"))
        return false;
    if (schema_put_views(database))
        return true;
    fail("%s: its views cannot be replaced: load the log again", path);
    return false;
}
