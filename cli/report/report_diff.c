/*
 * Two runs in one report: the data of each, with less of the budgets, and the functions of both
 * side by side, as compare.h matches and tests them for `fisql diff`. The first report's database
 * is the connection that compare_open() gives.
 */
#include "cli/report/report.h"
#include "cli/out/say.h"

/* One run's functions that compare.h put together: an id for each name and file. */
#define IDS(run)                                                                                   \
    "SELECT coalesce(f.full_name, f.name) AS name, coalesce(files.name, m.name, '') AS file, "     \
    "min(f.id) AS id"                                                                              \
    " FROM " run ".function_stats s JOIN " run ".functions f ON f.id = s.function_id"              \
    "      LEFT JOIN " run ".files files ON files.id = f.file_id"                                  \
    "      LEFT JOIN " run ".modules m ON m.id = f.module_id GROUP BY 1, 2"

/* p and doubt_ns are what `fisql diff` decides by: the probability that the times of a call differ
 * by chance, and how far apart the means may be for the hooks' cost. */
static const struct report_part changes = {
    "changes",
    "WITH a_ids AS MATERIALIZED (" IDS("main") "), b_ids AS MATERIALIZED (" IDS(
        "other") "),"
                 " both AS (SELECT a_ids.id AS function_id, b_ids.id AS other_function_id,"
                 "       a.calls AS a_calls, b.calls AS b_calls, a.self_ns AS a_self_ns,"
                 "       b.self_ns AS b_self_ns, a.total_ns AS a_total_ns, b.total_ns AS "
                 "b_total_ns,"
                 "       a.mean_ns AS a_mean_ns, b.mean_ns AS b_mean_ns, a.max_ns AS a_max_ns,"
                 "       b.max_ns AS b_max_ns, a.alloc_bytes AS a_alloc_bytes, b.alloc_bytes AS "
                 "b_alloc_bytes,"
                 "       a.allocs AS a_allocs, b.allocs AS b_allocs,"
                 "       CASE WHEN a.finished >= 10 AND b.finished >= 10 THEN min(1.0, 2 * min("
                 "         welch_p(a.finished, a.mean_ns, a.m2, b.finished, b.mean_ns, b.m2),"
                 "         CASE WHEN (r.z > 0) = (b.mean_ns > a.mean_ns) THEN r.p ELSE 1 END)) END "
                 "AS p,"
                 "       2 * max(a.hooks_ns, b.hooks_ns) AS doubt_ns"
                 "       FROM temp.a AS a FULL JOIN temp.b AS b ON b.name = a.name AND b.file = "
                 "a.file"
                 "            LEFT JOIN temp.ranks r ON r.name = a.name AND r.file = a.file"
                 "            LEFT JOIN a_ids ON a_ids.name = a.name AND a_ids.file = a.own_file"
                 "            LEFT JOIN b_ids ON b_ids.name = b.name AND b_ids.file = b.own_file)"
                 " SELECT * FROM both"
                 " ORDER BY abs(coalesce(b_self_ns, 0) - coalesce(a_self_ns, 0))"
                 "        + abs(coalesce(b_total_ns, 0) - coalesce(a_total_ns, 0)) / 4"
                 "        + 16 * abs(coalesce(b_calls, 0) - coalesce(a_calls, 0))"
                 "        + abs(coalesce(b_alloc_bytes, 0) - coalesce(a_alloc_bytes, 0)) DESC,"
                 "        function_id, other_function_id",
    500000};

int report_write_diff(struct report *a, struct report *b)
{
    a->other = b;
    json_open(&a->json, '{');
    int status = report_part(a, &changes);
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
