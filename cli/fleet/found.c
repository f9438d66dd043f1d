/* What holds in every call of a run: see found.h. */
#include "cli/fleet/found.h"

#include "cli/out/say.h"
#include "queries/embedded.h"

#include <string.h>

/* The queries, and the SQL for the part of a row that identifies the finding. */
static const struct {
    const char *query, *detail;
} kinds[] = {
    {"inline-candidates", "''"},
    {"proxies", "q.target"},
    {"single-callee", "q.callee"},
    {"constant-arguments", "coalesce(q.parameter, q.position) || ' = ' || CAST(q.value AS TEXT)"}};

static const char *query_text(const char *name)
{
    for (size_t i = 0; i < embedded_queries_count; i++)
        if (strcmp(embedded_queries[i].name, name) == 0)
            return embedded_queries[i].text;
    return "SELECT 1 WHERE 0";
}

int found_make(sqlite3 *database)
{
    int result = sqlite3_exec(
        database,
        "CREATE TEMP TABLE found(query TEXT, function_id INTEGER, detail TEXT, calls INTEGER)",
        NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && result == SQLITE_OK; i++) {
        /* All pieces are our own text, so no input becomes SQL. Functions of one name share a
         * stable id, or are copies of one. */
        char *sql = sqlite3_mprintf(
            "INSERT INTO temp.found SELECT %Q, (SELECT min(stable(f.stable_id)) FROM functions f"
            " WHERE f.name = q.function), coalesce(%s, ''), q.calls FROM (%s\n) AS q",
            kinds[i].query, kinds[i].detail, query_text(kinds[i].query));
        result = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(database, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    return result == SQLITE_OK
               ? 0
               : fail("%s: its findings cannot be read: %s", sqlite3_db_filename(database, "main"),
                      sqlite3_errstr(result));
}
