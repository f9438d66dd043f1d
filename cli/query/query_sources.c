/* The queries that a query reads: see query_sources.h. */
#include "cli/query/query_sources.h"

#include "cli/out/say.h"
#include "cli/run/distrust.h"

#include <ctype.h>
#include <string.h>

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

static int make(sqlite3 *database, const struct load_view *view)
{
    static const char create[] = "CREATE VIEW ";
    char *sql = sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS %s", view->sql + strlen(create));
    int result = sql != NULL ? distrust_execute(database, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result == SQLITE_OK ? 0 : fail("%s: %s", view->name, sqlite3_errmsg(database));
}

int query_sources_make(sqlite3 *database, const char *sql, bool *walks)
{
    struct query_views views;
    int status = query_views_make(&views) == 0 ? 0 : fail("out of memory");
    *walks = false;
    for (size_t i = 0; i < views.count && status == 0; i++) {
        if (!reads(sql, views.items[i].name))
            continue;
        *walks = *walks || strstr(views.items[i].sql, "RECURSIVE") != NULL;
        status = make(database, &views.items[i]);
    }
    query_views_release(&views);
    return status;
}

int query_sources_make_named(sqlite3 *database, const char *sql)
{
    struct query_views views;
    int status = query_views_make(&views) == 0 ? 0 : fail("out of memory");
    for (size_t i = 0; i < views.count && status == 0; i++)
        if (names(sql, views.items[i].name))
            status = make(database, &views.items[i]);
    query_views_release(&views);
    return status;
}
