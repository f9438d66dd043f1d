/*
 * Each canned query against what STYLE asks of it: its header says what the SQL does, it only
 * reads, nothing bound equals the defaults bound, its order is total, its view gives the same rows,
 * and it stays away from the whole of `calls`. The runs that it is tried on are
 * tests/fixtures/small.sql as it is, and the same with all figures made equal, so that only a
 * unique key can tell rows apart.
 */
#include "tests/unit/check.h"

#include "cli/query/query_file.h"
#include "cli/query/query_needs.h"
#include "queries/embedded.h"

#include <sqlite3.h>
#include <stdlib.h>

static const char *const groups[] = {"Findings",
                                     "Time",
                                     "Inlining and call structure",
                                     "Coverage and threads",
                                     "Memory",
                                     "Arguments and results",
                                     "Locks",
                                     "Faults",
                                     "Errors",
                                     "Objects",
                                     "Trust"};
static const char *const reports[] = {"errors", "findings", "overview", "none"};

/* Equal figures everywhere; ids and names still differ. */
static const char equalize_sql[] =
    "UPDATE function_stats SET calls = 20, total_ns = 5, self_ns = 5, raw_total_ns = 5,"
    " raw_self_ns = 5, finished = 20, min_ns = 1, max_ns = 9000, mean_ns = 5.0, m2 = 9000.0,"
    " child_calls = 9, depth_max = 3, nesting_max = 2, recursive_calls = 2, allocs = 4,"
    " alloc_bytes = 64, frees = 0, free_bytes = 0, total_allocs = 4, total_alloc_bytes = 64,"
    " total_frees = 0, total_free_bytes = 0, leaking_calls = 2, leaked_bytes = 9;"
    "UPDATE frames SET calls = 20, total_ns = 5, self_ns = 5, finished = 20, allocs = 4,"
    " alloc_bytes = 64, frees = 0, free_bytes = 0;"
    "UPDATE edges SET calls = 20, total_ns = 5, self_ns = 5;"
    "UPDATE thread_functions SET calls = 20, total_ns = 5, self_ns = 5;"
    "UPDATE alloc_stacks SET blocks = 3, bytes = 192, freed_blocks = 0, freed_bytes = 0,"
    " live_blocks_max = 3, live_bytes_max = 192, peak_blocks = 3, peak_bytes = 192,"
    " first_ns = 5, last_ns = 9;"
    "UPDATE block_flows SET blocks = 3, bytes = 192, residence_ns = 5;";

/* Calls that no rollup knows of. */
enum { MORE_CALLS = 20000 };
static const char more_calls_sql[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    "INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns)"
    " SELECT 1000 + i, 1, 3, 0, 1000000 + i, 1 FROM n";

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

/* The small run in memory, with the queries' views. */
static sqlite3 *open_run(const char *more_sql)
{
    sqlite3 *database = NULL;
    char *run = read_whole("tests/fixtures/small.sql"), *views = query_views_sql();
    bool sound = run != NULL && views != NULL && sqlite3_open(":memory:", &database) == SQLITE_OK &&
                 sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, run, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, more_sql, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, views, NULL, NULL, NULL) == SQLITE_OK;
    check(sound, "the small run and all views load: %s",
          database != NULL ? sqlite3_errmsg(database) : "no database");
    free(run);
    free(views);
    return database;
}

/* All rows as text. Caller frees. */
static char *rows_of(sqlite3_stmt *statement)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *cell = (const char *)sqlite3_column_text(statement, i);
            fprintf(out, "%s|", cell != NULL ? cell : "(null)");
        }
        fputc('\n', out);
    }
    if (result != SQLITE_DONE)
        fprintf(out, "error: %s", sqlite3_errmsg(sqlite3_db_handle(statement)));
    fclose(out);
    sqlite3_reset(statement);
    return text;
}

static char *rows_of_sql(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return strdup(sqlite3_errmsg(database));
    char *rows = rows_of(statement);
    sqlite3_finalize(statement);
    return rows;
}

static bool one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; word != NULL && i < count; i++) {
        if (strcmp(word, list[i]) == 0)
            return true;
    }
    return false;
}

