/*
 * Two runs in one report: the data of each, with less of the budgets, and the functions of both
 * side by side, as compare.h matches and tests them for `fisql diff`. The first report's database
 * is the connection that compare_open() gives.
 */
#include "cli/report/report.h"
#include "cli/out/say.h"

/* report_diff.sql */
extern const char report_diff_sql_changes[];

static const struct report_part changes = {"changes", report_diff_sql_changes, 500000};

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
