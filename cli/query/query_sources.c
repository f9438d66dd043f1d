/* The queries that a query reads: see query_sources.h. */
#include "cli/query/query_sources.h"

#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4 }; /* views, of which a statement makes tables */

static bool is_part_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

/* Does the SQL read the view, behind FROM or JOIN? */
static bool reads(const char *sql, const char *view)
{
    size_t length = strlen(view);
    for (const char *at = sql; (at = strstr(at, view)) != NULL; at += length) {
        bool whole = at - sql > 5 && at[-1] == ' ' && !is_part_of_name(at[length]);
        if (whole && (strncmp(at - 5, "FROM ", 5) == 0 || strncmp(at - 5, "JOIN ", 5) == 0))
            return true;
    }
    return false;
}

/* Is the view's name a word of the SQL? */
static bool names(const char *sql, const char *view)
{
    size_t length = strlen(view);
    for (const char *at = sql; (at = strcasestr(at, view)) != NULL; at += length)
        if ((at == sql || !is_part_of_name(at[-1])) && !is_part_of_name(at[length]))
            return true;
    return false;
}

/* Makes a view, or a table with the rows. An interrupted one says nothing: who interrupts says why. */
static int make(sqlite3 *database, const struct load_view *view, const char *kind)
{
    static const char create[] = "CREATE VIEW ";
    char *sql =
        sqlite3_mprintf("CREATE TEMP %s IF NOT EXISTS %s", kind, view->sql + strlen(create));
    int result = sql != NULL ? distrust_execute(database, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (result == SQLITE_INTERRUPT)
        return 2;
    return result == SQLITE_OK ? 0 : fail("%s: %s", view->name, sqlite3_errmsg(database));
}

/* Drops what there is of that name among the temporary ones. Interrupted, it says nothing, too. */
static int drop(sqlite3 *database, const struct load_view *view)
{
    sqlite3_stmt *row =
        database_ask(database, "SELECT type FROM temp.sqlite_schema WHERE name = ?1");
    if (row == NULL)
        return 2;
    sqlite3_bind_text(row, 1, view->name, -1, SQLITE_STATIC);
    char *type = database_text(row);
    if (type == NULL)
        return 0;
    char *sql = sqlite3_mprintf("DROP %s temp.%s", strcmp(type, "table") == 0 ? "TABLE" : "VIEW",
                                view->name);
    int result = sql != NULL ? distrust_execute(database, sql) : SQLITE_NOMEM;
    free(type);
    sqlite3_free(sql);
    if (result == SQLITE_INTERRUPT)
        return 2;
    return result == SQLITE_OK ? 0 : fail("%s: %s", view->name, sqlite3_errmsg(database));
}

bool query_sources_walk(const char *sql)
{
    struct query_views views;
    bool walk = query_views_make(&views) != 0; /* if it is not known, they may */
    for (size_t i = 0; i < views.count && !walk; i++)
        walk = reads(sql, views.items[i].name) && strstr(views.items[i].sql, "RECURSIVE") != NULL;
    query_views_release(&views);
    return walk;
}

/* Drops what was made of the views that the SQL reads, and makes it anew. */
static int all_anew(sqlite3 *database, const char *sql, bool making)
{
    struct query_views views;
    int status = query_views_make(&views) == 0 ? 0 : fail("out of memory");
    size_t read = 0;
    for (size_t i = 0; i < views.count && status == 0; i++)
        read += reads(sql, views.items[i].name);
    for (size_t i = 0; i < views.count && status == 0; i++) {
        if (!reads(sql, views.items[i].name))
            continue;
        status = drop(database, &views.items[i]);
        if (status == 0 && making)
            status = make(database, &views.items[i], read >= MANY ? "TABLE" : "VIEW");
    }
    query_views_release(&views);
    return status;
}

int query_sources_make(sqlite3 *database, const char *sql)
{
    return all_anew(database, sql, true);
}

int query_sources_drop(sqlite3 *database, const char *sql)
{
    return all_anew(database, sql, false);
}

int query_sources_make_named(sqlite3 *database, const char *sql)
{
    struct query_views views;
    int status = query_views_make(&views) == 0 ? 0 : fail("out of memory");
    for (size_t i = 0; i < views.count && status == 0; i++)
        if (names(sql, views.items[i].name))
            status = make(database, &views.items[i], "VIEW");
    query_views_release(&views);
    return status;
}