static void check_words(const struct query_file *query)
{
    const char *name = query->name;
    check(query->title != NULL && strlen(query->title) < 60, "%s has a short title", name);
    check(one_of(query->group, groups, sizeof groups / sizeof groups[0]), "%s is in a known group",
          name);
    char part[32] = "", setting[64] = "";
    if (query->report != NULL)
        sscanf(query->report, "%31s %63[^=]", part, setting);
    check(query->report == NULL || one_of(part, reports, 4), "%s: report is known", name);
    check(setting[0] == '\0' ||
              query_part_find(query->params, query->params_count, setting) != NULL,
          "%s: the report's parameter is one of its own", name);
    check(query->needs == NULL || query_needs_known(query->needs), "%s: its needs are known", name);
    check(query->description != NULL && strlen(query->description) > 20, "%s is described", name);
    size_t asked = query->question != NULL ? strlen(query->question) : 0;
    check(asked > 10 && asked <= 54 && query->question[asked - 1] == '?',
          "%s: its question fits a line of the list", name);
    check(query->advice != NULL && strlen(query->advice) > 20, "%s gives advice", name);
    check(query->source != NULL && query->source[0] != '\0', "%s names its method", name);
    for (size_t i = 0; i < query->params_count; i++)
        check(query->params[i].value != NULL && query->params[i].unit[0] != '\0' &&
                  query->params[i].text[0] != '\0',
              "%s: parameter %s has default, unit and meaning", name, query->params[i].name);
    for (size_t i = 0; i < query->columns_count; i++)
        check(query->columns[i].unit[0] != '\0' && query->columns[i].text[0] != '\0',
              "%s: column %s has unit and meaning", name, query->columns[i].name);
}

static void check_shape(const struct query_file *query, sqlite3_stmt *statement)
{
    check(sqlite3_stmt_readonly(statement) != 0, "%s only reads", query->name);
    check_equal(query->params_count, sqlite3_bind_parameter_count(statement),
                "its header lists as many parameters as are bound");
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *bound = sqlite3_bind_parameter_name(statement, i);
        check(bound != NULL &&
                  query_part_find(query->params, query->params_count, bound + 1) != NULL,
              "%s: bound parameter %s is in the header", query->name, bound);
    }
    check_equal(query->columns_count, sqlite3_column_count(statement),
                "its header lists as many columns as come back");
    for (int i = 0; i < sqlite3_column_count(statement) && (size_t)i < query->columns_count; i++)
        check_string(query->columns[i].name, sqlite3_column_name(statement, i),
                     "columns are in the header's order");
}

static void bind_defaults(const struct query_file *query, sqlite3_stmt *statement)
{
    for (size_t i = 0; i < query->params_count; i++) {
        char name[128], *end;
        const char *value = query->params[i].value;
        snprintf(name, sizeof name, ":%s", query->params[i].name);
        int index = sqlite3_bind_parameter_index(statement, name);
        if (value == NULL || strcmp(value, "NULL") == 0)
            continue;
        double number = strtod(value, &end);
        if (*end != '\0')
            sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
        else if (strpbrk(value, ".e") != NULL)
            sqlite3_bind_double(statement, index, number);
        else
            sqlite3_bind_int64(statement, index, strtoll(value, NULL, 10));
    }
}

static void check_same(char *actual, char *expected, const char *name, const char *what)
{
    bool same = actual != NULL && expected != NULL && strcmp(actual, expected) == 0;
    check(same, "%s: %s", name, what);
    if (!same)
        printf("    %s\n    %s\n", expected, actual);
    free(actual);
    free(expected);
}

static void check_rows(const struct query_file *query, sqlite3 *database, sqlite3_stmt *statement)
{
    char *plain = rows_of(statement), view[160] = "SELECT * FROM ";
    size_t prefix = strlen(view);
    check(strstr(plain, "error: ") == NULL, "%s runs", query->name);
    query_view_name(query->name, view + prefix, sizeof view - prefix);
    check_same(rows_of_sql(database, view), strdup(plain), query->name, "its view gives its rows");
    sqlite3_exec(database, "PRAGMA reverse_unordered_selects = 1", NULL, NULL, NULL);
    check_same(rows_of_sql(database, query->sql), strdup(plain), query->name, "its order is total");
    sqlite3_exec(database, "PRAGMA reverse_unordered_selects = 0", NULL, NULL, NULL);
    bind_defaults(query, statement);
    check_same(rows_of(statement), plain, query->name, "defaults bound equal nothing bound");
}

/* A read of the whole table `calls` would make a query as slow as the run is long. */
static void check_steps(const struct query_file *query, sqlite3_stmt *statement)
{
    free(rows_of(statement));
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    check(steps < MORE_CALLS, "%s does not read the whole table calls (%d steps)", query->name,
          steps);
}

