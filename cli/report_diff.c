/*
 * Two runs in one report: the data of each, with half of the budgets, and the functions of both
 * side by side. Functions are matched by linkage name and the last part of the file's path, so that
 * two builds of a program can be compared; several of one name and file count together. The second
 * database is attached to the first, and SQLite joins.
 */
#include "cli/report.h"
#include "cli/say.h"

/* One run's functions by name and file; %s is the run's database. */
#define SIDE(run)                                                                                  \
    "SELECT coalesce(f.linkage_name, f.name) AS linkage, coalesce(files.name, '') AS file,"        \
    "       min(f.id) AS id, sum(s.calls) AS calls, sum(s.total_ns) AS total_ns,"                  \
    "       sum(s.self_ns) AS self_ns, sum(s.finished) AS finished, max(s.max_ns) AS max_ns,"      \
    "       sum(s.mean_ns * s.finished) / sum(s.finished) AS mean_ns, sum(s.m2) AS m2,"            \
    "       sum(s.alloc_bytes) AS alloc_bytes, sum(s.allocs) AS allocs"                            \
    " FROM " run ".function_stats s JOIN " run ".functions f ON f.id = s.function_id"              \
    "      LEFT JOIN " run ".files files ON files.id = f.file_id GROUP BY 1, 2"

static const struct report_part changes = {
    "changes",
    "WITH a AS MATERIALIZED (" SIDE("main") "), b AS MATERIALIZED (" SIDE(
        "b") "),"
             " both AS (SELECT a.id AS function_id, b.id AS other_function_id, a.calls AS a_calls, "
             "b.calls AS b_calls,"
             "       a.self_ns AS a_self_ns, b.self_ns AS b_self_ns, a.total_ns AS a_total_ns,"
             "       b.total_ns AS b_total_ns, a.finished AS a_finished, b.finished AS b_finished,"
             "       a.mean_ns AS a_mean_ns, b.mean_ns AS b_mean_ns, a.m2 AS a_m2, b.m2 AS b_m2,"
             "       a.max_ns AS a_max_ns, b.max_ns AS b_max_ns,"
             "       a.alloc_bytes AS a_alloc_bytes, b.alloc_bytes AS b_alloc_bytes,"
             "       a.allocs AS a_allocs, b.allocs AS b_allocs"
             "       FROM a FULL JOIN b ON a.linkage = b.linkage AND a.file = b.file)"
             " SELECT both.* FROM both"
             " ORDER BY abs(coalesce(b_self_ns, 0) - coalesce(a_self_ns, 0))"
             "        + abs(coalesce(b_total_ns, 0) - coalesce(a_total_ns, 0)) / 4"
             "        + 16 * abs(coalesce(b_calls, 0) - coalesce(a_calls, 0))"
             "        + abs(coalesce(b_alloc_bytes, 0) - coalesce(a_alloc_bytes, 0)) DESC,"
             " function_id, other_function_id",
    500000};

static int attach(struct report *a, const struct report *b)
{
    sqlite3_stmt *statement = report_prepare(a, "ATTACH ?1 AS b");
    if (statement == NULL)
        return 2;
    sqlite3_bind_text(statement, 1, sqlite3_db_filename(b->database, "main"), -1, SQLITE_TRANSIENT);
    int result = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0
                                 : fail("%s: cannot be compared with %s: %s", a->path, b->path,
                                        sqlite3_errmsg(a->database));
}

int report_write_diff(struct report *a, struct report *b)
{
    int status = attach(a, b);
    a->other = b;
    json_open(&a->json, '{');
    if (status == 0)
        status = report_part(a, &changes);
    json_key(&a->json, "a");
    if (status == 0)
        status = report_write(a);
    b->json = a->json;
    json_key(&b->json, "b");
    if (status == 0)
        status = report_write(b);
    json_close(&b->json, '}');
    return status;
}
