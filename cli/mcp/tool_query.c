/* The tools queries, query and sql: canned questions, and statements of the agent's own. */
#include "cli/mcp/tool_parts.h"

#include "base/memory_text.h"
#include "base/shortage.h"
#include "cli/out/json.h"
#include "cli/out/say.h"
#include "cli/query/kept_blocks.h"
#include "cli/query/left_out.h"
#include "cli/query/query_fold.h"
#include "cli/query/query_help.h"
#include "cli/query/query_needs.h"
#include "cli/query/query_set.h"
#include "cli/query/recording_limits.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 50 }; /* unless the agent wants more */
#define LIMIT_TEXT "rows at most (50); those left out are counted"

/* ---- queries ---- */

static const struct tool_parameter queries_parameters[] = {
    {"name", TOOL_TEXT, false, NULL, "a query: its manual in place of the list"},
    {NULL, TOOL_TEXT, false, NULL, NULL}};

static int run_queries(struct tool_call *call)
{
    const char *name = tool_text(call, "name");
    struct query_set set = {0};
    int status = query_set_load(&set);
    const struct query_file *query =
        status == 0 && name != NULL ? query_set_find(&set, name) : NULL;
    if (status == 0 && query != NULL)
        query_help_explain(query, "query", true, call->answer.stream);
    else if (status == 0 && name != NULL)
        status = query_set_fail_unknown(&set, name);
    for (size_t i = 0; status == 0 && name == NULL && i < set.count; i++)
        fprintf(call->answer.stream, "%s: %s\n", set.queries[i].name,
                set.queries[i].question != NULL ? set.queries[i].question : "");
    query_set_release(&set);
    return status;
}

const struct tool tool_queries = {
    .name = "queries",
    .title = "List the canned queries",
    .what = "The canned analyses of a run, each with the question that it answers: hot functions, "
            "call counts, callers, memory not freed, lock waits, dead code and many more. With a "
            "name: the query's manual, with parameters, columns, units, filters, and what to do "
            "with a row.",
    .parameters = queries_parameters,
    .run = run_queries};

/* ---- query ---- */

static const struct tool_parameter query_parameters[] = {
    {"name", TOOL_TEXT, true, NULL, "the query, as the tool queries lists it"},
    {"parameters", TOOL_OBJECT, false, NULL,
     "parameters of the query: {\"min_calls\": 5}; its manual (tool queries) says which it has"},
    {"limit", TOOL_INTEGER, false, NULL, LIMIT_TEXT},
    {"function", TOOL_TEXT, false, NULL, "only functions of this name or pattern (*, ?, [...])"},
    {"file", TOOL_TEXT, false, NULL, "only functions of this source file"},
    {"module", TOOL_TEXT, false, NULL, "only functions of this program, library or module"},
    {"thread", TOOL_TEXT, false, NULL, "only this thread, by name or tid"},
    {"since", TOOL_TEXT, false, NULL, "from this time since the run's start on: 10ms, 2.5s"},
    {"until", TOOL_TEXT, false, NULL, "up to this time"},
    {"sort", TOOL_TEXT, false, NULL, "columns to sort by, with commas, the largest first"},
    {"reverse", TOOL_BOOLEAN, false, NULL, "with sort: the least first"},
    {"all_code", TOOL_BOOLEAN, false, NULL,
     "functions of system headers and libraries, too; else they count as part of the own code "
     "that called them"},
    {"full_names", TOOL_BOOLEAN, false, NULL,
     "with each column of functions one of their full names, with types"},
    TOOL_DATABASE,
    {NULL, TOOL_TEXT, false, NULL, NULL}};

