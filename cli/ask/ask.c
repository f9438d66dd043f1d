/* Questions of somebody who is not at the terminal: see ask.h. */
#include "cli/ask/ask.h"

#include "base/must.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/query/query_sources.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"

#include <ctype.h>
#include <string.h>

/* ---- once ---- */

static int64_t memory_max_bytes;

int ask_begin(int64_t memory_bytes)
{
    must(memory_bytes > 0);
    /* main() has switched the counting of bytes off, without which there is no cap. */
    if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1) != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK)
        return fail("SQLite's memory cannot be capped: it is in use already");
    sqlite3_hard_heap_limit64(memory_bytes);
    if (sqlite3_hard_heap_limit64(-1) != memory_bytes)
        return fail("SQLite's memory cannot be capped: it counts no bytes");
    memory_max_bytes = memory_bytes;
    return 0;
}

sqlite3 *ask_open(const char *path)
{
    return database_open_sparing(path);
}

/* ---- what takes time ---- */

enum { STEPS_BETWEEN_LOOKS = 4000 }; /* some 50 us */

bool ask_watch_is_over(struct ask_watch *watch)
{
    if (watch->end != ASK_DONE)
        return true;
    int64_t now_ns = clock_ns();
    if (watch->stop != NULL && __atomic_load_n(watch->stop, __ATOMIC_ACQUIRE) != 0)
        watch->end = ASK_STOPPED;
    else if (now_ns >= watch->deadline_ns)
        watch->end = ASK_LATE;
    else if (now_ns >= watch->count_deadline_ns)
        watch->end = ASK_COUNTED_ENOUGH;
    else if (watch->count_ns > 0 && watch->count_deadline_ns == INT64_MAX &&
             watch->bounds != NULL && watch->bounds->full)
        watch->count_deadline_ns = now_ns + watch->count_ns;
    return watch->end != ASK_DONE;
}

static int look(void *context)
{
    return ask_watch_is_over(context);
}

void ask_watch_begin(struct ask_watch *watch, sqlite3 *database)
{
    watch->end = ASK_DONE;
    watch->database = database;
    watch->deadline_ns = watch->time_ns > 0 ? clock_ns() + watch->time_ns : INT64_MAX;
    watch->count_deadline_ns = INT64_MAX;
    if (database != NULL)
        sqlite3_progress_handler(database, STEPS_BETWEEN_LOOKS, look, watch);
}

void ask_watch_end(struct ask_watch *watch)
{
    if (watch->database != NULL)
        sqlite3_progress_handler(watch->database, 0, NULL, NULL);
}

int ask_watch_say(const struct ask_watch *watch, int status)
{
    if (watch->end == ASK_LATE)
        return fail("stopped after %.3g s, the limit of time: ask for less, or by a smaller table",
                    (double)watch->time_ns / 1e9);
    if (watch->end == ASK_STOPPED)
        return fail("stopped, as was asked for");
    return status;
}

/* ---- rows ---- */

/* Why a statement failed: the watch, the cap or the statement. Returns 2. */
static int say_failure(const struct ask_watch *watch, sqlite3 *database)
{
    if (ask_watch_say(watch, 0) != 0)
        return 2;
    if (sqlite3_errcode(database) == SQLITE_NOMEM && memory_max_bytes > 0)
        return fail(
            "the statement needs more memory than the %lld MiB that there are: ask for less",
            (long long)(memory_max_bytes >> 20));
    if (database_is_unreadable(database))
        return database_fail(database, NULL);
    if (sqlite3_errcode(database) == SQLITE_AUTH)
        return fail("%s: statements may read tables and views alone", sqlite3_errmsg(database));
    return fail("%s", sqlite3_errmsg(database));
}

static void fill_in(struct ask_answer *answer, const struct ask_watch *watch,
                    const struct output_bounds *bounds, long rows)
{
    answer->end = watch->end;
    answer->rows = bounds->rows_written;
    answer->rows_left_out = rows - bounds->rows_written;
    answer->cells_shortened = bounds->cells_shortened;
}

static struct ask_watch watch_by(const struct ask_limits *limits,
                                 const struct output_bounds *bounds)
{
    return (struct ask_watch){.time_ns = limits->time_ns,
                              .count_ns = limits->count_ns,
                              .stop = limits->stop,
                              .bounds = bounds};
}

/* What the limits ended is an answer, but for one that was stopped or has no row. */
static bool is_answer(const struct ask_answer *answer)
{
    return answer->end == ASK_COUNTED_ENOUGH || (answer->end == ASK_LATE && answer->rows > 0);
}

/* What SQLite's parser and its functions may do for a statement of somebody else's. */
static const struct {
    int limit, most;
} statement_limits[] = {
    {SQLITE_LIMIT_LENGTH, 1 << 19},           {SQLITE_LIMIT_SQL_LENGTH, 100000},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},           {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 1000000},          {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, {SQLITE_LIMIT_WORKER_THREADS, 0}};
