/* Running one query: see query_run.h. */
#include "cli/query/query_run.h"

#include "base/must.h"
#include "base/parts.h"

#include "cli/out/amount.h"
#include "cli/run/database.h"
#include "cli/query/kept_blocks.h"
#include "cli/query/query_sources.h"
#include "cli/out/say.h"
#include "cli/query/suppressions.h"
#include "cli/out/text.h"
#include "cli/query/time_doubt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

static bool is_numeric(const char *text)
{
    char *end;
    if (text[0] == '\0' || isspace((unsigned char)text[0]))
        return false;
    strtod(text, &end);
    return *end == '\0';
}

static int bind_value(sqlite3_stmt *statement, int index, const struct query_part *part,
                      const char *value)
{
    char *end;
    int64_t integer;
    errno = 0;
    integer = strtoll(value, &end, 10);
    if (is_numeric(value) && *end == '\0' && errno == 0)
        return sqlite3_bind_int64(statement, index, integer);
    if (is_numeric(value))
        return sqlite3_bind_double(statement, index, strtod(value, NULL));
    if (part != NULL && strcmp(part->unit, "ns") == 0 && amount_time(value, &integer))
        return sqlite3_bind_int64(statement, index, integer);
    if (part != NULL && strcmp(part->unit, "bytes") == 0 && amount_size(value, &integer))
        return sqlite3_bind_int64(statement, index, integer);
    if (part != NULL && part->value != NULL && is_numeric(part->value))
        return -1; /* it must be a number */
    return sqlite3_bind_text(statement, index, value, -1, SQLITE_TRANSIENT);
}

static int fail_unknown_parameter(const struct query_file *query, sqlite3_stmt *statement,
                                  const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement) && count < 64; i++) {
        const char *known = sqlite3_bind_parameter_name(statement, i);
        if (known != NULL && strncmp(known, ":fisql_", 7) != 0)
            names[count++] = known + 1;
    }
    const char *nearest = nearest_name(name, names, count);
    if (count == 0)
        return fail("%s: has no parameters, so none named %s", query->name, name);
    if (nearest != NULL)
        fail("%s: has no parameter %s; did you mean %s?", query->name, name, nearest);
    else
        fail("%s: has no parameter %s", query->name, name);
    say_list("its parameters are", names, count);
    return 2;
}

/* A parameter whose unit is a list of words, with / between them, must be one of these. */
static bool word_fits(const struct query_part *part, const char *value)
{
    size_t length = strlen(value);
    if (part == NULL || strchr(part->unit, '/') == NULL)
        return true;
    for (const char *word = part->unit; *word != '\0'; word += *word == '/') {
        size_t word_length = strcspn(word, "/");
        if (word_length == length && strncmp(word, value, length) == 0)
            return true;
        word += word_length;
    }
    return false;
}

static int bind_setting(const struct query_file *query, sqlite3_stmt *statement, const char *wanted,
                        const char *value)
{
    char name[130];
    snprintf(name, sizeof name, ":%.120s", wanted);
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index == 0 || strncmp(name, ":fisql_", 7) == 0)
        return fail_unknown_parameter(query, statement, name + 1);
    const struct query_part *part = query_part_find(query->params, query->params_count, name + 1);
    if (!word_fits(part, value))
        return fail("%s: %s=%s: wants one of %s", query->name, wanted, value, part->unit);
    if (bind_value(statement, index, part, value) != SQLITE_OK)
        return fail("-p %s=%s: wants a number%s%s", wanted, value,
                    part != NULL && strcmp(part->unit, "-") != 0 ? " of " : "",
                    part != NULL && strcmp(part->unit, "-") != 0 ? part->unit : "");
    return 0;
}

int query_bind_present(const struct query_request *request, const struct query_file *query,
                       sqlite3_stmt *statement)
{
    for (size_t i = 0; i < request->settings_count; i++) {
        const char *setting = request->settings[i], *equals = strchr(setting, '=');
        char name[130];
        if (equals == NULL || equals == setting || equals - setting > 120)
            return fail("-p %s: wants NAME=VALUE", setting);
        snprintf(name, sizeof name, ":%.*s", (int)(equals - setting), setting);
        if (sqlite3_bind_parameter_index(statement, name) != 0 &&
            bind_setting(query, statement, name + 1, equals + 1) != 0)
            return 2;
    }
    return 0;
}

