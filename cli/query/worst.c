/* The findings that matter most: see worst.h. */
#include "cli/query/worst.h"

#include "base/utf8.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/query/findings.h"
#include "cli/query/query_run.h"
#include "cli/run/database.h"
#include "cli/run/measure.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX 400u /* of a value in a sentence */

/* Rows of a query that we look at: any later row saves less than all of them. */
enum { ROWS_MAX = 2 * WORST_MAX };

static double whole_ns(sqlite3 *database)
{
    return measure_sum(database, MEASURE_CPU);
}

/* ---- a row as a sentence ---- */

static int column_named(sqlite3_stmt *row, const char *name, size_t length)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *column = sqlite3_column_name(row, i);
        if (column != NULL && strlen(column) == length && strncmp(column, name, length) == 0)
            return i;
    }
    return -1;
}

static void put_value(FILE *out, const struct query_file *query, sqlite3_stmt *row, int column,
                      const struct names *names)
{
    const char *name = sqlite3_column_name(row, column);
    const struct query_part *part = query_part_find(query->columns, query->columns_count, name);
    const char *text = (const char *)sqlite3_column_text(row, column);
    bool number = sqlite3_column_type(row, column) != SQLITE_TEXT;
    char amount[64];
    if (text == NULL) {
        fputs("?", out);
    } else if (number && part != NULL && strcmp(part->unit, "bytes") == 0) {
        output_bytes(sqlite3_column_double(row, column), amount, sizeof amount);
        fputs(amount, out);
    } else if (number && part != NULL && strncmp(part->unit, "ns", 2) == 0) {
        output_time(sqlite3_column_double(row, column), amount, sizeof amount);
        fputs(amount, out);
    } else {
        char *shown = number ? NULL : names_rewrite(names, text);
        const char *whole = shown != NULL ? shown : text;
        fwrite(whole, 1, utf8_cut(whole, strlen(whole), TEXT_BYTES_MAX), out);
        free(shown);
    }
}

