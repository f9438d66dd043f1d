/* Batches of runs: see fold.h. */
#include "cli/fleet/fold.h"

#include "cli/out/say.h"
#include "cli/run/run_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

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

/* The groups that are to become batches. */
static const char groups_sql[] =
    "CREATE TEMP TABLE unfolded AS SELECT r.run_id, r.build, coalesce(l.value, '') AS day"
    " FROM runs r LEFT JOIN labels l ON l.run_id = r.run_id AND l.key IS 'day'"
    " WHERE r.run_id NOT IN (SELECT run_id FROM batches);"
    "CREATE TEMP TABLE folds AS SELECT build, day, count(*) AS runs FROM temp.unfolded GROUP BY "
    "build, day";

/* The next of them: its runs become the table folding. */
static const char next_sql[] =
    "DROP TABLE IF EXISTS temp.folding;"
    "CREATE TEMP TABLE folding AS SELECT run_id FROM temp.unfolded"
    " WHERE (build, day) = (SELECT build, day FROM temp.folds ORDER BY build, day LIMIT 1);"
    "DELETE FROM temp.folds WHERE (build, day) = (SELECT build, day FROM temp.folds ORDER BY "
    "build, day LIMIT 1)";

int fold_runs(struct store *store, int64_t runs_min)
{
    char sql[96];
    int status = store_look_all(store);
    snprintf(sql, sizeof sql, "DELETE FROM temp.folds WHERE runs < %lld", (long long)runs_min);
    if (status == 0)
        status = execute(store, groups_sql);
    if (status == 0)
        status = execute(store, sql);
    while (status == 0 && run_integer(store->local, "SELECT count(*) FROM temp.folds", 0) > 0) {
        int64_t batch_id = 0;
        status = random_id(&batch_id);
        if (status == 0)
            status = execute(store, next_sql);
        if (status == 0)
            status = store_fold(store, batch_id);
    }
    return status;
}

/* Two hosts that summed up at once have put a run into two batches: of batches that share one, that with the
 * smaller id counts. */
static const char choose_sql[] =
    "CREATE TEMP TABLE whole AS SELECT b.batch_id, min(c.side) AS side FROM batches b"
    " JOIN temp.chosen c ON c.run_id = b.run_id GROUP BY b.batch_id"
    " HAVING count(*) = max(b.runs) AND min(c.side) = max(c.side);"
    "CREATE TEMP TABLE placed AS SELECT b.run_id, b.batch_id FROM batches b"
    " WHERE b.batch_id IN (SELECT batch_id FROM temp.whole);"
    "CREATE INDEX temp.placed_by_run ON placed(run_id, batch_id);"
    "CREATE TEMP TABLE batch AS SELECT batch_id, side FROM temp.whole w WHERE NOT EXISTS ("
    "  SELECT 1 FROM temp.placed mine JOIN temp.placed other ON other.run_id = mine.run_id"
    "    AND other.batch_id < mine.batch_id WHERE mine.batch_id = w.batch_id);"
    "CREATE TEMP TABLE single AS SELECT run_id, side FROM temp.chosen WHERE run_id NOT IN ("
    "  SELECT run_id FROM temp.placed WHERE batch_id IN (SELECT batch_id FROM temp.batch))";

int fold_choose(struct store *store)
{
    return execute(store, choose_sql);
}