int query_bind_settings(const struct query_request *request, const struct query_file *query,
                        sqlite3_stmt *statement)
{
    for (size_t i = 0; i < query->params_count && query->own; i++) {
        char name[130];
        snprintf(name, sizeof name, ":%.120s", query->params[i].name);
        int index = sqlite3_bind_parameter_index(statement, name);
        const char *value = query->params[i].value;
        if (index > 0 && value != NULL && strcmp(value, "NULL") != 0)
            bind_value(statement, index, &query->params[i], value);
    }
    for (size_t i = 0; i < request->settings_count; i++) {
        const char *setting = request->settings[i], *equals = strchr(setting, '=');
        char name[130];
        if (equals == NULL || equals == setting || equals - setting > 120)
            return fail("-p %s: wants NAME=VALUE", setting);
        snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
        if (bind_setting(query, statement, name, equals + 1) != 0)
            return 2;
    }
    if (request->by != NULL && bind_setting(query, statement, "by", request->by) != 0)
        return 2;
    const struct query_part *all_blocks = kept_blocks_parameter(query);
    if (request->all_blocks && all_blocks != NULL)
        bind_value(statement, sqlite3_bind_parameter_index(statement, ":all_blocks"), all_blocks,
                   "1");
    else if (request->all_blocks && !request->suppress_any)
        return fail("%s: --all-blocks: it leaves out no blocks", query->name);
    return 0;
}

/* ---- rows ---- */

static enum output_unit unit_of(const struct query_file *query, const char *column)
{
    const struct query_part *part = query_part_find(query->columns, query->columns_count, column);
    const char *unit = part != NULL ? part->unit : "";
    if (strcmp(unit, "ns") == 0)
        return UNIT_NS;
    if (strcmp(unit, "ns a call") == 0)
        return UNIT_NS_A_CALL;
    if (strcmp(unit, "bytes") == 0)
        return UNIT_BYTES;
    if (strcmp(unit, "%") == 0)
        return UNIT_PERCENT;
    if (part == NULL && has_ending(column, "_ns"))
        return UNIT_NS; /* a query without a header: by the schema's own naming */
    if (part == NULL && has_ending(column, "_bytes"))
        return UNIT_BYTES;
    return UNIT_NONE;
}

static bool listed(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* What a column's text is: by its header (unit function or stack), else by the usual names. */
static enum text_kind kind_of(const struct query_part *part, const char *column)
{
    static const char *const functions[] = {"function",     "caller",   "callee", "allocator",
                                            "allocated_by", "freed_by", "owner",  NULL};
    static const char *const places[] = {"file", "path", NULL};
    const char *unit = part != NULL ? part->unit : "-";
    if (strcmp(unit, "function") == 0)
        return TEXT_FUNCTION;
    if (strcmp(unit, "stack") == 0 || (part == NULL && strcmp(column, "stack") == 0))
        return TEXT_STACK;
    if (strcmp(unit, "-") == 0 && listed(column, functions))
        return TEXT_FUNCTION;
    return listed(column, places) || ends_with(column, "location") || ends_with(column, "_at") ||
                   ends_with(column, "called_from")
               ? TEXT_PLACE
               : TEXT_WORDS;
}

/* Which columns a narrow terminal keeps: the first one, then names and stacks, then the others in
 * their order. Other ids than that of the row's call, and raw times, only serve further steps, and a function's name says the place. */
static int priority_of(const struct query_part *part, const struct output_column *column, int i)
{
    int priority = i == 0 ? 1000 : -10 * i;
    if (strcmp(column->name, "module") == 0)
        priority -= 100;
    if (column->kind == TEXT_FUNCTION)
        return priority + 60;
    if (column->kind == TEXT_STACK)
        return priority + 70;
    if (part != NULL &&
        strcmp(part->unit, "id") == 0) /* a row's own call is what `fisql stack` wants */
        return strcmp(column->name, "call") == 0 ? 900 : priority - 100;
    if (strncmp(column->name, "raw_", 4) == 0)
        return priority - 120;
    if (strcmp(column->name, "self_put_aside_ns") == 0)
        return priority - 200; /* the machine's doing, not the program's */
    return column->kind == TEXT_PLACE ? priority - 15 : priority;
}

/* What the rows' callbacks need. */
struct run_context {
    struct names names, full;
    struct suppressions suppressions;
    int alloc_column; /* of allocs.id, for suppressions */
    struct time_doubt doubt;
};

static bool keep_row(void *context, sqlite3_stmt *statement)
{
    struct run_context *run = context;
    if (sqlite3_column_type(statement, run->alloc_column) == SQLITE_NULL)
        return true;
    return !suppressions_match(&run->suppressions,
                               sqlite3_column_int64(statement, run->alloc_column));
}

static double sum_doubt_ns(const void *context, sqlite3_stmt *statement, int column)
{
    const struct run_context *run = context;
    return time_doubt_of_sum(&run->doubt, statement, column);
}

static char *rewrite_cell(void *context, const char *text)
{
    const struct run_context *run = context;
    return names_rewrite(&run->names, text);
}

static char *full_name(void *context, const char *text)
{
    const struct run_context *run = context;
    return names_rewrite(&run->full, text);
}

/* The column that holds an allocs.id by the header, -1 if none does. */
static int alloc_column(const struct query_file *query, sqlite3_stmt *statement)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const struct query_part *part = query_part_find(query->columns, query->columns_count,
                                                        sqlite3_column_name(statement, i));
        if (part != NULL && strncmp(part->text, "allocs.id", 9) == 0)
            return i;
    }
    return -1;
}