enum { STATEMENT_LIMITS = sizeof statement_limits / sizeof statement_limits[0] };

static void restrict_to_reading(sqlite3 *database, int before[STATEMENT_LIMITS])
{
    distrust_change(database, DISTRUST_ASK);
    for (int i = 0; i < STATEMENT_LIMITS; i++)
        before[i] = sqlite3_limit(database, statement_limits[i].limit, statement_limits[i].most);
}

static void restrict_no_more(sqlite3 *database, const int before[STATEMENT_LIMITS])
{
    for (int i = 0; i < STATEMENT_LIMITS; i++)
        sqlite3_limit(database, statement_limits[i].limit, before[i]);
    distrust_change(database, DISTRUST_READ);
}

/* Is there anything but space, comments and semicolons? */
static bool has_statement(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    while (*sql != '\0' && (isspace((unsigned char)*sql) || *sql == ';'))
        sql++;
    if (*sql == '\0')
        return false;
    bool comment =
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK && statement == NULL;
    sqlite3_finalize(statement);
    return !comment;
}

/* The one statement of the text; NULL after saying what is wrong. */
static sqlite3_stmt *prepare(sqlite3 *database, const char *sql, const struct ask_watch *watch)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, &rest) != SQLITE_OK)
        say_failure(watch, database);
    else if (statement == NULL)
        fail("there is no statement: give one SELECT");
    else if (has_statement(database, rest))
        fail("there is more than one statement: give one at a time");
    else if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_column_count(statement) == 0)
        fail("the statement gives no rows: give one SELECT");
    else
        return statement;
    sqlite3_finalize(statement);
    return NULL;
}

static int write_rows(sqlite3_stmt *statement, const struct ask_limits *limits,
                      struct output_bounds *bounds, FILE *out, long *rows)
{
    const struct query_file own = {.name = NULL}; /* has no header */
    int count = sqlite3_column_count(statement);
    struct output_column *columns = query_columns(&own, statement);
    if (columns == NULL)
        return SQLITE_NOMEM;
    const struct output_source source = {.statement = statement,
                                         .columns = columns,
                                         .limit = limits->rows_max,
                                         .count_all = true,
                                         .cell_width_max = limits->cell_width_max,
                                         .bounds = bounds};
    int result = output_rows(out, OUTPUT_JSON, &source, rows);
    query_columns_free(columns, count);
    return result;
}

int ask_sql(sqlite3 *database, const char *sql, const struct ask_limits *limits, FILE *out,
            struct ask_answer *answer)
{
    struct output_bounds bounds = {.bytes_max = limits->bytes_max, .in_string = limits->in_string};
    struct ask_watch watch = watch_by(limits, &bounds);
    int before[STATEMENT_LIMITS], result = SQLITE_DONE, status = 2;
    long rows = 0;
    must(limits->bytes_max >= 32);
    *answer = (struct ask_answer){.end = ASK_FAILED};
    if (query_sources_make_named(database, sql) != 0)
        return 2;
    restrict_to_reading(database, before);
    ask_watch_begin(&watch, database);
    sqlite3_stmt *statement = prepare(database, sql, &watch);
    if (statement != NULL)
        result = write_rows(statement, limits, &bounds, out, &rows);
    fill_in(answer, &watch, &bounds, rows);
    if (statement != NULL)
        status = result == SQLITE_DONE || is_answer(answer) ? 0 : say_failure(&watch, database);
    if (status != 0 && (answer->end == ASK_DONE || answer->end == ASK_COUNTED_ENOUGH))
        answer->end = ASK_FAILED;
    sqlite3_finalize(statement);
    ask_watch_end(&watch);
    restrict_no_more(database, before);
    return status;
}

int ask_query(sqlite3 *database, const struct query_file *query,
              const struct query_request *request, const struct ask_limits *limits, FILE *out,
              struct ask_answer *answer)
{
    struct output_bounds bounds = {.bytes_max = limits->bytes_max, .in_string = limits->in_string};
    struct ask_watch watch = watch_by(limits, &bounds);
    struct query_request asked = *request;
    long rows = 0;
    must(limits->bytes_max >= 32);
    asked.format = OUTPUT_JSON;
    asked.limit = limits->rows_max;
    asked.count_all = true;
    asked.cell_width_max = limits->cell_width_max;
    asked.bounds = &bounds;
    asked.may_stop = true;
    ask_watch_begin(&watch, database);
    int status = database_check_frames(database); /* which one that may stop does not */
    if (status == 0)
        status = query_run(&asked, database, query, out, &rows);
    fill_in(answer, &watch, &bounds, rows);
    if (status != 0 && is_answer(answer))
        status = 0;
    else if (status != 0)
        status = ask_watch_say(&watch, status);
    if (status != 0 && (answer->end == ASK_DONE || answer->end == ASK_COUNTED_ENOUGH))
        answer->end = ASK_FAILED;
    ask_watch_end(&watch);
    return status;
}