/* The finding's words with the row's values; *subject gets the first one. NULL without memory. */
static char *sentence(const struct query_file *query, sqlite3_stmt *row, const struct names *names,
                      char **subject)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (const char *at = query->finding; *at != '\0';) {
        size_t plain = strcspn(at, "{");
        fwrite(at, 1, plain, out);
        at += plain;
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        int column = end != NULL ? column_named(row, at + 1, (size_t)(end - at - 1)) : -1;
        if (*at == '\0')
            break;
        if (column < 0) {
            fputc(*at++, out);
            continue;
        }
        const char *value = (const char *)sqlite3_column_text(row, column);
        if (*subject == NULL)
            *subject = strdup(value != NULL ? value : "?");
        put_value(out, query, row, column, names);
        at = end + 1;
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- the list ---- */

struct worst_list {
    struct worst_finding *items; /* WORST_MAX */
    int count;
    const struct names *names;
    double least_ns;
};

static void finding_release(struct worst_finding *finding)
{
    free(finding->text);
    free(finding->subject);
    *finding = (struct worst_finding){.query = NULL};
}

static bool is_worse(const struct worst_finding *a, const struct worst_finding *b)
{
    return a->is_error != b->is_error ? a->is_error : a->saves_ns > b->saves_ns;
}

/* Inserts the finding if it is among the worst. Of several on one function the worst stays. */
static void list_add(struct worst_list *list, struct worst_finding finding)
{
    for (int i = 0; i < list->count; i++) {
        if (finding.is_error || list->items[i].is_error ||
            /* Items below count are whole. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
            strcmp(list->items[i].subject, finding.subject) != 0)
            continue;
        if (!is_worse(&finding, &list->items[i])) {
            finding_release(&finding);
            return;
        }
        finding_release(&list->items[i]);
        memmove(&list->items[i], &list->items[i + 1],
                (size_t)(list->count - i - 1) * sizeof list->items[0]);
        list->count--;
        break;
    }
    int place = list->count;
    while (place > 0 && is_worse(&finding, &list->items[place - 1]))
        place--;
    if (place == WORST_MAX) {
        finding_release(&finding);
        return;
    }
    if (list->count == WORST_MAX)
        finding_release(&list->items[--list->count]);
    memmove(&list->items[place + 1], &list->items[place],
            (size_t)(list->count - place) * sizeof list->items[0]);
    list->items[place] = finding;
    list->count++;
}

/* Reads the statement's rows: of errors the first one, which speaks for all; of others, what they
 * save. Returns SQLITE_DONE or an error. */
static int read_rows(struct worst_list *list, const struct query_file *query, sqlite3_stmt *row)
{
    struct worst_finding error = {.query = NULL};
    int result, saves = sqlite3_column_count(row) - 1;
    while ((result = sqlite3_step(row)) == SQLITE_ROW) {
        if (error.text != NULL) {
            error.rows++;
            continue;
        }
        struct worst_finding finding = {
            .query = query, .is_error = query->saves == NULL, .rows = 1};
        finding.text = sentence(query, row, list->names, &finding.subject);
        if (finding.text == NULL || finding.subject == NULL) {
            finding_release(&finding);
            return SQLITE_NOMEM;
        }
        finding.saves_ns = finding.is_error ? 0 : sqlite3_column_double(row, saves);
        if (finding.is_error)
            error = finding;
        else
            list_add(list, finding);
    }
    if (error.text != NULL)
        list_add(list, error);
    return result;
}

static int ask(struct worst_list *list, sqlite3 *database, const struct query_file *query)
{
    struct query_request request = {.limit = -1};
    sqlite3_stmt *row = NULL;
    size_t length = strlen(query->sql);
    while (length > 0 && strchr("; \n\t\r", query->sql[length - 1]) != NULL)
        length--;
    char *sql =
        query->saves == NULL
            ? sqlite3_mprintf("%s", query->sql)
            : sqlite3_mprintf("SELECT * FROM (SELECT *, (%s) AS fisql_saves FROM (%.*s\n))"
                              " WHERE fisql_saves >= %f ORDER BY fisql_saves DESC LIMIT %d",
                              query->saves, (int)length, query->sql, list->least_ns, (int)ROWS_MAX);
    int result = sql != NULL ? sqlite3_prepare_v2(database, sql, -1, &row, NULL) : SQLITE_NOMEM;
    int status = 0;
    findings_settings(&request, query);
    if (result == SQLITE_OK)
        status = query_bind_settings(&request, query, row);
    if (result == SQLITE_OK && status == 0)
        result = read_rows(list, query, row);
    if (status == 0 && result == SQLITE_NOMEM)
        status = fail("%s: out of memory", query->name);
    else if (status == 0 && result != SQLITE_DONE)
        status = database_is_unreadable(database)
                     ? database_fail(database, query->name)
                     : fail("%s: %s", query->name, sqlite3_errmsg(database));
    sqlite3_finalize(row);
    sqlite3_free(sql);
    return status;
}

int worst_findings(sqlite3 *database, const struct query_set *set,
                   struct worst_finding findings[WORST_MAX])
{
    struct names names;
    struct worst_list list = {.items = findings, .names = &names};
    list.least_ns = whole_ns(database) / 100;
    if (list.least_ns < 1)
        list.least_ns = 1;
    memset(findings, 0, WORST_MAX * sizeof *findings);
    int status = database_check_frames(database);
    if (names_init(&names, NAMES_SHORT, database) != SQLITE_OK && status == 0)
        status = fail("%s", sqlite3_errmsg(database));
    for (size_t i = 0; i < set->count && status == 0; i++)
        if (set->queries[i].finding != NULL && !set->queries[i].own)
            status = ask(&list, database, &set->queries[i]);
    names_release(&names);
    if (status == 0)
        return list.count;
    worst_release(findings, list.count);
    return -1;
}

void worst_release(struct worst_finding *findings, int count)
{
    for (int i = 0; i < count; i++)
        finding_release(&findings[i]);
}