static int set_up(struct run_context *run, const struct query_request *request, sqlite3 *database,
                  const struct query_file *query, sqlite3_stmt *statement)
{
    run->alloc_column = alloc_column(query, statement);
    if (names_init(&run->names, request->names, database) != SQLITE_OK ||
        names_init(&run->full, NAMES_FULL, database) != SQLITE_OK)
        return fail("--demangle: %s", sqlite3_errmsg(database));
    if (request->suppressions == NULL)
        return 0;
    if (run->alloc_column < 0 && request->suppress_any)
        return 0;
    if (run->alloc_column < 0)
        return fail("%s: --suppressions: its rows are no allocations (no column of allocs.id)",
                    query->name);
    return suppressions_load(&run->suppressions, request->suppressions, database);
}

void query_columns_free(struct output_column *columns, int count)
{
    for (int i = 0; i < count; i++)
        free((void *)(uintptr_t)columns[i].name);
    free(columns);
}

/* The names are copies: SQLite frees its own if the first step prepares the statement anew. */
struct output_column *query_columns(const struct query_file *query, sqlite3_stmt *statement)
{
    int count = sqlite3_column_count(statement);
    struct output_column *columns = calloc((size_t)count, sizeof *columns);
    for (int i = 0; columns != NULL && i < count; i++) {
        const char *name = sqlite3_column_name(statement, i);
        columns[i].name = strdup(name != NULL ? name : "?");
        if (columns[i].name == NULL) {
            query_columns_free(columns, count);
            return NULL;
        }
        const struct query_part *part =
            query_part_find(query->columns, query->columns_count, columns[i].name);
        columns[i].unit = unit_of(query, columns[i].name);
        columns[i].kind = kind_of(part, columns[i].name);
        columns[i].priority = priority_of(part, &columns[i], i);
    }
    return columns;
}

static int write_rows(struct run_context *run, const struct query_request *request,
                      const struct query_file *query, sqlite3_stmt *statement, FILE *out,
                      long *rows)
{
    int count = sqlite3_column_count(statement);
    struct output_column *columns = query_columns(query, statement);
    if (columns == NULL)
        return SQLITE_NOMEM;
    time_doubt_init(&run->doubt, sqlite3_db_handle(statement), statement);
    struct output_source source = {.statement = statement,
                                   .columns = columns,
                                   .columns_max = request->columns_max,
                                   .limit = request->limit,
                                   .count_all = request->count_all,
                                   .cell_width_max = request->cell_width_max,
                                   .width_max = request->width_max,
                                   .say_left_out = request->say_left_out,
                                   .bounds = request->bounds,
                                   .doubt_ns = run->doubt.hooks_ns,
                                   .sum_doubt_ns = sum_doubt_ns,
                                   .keep = run->suppressions.stack != NULL ? keep_row : NULL,
                                   .rewrite = request->names != NAMES_SHORT ? rewrite_cell : NULL,
                                   .full = request->full_columns ? full_name : NULL,
                                   .context = run};
    int result = output_rows(out, request->format, &source, rows);
    query_columns_free(columns, count);
    return result;
}

/* Only recursive SQL can go round in circles. The check reads a row for each context, so we spare
 * it queries that only name a column recursive_calls, or walk something else. */
static bool walks_frames(const struct query_file *query, const struct query_request *request)
{
    return (strcasestr(query->sql, "with recursive") != NULL &&
            strcasestr(query->sql, "frame") != NULL) ||
           request->suppressions != NULL || strcasestr(query->sql, "frame_stacks") != NULL;
}

