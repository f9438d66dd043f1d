/*
 * The names of what a report's parts referred to by id: sites first, because they refer to files,
 * then functions, then files. The more names, the shorter they are cut, so the marked ids bound
 * this part's size.
 */
#include "cli/report/report.h"
#include "cli/out/say.h"

#include <stdlib.h>

enum { NAME_BYTES_MAX = 300, NAME_BYTES_MIN = 24 };
/* Full names are left out if each would have less room than this. */
enum { FULL_BYTES_MIN = 100 };

static int64_t marks_count(const struct report *report, enum mark what)
{
    int64_t count = 0;
    for (int64_t id = 1; id <= report->marks[what].ids_max; id++)
        count += report_is_marked(report, what, id);
    return count;
}

/* Writes the rows of a statement whose first column is a marked id: the id, then its name cut to
 * the bytes there are for each, then the numbers after it; one of them may be a file's id. */
struct name_list {
    const char *key, *sql;
    enum mark what;
    int name_column, file_column; /* -1 = it has none */
    int bytes;                    /* for all names together */
};

/* How many columns of a function are written. Dropped at the end: own = 1, and a full name that is
 * missing or finds no room. */
static int last_of_function(sqlite3_stmt *statement, int columns, int64_t bytes)
{
    int full = columns - 1, own = columns - 2;
    if (sqlite3_column_type(statement, full) != SQLITE_NULL && bytes >= FULL_BYTES_MIN)
        return columns;
    return sqlite3_column_int(statement, own) == 0 ? full : own;
}

static int write_list(struct report *report, const struct name_list *list)
{
    struct json *json = &report->json;
    sqlite3_stmt *statement = report_prepare(report, list->sql);
    if (statement == NULL)
        return 2;
    sqlite3_bind_int(statement, 1, report->names);
    int64_t count = marks_count(report, list->what);
    int64_t each = count > 0 ? list->bytes / 100 * report->percent / count : NAME_BYTES_MAX;
    if (each > NAME_BYTES_MAX)
        each = NAME_BYTES_MAX;
    if (each < NAME_BYTES_MIN)
        each = NAME_BYTES_MIN;
    json_key(json, list->key);
    json_open(json, '[');
    int result, columns = sqlite3_column_count(statement);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!report_is_marked(report, list->what, sqlite3_column_int64(statement, 0)))
            continue;
        json_open(json, '[');
        int last =
            list->what == MARK_FUNCTIONS ? last_of_function(statement, columns, each) : columns;
        for (int i = 0; i < last; i++) {
            if (i == list->file_column)
                report_mark(report, MARK_FILES, sqlite3_column_int64(statement, i));
            if (i == list->name_column)
                json_text(json, (const char *)sqlite3_column_text(statement, i), (size_t)each);
            else
                json_column(json, statement, i, (size_t)each);
        }
        json_close(json, ']');
    }
    json_close(json, ']');
    int status = result == SQLITE_DONE ? 0 : report_fail(report);
    sqlite3_finalize(statement);
    return status;
}

/* report_names.sql */
extern const char report_names_sql_functions[];

int report_names(struct report *report)
{
    static const struct name_list lists[] = {
        {"sites", "SELECT id, file_id, line FROM sites WHERE ?1 IS NOT NULL", MARK_SITES, -1, 1, 0},
        {"names", report_names_sql_functions, MARK_FUNCTIONS, 1, 2, 450000},
        {"files", "SELECT id, path FROM files WHERE ?1 IS NOT NULL", MARK_FILES, 1, -1, 150000},
    };
    int status = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == 0; i++)
        status = write_list(report, &lists[i]);
    return status;
}