/* The settings name=value, each malloc'ed. */
static int read_settings(struct tool_call *call, char *settings[QUERY_SETTINGS_MAX], size_t *count)
{
    const char *parameters = tool_text(call, "parameters");
    struct json_value value;
    char *key;
    int status = 0;
    json_reader_begin(call->reader, parameters != NULL ? parameters : "{}");
    while (json_reader_next(call->reader, &key, &value)) {
        bool plain = value.type != JSON_ARRAY && value.type != JSON_OBJECT;
        if (status == 0 && !plain)
            status = fail("parameters: %s: wants a number or a text", key);
        else if (status == 0 && *count == QUERY_SETTINGS_MAX)
            status = fail("parameters: there are more than %d", QUERY_SETTINGS_MAX);
        else if (status == 0 && value.text != NULL &&
                 asprintf(&settings[*count], "%s=%s", key, value.text) < 0)
            status = fail("out of memory");
        else if (status == 0 && value.text != NULL)
            ++*count;
        free(key);
        json_value_release(&value);
    }
    return status;
}

/* The head of the answer: what was asked, and the units of the columns. NULL without memory. */
static char *query_head(const struct tool_call *call, const struct query_file *query)
{
    char *text = NULL;
    size_t size = 0;
    const char *separator = "";
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    fputs("\"query\":", out);
    json_string(out, query->name, strlen(query->name));
    fputs(",\"database\":", out);
    json_string(out, call->path, strlen(call->path));
    fputs(",\"units\":{", out);
    for (size_t i = 0; i < query->columns_count; i++) {
        const struct query_part *column = &query->columns[i];
        if (strcmp(column->unit, "-") == 0)
            continue;
        fputs(separator, out);
        json_string(out, column->name, strlen(column->name));
        fputc(':', out);
        json_string(out, column->unit, strlen(column->unit));
        separator = ",";
    }
    fputs("}", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Says what the query leaves out by its rules, and what the run lacks. The rows are there already:
 * where this takes long, it is not said. */
static void say_more(struct tool_call *call, const struct query_request *request,
                     const struct query_file *query, const struct ask_answer *answer)
{
    const int64_t most_ns = INT64_C(3000000000);
    int64_t left_ns = tool_time_left_ns(call);
    bool any = answer->rows + answer->rows_left_out > 0;
    tool_watch(call, left_ns < most_ns ? left_ns : most_ns);
    const char *lacks = any ? NULL : query_lacks(query, call->database);
    if (lacks == NULL)
        lacks = query_lacks_part(query, call->database);
    if (lacks != NULL)
        note("%s", lacks);
    kept_blocks_say(request, query, call->database);
    left_out_say(request, query, call->database);
    if (any)
        query_limits_say(request, query, call->database);
    if (call->watch.end == ASK_LATE) { /* no matter */
        call->watch.end = ASK_DONE;
        database_forget();
        shortage_forget();
    }
}

static int ask_rows(struct tool_call *call, const struct query_request *request,
                    const struct query_file *query, const char *head)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&rows, &size);
    struct ask_answer answer = {0};
    if (out == NULL)
        return fail("out of memory");
    const struct ask_limits limits = tool_limits(call, head, tool_limit(call, ROWS));
    int status = ask_query(call->database, query, request, &limits, out, &answer);
    call->watch.end = status != 0 ? answer.end : ASK_DONE;
    if (fclose(out) != 0)
        status = fail("out of memory");
    if (status == 0) {
        database_say_state(call->database, call->path);
        say_more(call, request, query, &answer);
        tool_put_rows(call, head, rows, &answer);
    }
    free(rows);
    return status;
}

/* Opens the database for the query: checks the filters, and folds it. */
static int open_for(struct tool_call *call, const struct query_file *query,
                    const struct query_request *request)
{
    bool folded = false;
    int status = tool_open(call, "database");
    if (status == 0)
        status = filters_check(&request->filters, call->database);
    if (status == 0 && query_needs_word(query, "calls") && whole_calls_possible(call->database))
        status = fail("%s: needs rows of calls that %s lacks: load its log again with "
                      "`fisql load --calls=all`",
                      query->name, call->path);
    if (status == 0 && !tool_flag(call, "all_code"))
        status = query_fold(call->database, query, request, &folded);
    if (status == 0 && folded)
        note("functions of system headers count as part of their callers: all_code shows them");
    return status;
}