/* Runs a statement of the query. */
static int statement_run(const struct query_request *request, sqlite3 *database,
                         const struct query_file *query, sqlite3_stmt *statement, FILE *out,
                         long *rows)
{
    struct run_context run = {0};
    *rows = 0;
    int status = query_bind_settings(request, query, statement);
    if (status == 0)
        status = set_up(&run, request, database, query, statement);
    if (status == 0) {
        int result = write_rows(&run, request, query, statement, out, rows);
        if (result == SQLITE_NOMEM)
            status = fail("%s: out of memory", query->name);
        else if (result == SQLITE_INTERRUPT && request->may_stop)
            status = 2;
        else if (result != SQLITE_DONE)
            status = database_is_unreadable(database)
                         ? database_fail(database, query->name)
                         : fail("%s: %s", query->name, sqlite3_errmsg(database));
        else if (run.suppressions.suppressed > 0 && !request->may_stop)
            note("%s: rows suppressed by %s: %zu", query->name, request->suppressions,
                 run.suppressions.suppressed);
    }
    names_release(&run.names);
    names_release(&run.full);
    suppressions_release(&run.suppressions);
    return status;
}

int query_run(const struct query_request *request, sqlite3 *database,
              const struct query_file *query, FILE *out, long *rows)
{
    bool walks = query_sources_walk(query->sql) || walks_frames(query, request);
    *rows = 0;
    int status = walks && !request->may_stop ? database_check_frames(database) : 0;
    if (status == 0)
        status = query_sources_make(database, query->sql);
    sqlite3_stmt *statement =
        status == 0 ? filters_prepare(&request->filters, database, query) : NULL;
    status = statement != NULL ? statement_run(request, database, query, statement, out, rows) : 2;
    return query_done(database, query, statement) == 0 ? status : 2;
}

sqlite3_stmt *query_prepare_again(const struct query_request *request, sqlite3 *database,
                                  const struct query_file *query)
{
    return query_sources_make(database, query->sql) == 0
               ? filters_prepare(&request->filters, database, query)
               : NULL;
}

int query_done(sqlite3 *database, const struct query_file *query, sqlite3_stmt *statement)
{
    sqlite3_finalize(statement);
    return query_sources_drop(database, query->sql);
}

int query_run_again(const struct query_request *request, sqlite3 *database,
                    const struct query_file *query, sqlite3_stmt *statement, FILE *out, long *rows)
{
    must(request->may_stop);
    sqlite3_reset(statement); /* how it ended before was said then */
    sqlite3_clear_bindings(statement);
    return statement_run(request, database, query, statement, out, rows);
}

/* ---- explaining ---- */

static const char *setting_of(const struct query_request *request, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < request->settings_count; i++) {
        if (strncmp(request->settings[i], name, length) == 0 && request->settings[i][length] == '=')
            return request->settings[i] + length + 1;
    }
    return NULL;
}

static int explain_plan(sqlite3 *database, sqlite3_stmt *statement, FILE *out)
{
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sqlite3_sql(statement));
    sqlite3_stmt *plan = NULL;
    int depths[256] = {0}; /* nesting by the low byte of a step's id: enough to indent by */
    int result = sqlite3_prepare_v2(database, sql, -1, &plan, NULL);
    fputs("\n-- plan:\n", out);
    while (result == SQLITE_OK && sqlite3_step(plan) == SQLITE_ROW) {
        int depth = depths[sqlite3_column_int(plan, 1) & 255];
        depths[sqlite3_column_int(plan, 0) & 255] = depth + 1;
        fprintf(out, "--   %*s", 2 * depth, "");
        text_put(out, (const char *)sqlite3_column_text(plan, 3));
        fputc('\n', out);
    }
    int ended = sqlite3_finalize(plan);
    sqlite3_free(sql);
    return result == SQLITE_OK && ended == SQLITE_OK ? 0 : fail("%s", sqlite3_errmsg(database));
}

int query_explain(const struct query_request *request, sqlite3 *database,
                  const struct query_file *query, FILE *out)
{
    for (size_t i = 0; i < query->params_count; i++) {
        const struct query_part *part = &query->params[i];
        const char *value = setting_of(request, part->name);
        const char *shown = value != NULL ? value : part->value != NULL ? part->value : "NULL";
        fprintf(out, "-- %s: %s%s\n.parameter set :%s %s\n", part->name, part->unit,
                value != NULL ? "" : ", by default", part->name, shown);
    }
    if (database != NULL && query_sources_make_named(database, query->sql) != 0) /* not to be run */
        return 2;
    sqlite3_stmt *statement =
        database != NULL ? filters_prepare(&request->filters, database, query) : NULL;
    if (database != NULL && statement == NULL)
        return 2;
    int status = statement != NULL ? query_bind_settings(request, query, statement) : 0;
    const char *sql = statement != NULL ? sqlite3_sql(statement) : query->sql;
    size_t length = strlen(sql);
    while (length > 0 && strchr("; \n\t\r", sql[length - 1]) != NULL)
        length--;
    fprintf(out, "%.*s;\n", (int)length, sql);
    if (status == 0 && statement != NULL)
        status = explain_plan(database, statement, out);
    sqlite3_finalize(statement);
    return status;
}