/* Queries that look up single calls or blocks by id, or read them where a parameter asks for it; all
 * others must not open these tables. */
static const char *const lookup_queries[] = {
    "anomalies",          "bad-frees",      "block-owners",
    "call-order",         "completeness",   "deep-stacks",
    "double-frees",       "failing-calls",  "findings",
    "growing-calls",      "handles",        "hot-functions",
    "incidents",          "lock-waits",     "mismatched-frees",
    "not-freed",          "outliers",       "parallel-candidates",
    "repeated-arguments", "repeated-calls", "slow-calls",
    "thread-exclusive"};

static bool plan_has(sqlite3_stmt *plan, const char *opcode, int p1, int p2)
{
    bool found = false;
    sqlite3_reset(plan);
    while (!found && sqlite3_step(plan) == SQLITE_ROW)
        found = strcmp((const char *)sqlite3_column_text(plan, 1), opcode) == 0 &&
                (p1 < 0 || sqlite3_column_int(plan, 2) == p1) &&
                (p2 < 0 || sqlite3_column_int(plan, 3) == p2);
    return found;
}

static int root_page(sqlite3 *database, const char *table)
{
    sqlite3_stmt *statement = NULL;
    int page = 0;
    sqlite3_prepare_v2(database, "SELECT rootpage FROM sqlite_schema WHERE name = ?1", -1,
                       &statement, NULL);
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW)
        page = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return page;
}

/*
 * The compiled plan (EXPLAIN): which queries open calls and allocs at all, and that those which do
 * never start at a table's beginning, but for completeness, which asks whether there is a row at
 * all. Unlike EXPLAIN QUERY PLAN it tells tables by root page, whatever their alias.
 */
static void check_plan(const struct query_file *query, sqlite3 *database)
{
    static const char *const tables[] = {"calls", "allocs"};
    enum { CURSORS_MAX = 256 };
    char *sql = NULL;
    sqlite3_stmt *plan = NULL;
    if (asprintf(&sql, "EXPLAIN %s", query->sql) < 0)
        return;
    bool planned = sqlite3_prepare_v2(database, sql, -1, &plan, NULL) == SQLITE_OK;
    check(planned && plan_has(plan, "OpenRead", -1, -1), "%s has a plan", query->name);
    for (size_t i = 0; planned && i < 2; i++) {
        int page = root_page(database, tables[i]);
        bool may = one_of(query->name, lookup_queries, sizeof lookup_queries / sizeof(char *));
        check(page > 0 && (may || !plan_has(plan, "OpenRead", -1, page)), "%s does not touch %s",
              query->name, tables[i]);
        if (strcmp(query->name, "completeness") == 0)
            continue;
        for (int cursor = 0; cursor < CURSORS_MAX; cursor++) {
            if (plan_has(plan, "OpenRead", cursor, page))
                check(!plan_has(plan, "Rewind", cursor, -1) && !plan_has(plan, "Last", cursor, -1),
                      "%s does not scan %s", query->name, tables[i]);
        }
    }
    sqlite3_finalize(plan);
    free(sql);
}

static void check_query(const struct query_file *query, sqlite3 *const *databases)
{
    check_words(query);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement = NULL;
        int result = sqlite3_prepare_v2(databases[i], query->sql, -1, &statement, NULL);
        if (!check(result == SQLITE_OK, "%s is sound SQL: %s", query->name,
                   sqlite3_errmsg(databases[i])))
            continue;
        if (i == 0) {
            check_shape(query, statement);
            check_steps(query, statement);
            check_plan(query, databases[i]);
        }
        check_rows(query, databases[i], statement);
        sqlite3_finalize(statement);
    }
}

int main(void)
{
    sqlite3 *databases[2] = {open_run(more_calls_sql), open_run(equalize_sql)};
    check(embedded_queries_count > 0, "there are queries");
    for (size_t i = 0; i < embedded_queries_count; i++) {
        struct query_file query;
        if (check(query_file_parse(&query, embedded_queries[i].name, embedded_queries[i].text) == 0,
                  "%s is parsed", embedded_queries[i].name))
            check_query(&query, databases);
        query_file_release(&query);
    }
    sqlite3_close(databases[0]);
    sqlite3_close(databases[1]);
    return check_status();
}
