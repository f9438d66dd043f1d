/* Batches of runs: see fold.h. */
#include "cli/fleet/fold.h"

#include "cli/out/say.h"
#include "cli/run/run_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* fold.sql */
extern const char fold_sql_groups[], fold_sql_next[], fold_sql_choose[];

static int execute(struct store *store, const char *sql)
{
    return sqlite3_exec(store->local, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : fail("%s: its runs cannot be added up: %s", store->url,
                      sqlite3_errmsg(store->local));
}

static int random_id(int64_t *id)
{
    if (getrandom(id, sizeof *id, 0) != (ssize_t)sizeof *id)
        return fail("no random number: %s", strerror(errno));
    *id = *id & INT64_MAX;
    *id += *id == 0;
    return 0;
}

int fold_runs(struct store *store, int64_t runs_min)
{
    char sql[96];
    int status = store_look_all(store);
    snprintf(sql, sizeof sql, "DELETE FROM temp.folds WHERE runs < %lld", (long long)runs_min);
    if (status == 0)
        status = execute(store, fold_sql_groups);
    if (status == 0)
        status = execute(store, sql);
    while (status == 0 && run_integer(store->local, "SELECT count(*) FROM temp.folds", 0) > 0) {
        int64_t batch_id = 0;
        status = random_id(&batch_id);
        if (status == 0)
            status = execute(store, fold_sql_next);
        if (status == 0)
            status = store_fold(store, batch_id);
    }
    return status;
}

int fold_choose(struct store *store)
{
    return execute(store, fold_sql_choose);
}
