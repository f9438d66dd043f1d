/* Choosing runs: see choose.h. */
#include "cli/fleet/choose.h"

#include "cli/out/say.h"
#include "cli/run/run_view.h"

#include <string.h>

int choose_begin(struct store *store)
{
    return sqlite3_exec(store->local,
                        "CREATE TEMP TABLE chosen(run_id INTEGER PRIMARY KEY, side INTEGER)", NULL,
                        NULL, NULL) == SQLITE_OK
               ? 0
               : fail("%s: %s", store->url, sqlite3_errmsg(store->local));
}

static const char choose_sql[] =
    "INSERT INTO temp.chosen SELECT run_id, ?2 FROM runs WHERE ?1 = '*' OR run = ?1"
    " OR length(?1) >= 6 AND substr(run, 1, length(?1)) = ?1"
    " OR run_id IN (SELECT run_id FROM labels WHERE value = ?1 OR key || '=' || value = ?1)";

int choose_add(struct store *store, const char *what, const char *set, int side)
{
    sqlite3_stmt *insert = NULL;
    if (strcmp(set, "*") != 0 && store_look_set(store, set) != 0)
        return 2;
    int result = sqlite3_prepare_v2(store->local, choose_sql, -1, &insert, NULL);
    if (result == SQLITE_OK) {
        sqlite3_bind_text(insert, 1, set, -1, SQLITE_STATIC);
        sqlite3_bind_int(insert, 2, side);
        result = sqlite3_step(insert);
    }
    int added = sqlite3_changes(store->local);
    sqlite3_finalize(insert);
    if (result == SQLITE_CONSTRAINT)
        return fail(
            "%s=%s: some of these runs are on the other side, too: give sets that have no run "
            "in common",
            what, set);
    if (result != SQLITE_DONE)
        return fail("%s: %s", store->url, sqlite3_errmsg(store->local));
    if (added == 0 && run_integer(store->local, "SELECT count(*) FROM runs", 0) == 0)
        return fail("%s: has no runs: push some with `fisql push`", store->url);
    if (added == 0)
        return fail(
            "%s=%s: no such runs: wants KEY=VALUE or VALUE of a label, or a run; `fisql fleet "
            "runs` lists them",
            what, set);
    return 0;
}
