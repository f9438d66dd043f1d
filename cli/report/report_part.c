/* The parts of a report's data: see report.h. Here are the marks, the sums, and the writing of a
 * statement's rows within a budget of bytes; the other report_ files have the statements. */
#include "base/parts.h"
#include "cli/report/report_parts.h"
#include "cli/run/run_view.h"
#include "cli/out/say.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 400 };

/* ---- marks ---- */

void report_mark(struct report *report, enum mark what, int64_t id)
{
    struct marks *marks = &report->marks[what];
    if (id > 0 && id <= marks->ids_max)
        marks->bits[id / 8] |= (unsigned char)(1 << (id % 8));
}

bool report_is_marked(const struct report *report, enum mark what, int64_t id)
{
    const struct marks *marks = &report->marks[what];
    return id > 0 && id <= marks->ids_max && (marks->bits[id / 8] & (1 << (id % 8))) != 0;
}

int report_open(struct report *report)
{
    static const struct {
        const char *table, *ids_max;
    } tables[MARKS_COUNT] = {
        [MARK_FUNCTIONS] = {"functions", "SELECT max(id) FROM functions"},
        [MARK_FRAMES] = {"frames", "SELECT max(id) FROM frames"},
        [MARK_SITES] = {"sites", "SELECT max(id) FROM sites"},
        [MARK_FILES] = {"files", "SELECT max(id) FROM files"},
    };
    for (int i = 0; i < MARKS_COUNT; i++) {
        if (!run_ids_sound(report->database, tables[i].table))
            return 2;
        int64_t ids_max = run_integer(report->database, tables[i].ids_max, 0);
        report->marks[i].ids_max = ids_max;
        report->marks[i].bits = calloc((size_t)ids_max / 8 + 1, 1);
        if (report->marks[i].bits == NULL)
            return fail("out of memory");
    }
    return 0;
}

void report_close(struct report *report)
{
    for (int i = 0; i < MARKS_COUNT; i++) {
        free(report->marks[i].bits);
        report->marks[i].bits = NULL;
    }
}

/* ---- sums ---- */

void spent_add(struct spent *sum, const struct spent *more)
{
    run_add(&sum->cpu_ns, more->cpu_ns);
    run_add(&sum->wait_ns, more->wait_ns);
    run_add(&sum->preempted_ns, more->preempted_ns);
    run_add(&sum->calls, more->calls);
    run_add(&sum->bytes, more->bytes);
}

/* ---- statements ---- */

int report_fail(struct report *report)
{
    return fail("%s: cannot be read: %s", report->path, sqlite3_errmsg(report->database));
}

sqlite3_stmt *report_prepare(struct report *report, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(report->database, sql, -1, &statement, NULL) != SQLITE_OK) {
        report_fail(report);
        statement = NULL;
    }
    return statement;
}

/* ---- rows ---- */

/* What a column's values refer to, MARKS_COUNT where to nothing. */
static enum mark refers_to(const char *column)
{
    static const struct {
        const char *end;
        enum mark what;
    } known[] = {{"function_id", MARK_FUNCTIONS}, {"caller_id", MARK_FUNCTIONS},
                 {"callee_id", MARK_FUNCTIONS},   {"frame_id", MARK_FRAMES},
                 {"site_id", MARK_SITES},         {"file_id", MARK_FILES}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ends_with(column, known[i].end))
            return known[i].what;
    }
    return MARKS_COUNT;
}

enum { COLUMNS_MAX = 48 };

/* What a column refers to, and in which report. */
struct reference {
    enum mark what;
    struct report *report;
};

static struct reference reference_of(struct report *report, const char *column)
{
    bool other = strncmp(column, "other_", 6) == 0 && report->other != NULL;
    return (struct reference){refers_to(column), other ? report->other : report};
}

static void write_row(struct report *report, sqlite3_stmt *statement,
                      const struct reference *references, int columns)
{
    json_open(&report->json, '[');
    for (int i = 0; i < columns; i++) {
        if (references[i].what != MARKS_COUNT)
            report_mark(references[i].report, references[i].what,
                        sqlite3_column_int64(statement, i));
        json_column(&report->json, statement, i, TEXT_BYTES_MAX);
    }
    json_close(&report->json, ']');
}

void report_part_begin(struct json *json, const char *key, const char *const *columns, size_t count)
{
    json_key(json, key);
    json_open(json, '{');
    json_key(json, "columns");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++)
        json_text(json, columns[i], TEXT_BYTES_MAX);
    json_close(json, ']');
    json_key(json, "rows");
    json_open(json, '[');
}

void report_part_end(struct json *json, int64_t left_out)
{
    json_close(json, ']');
    json_key(json, "left_out");
    json_integer(json, left_out);
    json_close(json, '}');
}

int report_part(struct report *report, const struct report_part *part)
{
    struct json *json = &report->json;
    struct reference references[COLUMNS_MAX];
    const char *names[COLUMNS_MAX];
    sqlite3_stmt *statement = report_prepare(report, part->sql);
    if (statement == NULL)
        return 2;
    int columns = sqlite3_column_count(statement), result;
    columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    for (int i = 0; i < columns; i++) {
        names[i] = sqlite3_column_name(statement, i);
        references[i] = reference_of(report, names[i] != NULL ? names[i] : "");
    }
    report_part_begin(json, part->key, names, (size_t)columns);
    long begun = json->bytes, bytes_max = part->bytes_max / 100 * report->percent;
    long long left_out = 0;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        if (json->bytes - begun < bytes_max)
            write_row(report, statement, references, columns);
        else
            left_out++;
    }
    report_part_end(json, left_out);
    int status = result == SQLITE_DONE ? 0 : report_fail(report);
    sqlite3_finalize(statement);
    return status;
}
