/*
 * The findings in a report: each query's first rows as JSON, with what its header says of them, in
 * the order of `fisql query --all` (findings.h). They are about the user's own code, folded in a
 * connection of its own: the page's other parts hold all code and fold it themselves.
 */
#include "cli/query/findings.h"
#include "cli/query/verdicts.h"
#include "cli/report/report.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/own_code.h"
#include "base/memory_text.h"

#include <stdlib.h>

enum { ROWS_MAX = 25, TEXT_BYTES_MAX = 2000, QUERY_BYTES_MAX = 24000, ALL_BYTES_MAX = 400000 };

static const char *unit_word(const struct query_part *column)
{
    return column->unit != NULL ? column->unit : "-";
}

static void write_columns(struct json *json, const struct query_file *query)
{
    json_key(json, "columns");
    json_open(json, '[');
    for (size_t i = 0; i < query->columns_count; i++) {
        const struct query_part *column = &query->columns[i];
        json_open(json, '[');
        json_text(json, column->name, TEXT_BYTES_MAX);
        json_text(json, unit_word(column), TEXT_BYTES_MAX);
        json_text(json, column->text, TEXT_BYTES_MAX);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Runs the query with fewer rows until its JSON fits. *text becomes the rows, freed by the caller.
 * Returns as query_run. */
static int rows_of(const struct report *report, sqlite3 *own, const struct query_file *query,
                   char **text, long *rows)
{
    int status = 0;
    for (long limit = ROWS_MAX;; limit /= 3) {
        struct query_request request = {.format = OUTPUT_JSON,
                                        .names = report->names,
                                        .limit = limit,
                                        .cell_width_max = TEXT_BYTES_MAX,
                                        .count_all = true,
                                        .suppress_any = true};
        size_t size = 0;
        findings_settings(&request, query);
        FILE *out = memory_text_open(text, &size);
        if (out == NULL)
            return fail("out of memory");
        status = query_run(&request, own, query, out, rows);
        if (fclose(out) != 0 && status == 0)
            status = fail("out of memory");
        if (status != 0 || size <= QUERY_BYTES_MAX || limit == 0)
            return status;
        free(*text);
        *text = NULL;
    }
}

/* Returns whether the query could be run. */
static bool write_query(struct report *report, sqlite3 *own, const struct query_file *query,
                        enum findings_part part, bool room)
{
    struct json *json = &report->json;
    char *text = NULL;
    long rows = 0;
    bool good = !room || rows_of(report, own, query, &text, &rows) == 0;
    json_open(json, '{');
    json_key(json, "name");
    json_text(json, query->name, TEXT_BYTES_MAX);
    json_key(json, "title");
    json_text(json, query->title != NULL ? query->title : query->name, TEXT_BYTES_MAX);
    json_key(json, "part");
    json_text(json, findings_part_title(part), TEXT_BYTES_MAX);
    json_key(json, "description");
    json_text(json, query->description, TEXT_BYTES_MAX);
    json_key(json, "advice");
    json_text(json, query->advice, TEXT_BYTES_MAX);
    write_columns(json, query);
    json_key(json, "count");
    if (good && room)
        json_integer(json, rows);
    else
        json_null(json);
    json_key(json, "rows");
    json_raw(json, good && room ? text : "[]");
    json_close(json, '}');
    free(text);
    return good;
}

static void write_amount(struct json *json, const char *key, double amount)
{
    json_key(json, key);
    if (amount < 0)
        json_null(json);
    else
        json_integer(json, amount < 1e18 ? (int64_t)amount : INT64_MAX);
}

static void write_verdict(struct json *json, const struct verdict *verdict)
{
    const struct {
        const char *key, *text;
    } texts[] = {{"name", verdict->proof},       {"text", verdict->text},
                 {"kind", verdict->kind},        {"share_of", verdict->share_of},
                 {"sure", verdict->sure},        {"caller", verdict->caller},
                 {"from", verdict->called_from}, {"next", verdict->next}};
    json_open(json, '{');
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_key(json, texts[i].key);
        json_text(json, texts[i].text, TEXT_BYTES_MAX);
    }
    json_key(json, "rows");
    json_integer(json, verdict->rows);
    json_key(json, "share");
    if (verdict->share < 0)
        json_null(json);
    else
        json_real(json, verdict->share);
    write_amount(json, "saves_ns", verdict->saves_cpu_ns);
    write_amount(json, "saves_wait_ns", verdict->saves_wait_ns);
    write_amount(json, "saves_bytes", verdict->saves_bytes);
    write_amount(json, "saves_run_ns", verdict->saves_run_ns);
    json_close(json, '}');
}

/* Writes the list of the digest: its findings, or the largest things that are none, and what was
 * checked. */
static int write_worst(struct report *report, sqlite3 *own, const struct query_set *set)
{
    struct json *json = &report->json;
    struct verdicts verdicts;
    int status = verdicts_read(own, set, &verdicts);
    json_key(json, "worst");
    json_open(json, '[');
    for (int i = 0; i < verdicts.findings; i++)
        write_verdict(json, &verdicts.items[i]);
    json_close(json, ']');
    json_key(json, "worst_count");
    json_integer(json, verdicts.findings_all);
    json_key(json, "none");
    json_open(json, '[');
    for (int i = verdicts.findings; i < verdicts.count; i++)
        write_verdict(json, &verdicts.items[i]);
    json_close(json, ']');
    json_key(json, "checked");
    json_text(json, verdicts.checked, TEXT_BYTES_MAX);
    json_key(json, "unchecked");
    json_open(json, '[');
    for (int i = 0; i < verdicts.unchecked_count; i++)
        json_text(json, verdicts.unchecked[i], TEXT_BYTES_MAX);
    json_close(json, ']');
    verdicts_release(&verdicts);
    return status;
}

int report_findings(struct report *report)
{
    struct query_set set = {0};
    bool folded = false;
    sqlite3 *own = database_open(report->path);
    if (own != NULL)
        database_hold(own);
    int status = own != NULL ? own_code_fold(own, &folded) : 2;
    if (status == 0)
        status = query_set_load(&set);
    if (status == 0)
        status = write_worst(report, own, &set);
    json_key(&report->json, "findings");
    json_open(&report->json, '[');
    long begun = report->json.bytes;
    for (int part = 0; part < PARTS_COUNT && status == 0; part++) {
        for (size_t i = 0; i < set.count; i++) {
            if (findings_part_of(&set.queries[i]) == (enum findings_part)part &&
                !write_query(report, own, &set.queries[i], (enum findings_part)part,
                             report->json.bytes - begun < ALL_BYTES_MAX / 100 * report->percent))
                note("report: %s: could not be run: the page has no rows of it",
                     set.queries[i].name);
        }
    }
    json_close(&report->json, ']');
    query_set_release(&set);
    sqlite3_close(own);
    return status;
}
