/* The functions that changed between two runs: see diff_functions.h. */
#include "cli/diff/diff_functions.h"

#include "cli/out/pager.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"
#include "cli/run/database.h"

/* diff_functions.sql */
extern const char diff_functions_sql_judged[], diff_functions_sql_functions[],
    diff_functions_sql_modules[], diff_functions_sql_maps[], diff_functions_sql_hidden[];

/* Makes the view of judged functions, and the table of one row that it reads what is asked from. */
static int judge(const struct diff_functions_request *request, sqlite3 *database)
{
    char *asked = sqlite3_mprintf("CREATE TEMP TABLE asked AS SELECT %f AS percent, %Q AS measure, "
                                  "%d AS everything",
                                  request->min_percent, request->rank, request->all);
    int result = asked == NULL ? SQLITE_NOMEM : sqlite3_exec(database, asked, NULL, NULL, NULL);
    sqlite3_free(asked);
    return result == SQLITE_OK ? sqlite3_exec(database, diff_functions_sql_judged, NULL, NULL, NULL)
                               : result;
}

/* Says how many functions no row was written of though chance does not explain their difference. */
static int say_hidden(sqlite3 *database)
{
    sqlite3_stmt *statement = database_ask(database, diff_functions_sql_hidden);
    if (statement == NULL)
        return 2;
    if (database_row(statement)) {
        long hooks = (long)sqlite3_column_int64(statement, 0);
        long noise = (long)sqlite3_column_int64(statement, 1);
        if (hooks > 0)
            note(
                "%ld more differ in time by less than the hooks' cost may be off: --all lists them",
                hooks);
        if (noise > 0)
            note("%ld more differ in time as the runs differ in all functions (by %+.0f %%, within "
                 "%.0f %%): --all lists them",
                 noise, sqlite3_column_double(statement, 3), sqlite3_column_double(statement, 2));
    }
    sqlite3_finalize(statement);
    return 0;
}

/* Which run has a map of modules? Says if one alone has: that one counts for both. Returns whether
 * any has. */
static bool any_map(const struct diff_functions_request *request, sqlite3 *database)
{
    sqlite3_stmt *row = database_ask(database, diff_functions_sql_maps);
    bool has_row = database_row(row);
    bool a = has_row && sqlite3_column_int(row, 0) != 0;
    bool b = has_row && sqlite3_column_int(row, 1) != 0;
    sqlite3_finalize(row);
    if (a != b)
        note("%s has no map of modules: its functions have the modules that those of the same name "
             "have in %s (`fisql modules`)",
             request->paths[a], request->paths[b]);
    return a || b;
}

/* The columns of the two tables; a narrow terminal keeps the changes longest. */
static const struct output_column function_columns[] = {
    {"function", UNIT_NONE, TEXT_FUNCTION, 13},   {"location", UNIT_NONE, TEXT_PLACE, 6},
    {"change", UNIT_NONE, TEXT_WORDS, 12},        {"calls_a", UNIT_NONE, TEXT_WORDS, 11},
    {"calls_b", UNIT_NONE, TEXT_WORDS, 11},       {"mean_a_ns", UNIT_NS, TEXT_WORDS, 9},
    {"mean_b_ns", UNIT_NS, TEXT_WORDS, 9},        {"p", UNIT_NONE, TEXT_WORDS, 5},
    {"self_a_ns", UNIT_NS, TEXT_WORDS, 8},        {"self_b_ns", UNIT_NS, TEXT_WORDS, 8},
    {"self_change_ns", UNIT_NS, TEXT_WORDS, 10},  {"alloc_a_bytes", UNIT_BYTES, TEXT_WORDS, 7},
    {"alloc_b_bytes", UNIT_BYTES, TEXT_WORDS, 7}, {"module", UNIT_NONE, TEXT_WORDS, 6},
};
enum { FUNCTION_COLUMNS = sizeof function_columns / sizeof function_columns[0] };

static const struct output_column module_columns[] = {
    {"module", UNIT_NONE, TEXT_WORDS, 13},       {"functions_a", UNIT_NONE, TEXT_WORDS, 5},
    {"functions_b", UNIT_NONE, TEXT_WORDS, 5},   {"changed", UNIT_NONE, TEXT_WORDS, 6},
    {"calls_a", UNIT_NONE, TEXT_WORDS, 11},      {"calls_b", UNIT_NONE, TEXT_WORDS, 11},
    {"self_a_ns", UNIT_NS, TEXT_WORDS, 8},       {"self_b_ns", UNIT_NS, TEXT_WORDS, 8},
    {"self_change_ns", UNIT_NS, TEXT_WORDS, 10}, {"alloc_a_bytes", UNIT_BYTES, TEXT_WORDS, 7},
    {"alloc_b_bytes", UNIT_BYTES, TEXT_WORDS, 7}};

static const struct output_column *columns_of(const struct diff_functions_request *request,
                                              int *count)
{
    *count = request->modules ? sizeof module_columns / sizeof module_columns[0] : FUNCTION_COLUMNS;
    return request->modules ? module_columns : function_columns;
}

int diff_functions(sqlite3 *database, const struct diff_functions_request *request, FILE *out,
                   long *rows)
{
    bool maps = any_map(request, database);
    sqlite3_stmt *statement = NULL;
    int width = out == stdout ? terminal_columns() : 0, count;
    *rows = 0;
    if (judge(request, database) != SQLITE_OK ||
        sqlite3_prepare_v2(
            database, request->modules ? diff_functions_sql_modules : diff_functions_sql_functions,
            -1, &statement, NULL) != SQLITE_OK)
        return fail("the runs cannot be compared: %s", sqlite3_errmsg(database));
    const struct output_source source = {.statement = statement,
                                         .columns = columns_of(request, &count),
                                         /* without a map the last one, the module, says little */
                                         .columns_max =
                                             request->modules || maps ? 0 : FUNCTION_COLUMNS - 1,
                                         .limit = request->limit,
                                         .count_all = request->bounds != NULL,
                                         .cell_width_max = request->cell_width_max,
                                         .bounds = request->bounds,
                                         .width_max = request->wide ? 0 : width,
                                         .say_left_out = true};
    if (width > 0 && (request->format == OUTPUT_TABLE || request->format == OUTPUT_MARKDOWN))
        pager_start();
    int result = output_rows(out, request->format, &source, rows);
    int status = result == SQLITE_DONE || result == SQLITE_ROW || result == SQLITE_OK
                     ? 0
                     : fail("the runs cannot be compared: %s", sqlite3_errmsg(database));
    sqlite3_finalize(statement);
    if (status == 0 && *rows == 0)
        note(request->modules ? "no function was called" : "no function changed");
    return status == 0 && !request->all && !request->modules ? say_hidden(database) : status;
}

const char *diff_functions_unit(const struct diff_functions_request *request, int column,
                                const char **unit)
{
    int count;
    const struct output_column *columns = columns_of(request, &count);
    if (column >= count)
        return NULL;
    *unit = columns[column].unit == UNIT_NS      ? "ns"
            : columns[column].unit == UNIT_BYTES ? "bytes"
                                                 : NULL;
    return columns[column].name;
}