static int run_query(struct tool_call *call)
{
    static const struct {
        const char *name;
        enum filter filter;
    } filters[] = {{"function", FILTER_FUNCTION}, {"file", FILTER_FILE},
                   {"module", FILTER_MODULE},     {"thread", FILTER_THREAD},
                   {"since", FILTER_SINCE},       {"until", FILTER_UNTIL}};
    struct query_request request = {.names = NAMES_SHORT, .format = OUTPUT_JSON, .limit = -1};
    char *settings[QUERY_SETTINGS_MAX] = {NULL};
    struct query_set set = {0};
    size_t count = 0;
    int status = query_set_load(&set);
    const char *name = tool_text(call, "name");
    const struct query_file *query = status == 0 ? query_set_find(&set, name) : NULL;
    if (status == 0 && query == NULL)
        status = query_set_fail_unknown(&set, name);
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        request.filters.values[filters[i].filter] = tool_text(call, filters[i].name);
    request.filters.sort = tool_text(call, "sort");
    request.filters.reverse = tool_flag(call, "reverse");
    request.full_columns = tool_flag(call, "full_names");
    if (status == 0)
        status = read_settings(call, settings, &count);
    for (size_t i = 0; i < count; i++)
        request.settings[request.settings_count++] = settings[i];
    if (status == 0)
        status = open_for(call, query, &request);
    char *head = status == 0 ? query_head(call, query) : NULL;
    if (status == 0)
        status = head != NULL ? ask_rows(call, &request, query, head) : fail("out of memory");
    free(head);
    while (count > 0)
        free(settings[--count]);
    query_set_release(&set);
    return status;
}

const struct tool tool_query = {
    .name = "query",
    .title = "Run a canned query",
    .what = "Runs a canned analysis of a run and gives its rows as JSON, with the units of its "
            "columns, how many rows are left out, and notes on what the rules leave out. Times "
            "are nanoseconds without the cost of recording, sizes bytes.",
    .parameters = query_parameters,
    .run = run_query};

/* ---- sql ---- */

static const struct tool_parameter sql_parameters[] = {
    {"sql", TOOL_TEXT, true, NULL,
     "one SELECT of SQLite. Tables: functions, function_stats (calls, total_ns, self_ns, cpu_ns), "
     "frames (calling contexts), edges (callers and callees), calls (each call), allocs (each "
     "block), alloc_stacks, gaps, threads and more. SELECT sql FROM sqlite_schema WHERE name = "
     "'function_stats' says what its columns mean"},
    {"limit", TOOL_INTEGER, false, NULL, LIMIT_TEXT},
    TOOL_DATABASE,
    {NULL, TOOL_TEXT, false, NULL, NULL}};

static int run_sql(struct tool_call *call)
{
    char *rows = NULL, *head = NULL;
    size_t rows_size = 0, head_size = 0;
    struct ask_answer answer = {0};
    int status = tool_open(call, "database");
    if (status != 0)
        return status;
    FILE *out = memory_text_open(&head, &head_size);
    if (out != NULL) {
        fputs("\"database\":", out);
        json_string(out, call->path, strlen(call->path));
        fputs(",\"units\":\"columns that end in _ns are nanoseconds, in _bytes bytes\"", out);
        if (fclose(out) == 0)
            out = memory_text_open(&rows, &rows_size);
        else
            out = NULL;
    }
    if (out == NULL) {
        free(head);
        return fail("out of memory");
    }
    const struct ask_limits limits = tool_limits(call, head, tool_limit(call, ROWS));
    status = ask_sql(call->database, tool_text(call, "sql"), &limits, out, &answer);
    call->watch.end = status != 0 ? answer.end : ASK_DONE;
    if (fclose(out) != 0)
        status = fail("out of memory");
    if (status == 0)
        tool_put_rows(call, head, rows, &answer);
    free(head);
    free(rows);
    return status;
}

const struct tool tool_sql = {
    .name = "sql",
    .title = "Ask in SQL",
    .what = "Runs one read-only statement of SQLite on a run's database and gives its rows as "
            "JSON, at most `limit` of them, with how many are left out. For questions that no "
            "canned query answers. Here all code counts as it was recorded, that of libraries "
            "and system headers too.",
    .parameters = sql_parameters,
    .run = run_sql};
