/* The stack of a call as text: see show_stack.h. */
#include "cli/show/show_stack.h"

#include "cli/run/call_cursor.h"
#include "cli/run/call_values.h"
#include "cli/run/database.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>

enum { ENDS_SHOWN = 100 };

/* show_stack.sql */
extern const char show_stack_sql_call[];
extern const char show_stack_sql_whole[];

/* 0, or 2 after saying what is wrong. */
static int print_call(FILE *out, const struct run_view *view, struct call_values *values,
                      sqlite3_stmt *row, int64_t id, int64_t number)
{
    static const char *const endings[] = {"", ", unwound", ", still open", ", its exit was lost"};
    const char *site = (const char *)sqlite3_column_text(row, 3);
    int64_t function = sqlite3_column_int64(row, 2);
    int ended = sqlite3_column_int(row, 6);
    char place[256] = "?", enter[64], duration[64];
    const char *name = "?";
    if (function > 0 && (size_t)function < view->functions_count &&
        view->functions[function].name != NULL) {
        name = view->functions[function].name;
        run_place(&view->functions[function], place, sizeof place);
    }
    char *shown = call_values_text(
        values, function > 0 && function < UINT32_MAX ? (uint32_t)function : 0, id);
    if (shown == NULL)
        return 2;
    output_time((double)sqlite3_column_int64(row, 4), enter, sizeof enter);
    if (sqlite3_column_type(row, 5) == SQLITE_NULL)
        snprintf(duration, sizeof duration, "a time that was not recorded");
    else
        output_time((double)sqlite3_column_int64(row, 5), duration, sizeof duration);
    fprintf(out, "#%-3" PRId64 " ", number);
    text_put(out, name);
    text_put(out, shown);
    sqlite3_free(shown);
    fputs(" (", out);
    text_put(out, place);
    fputc(')', out);
    if (site != NULL) {
        fputs(" called from ", out);
        text_put(out, site);
    }
    fprintf(out, "\n     call %" PRId64 ", at %s, took %s%s\n", id, enter, duration,
            ended >= 0 && ended <= 3 ? endings[ended] : "");
    return 0;
}

static int print_stack(const struct run_view *view, struct call_values *values, int64_t id,
                       bool all, const char *path, FILE *out)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(view->database, show_stack_sql_call, -1, &row, NULL) != SQLITE_OK)
        return fail("%s: %s", path, sqlite3_errmsg(view->database));
    int64_t number = 0, height = 0, next = id;
    int result = 0;
    while (next > 0 && result == 0) {
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, next);
        int step = sqlite3_step(row);
        if (step != SQLITE_ROW) {
            result =
                step != SQLITE_DONE ? 0 /* said below */
                : number == 0
                    ? fail("%s: there is no call %" PRId64 ": ids go from %" PRId64 " to %" PRId64,
                           path, id, run_integer(view->database, "SELECT min(id) FROM calls", 0),
                           run_integer(view->database, "SELECT max(id) FROM calls", 0))
                    : fail("%s: call %" PRId64 " lacks its caller", path, next);
            break;
        }
        if (number == 0) {
            height = run_within(sqlite3_column_int64(row, 1), 0, RUN_CALL_ID_MAX) + 1;
            fputs("thread ", out);
            text_put(out, (const char *)sqlite3_column_text(row, 7));
            fprintf(out, " (%lld), %" PRId64 " call%s open\n", sqlite3_column_int64(row, 8), height,
                    height == 1 ? "" : "s");
        }
        if (all || number < ENDS_SHOWN || number >= height - ENDS_SHOWN)
            result = print_call(out, view, values, row, next, number);
        else if (number == ENDS_SHOWN)
            fprintf(out, "...  %" PRId64 " calls left out (--all shows them)\n",
                    height - 2 * ENDS_SHOWN);
        int64_t parent = sqlite3_column_int64(row, 0);
        if (result == 0 && parent >= next)
            result = fail("%s: the calls contradict one another", path);
        next = parent;
        number++;
    }
    int ended = database_rows_end(row, "the calls");
    return result != 0 ? result : ended;
}

bool show_stack_is_whole(sqlite3 *database, int64_t id)
{
    sqlite3_stmt *row = database_ask(database, show_stack_sql_whole);
    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, id);
    bool whole = database_row(row) && sqlite3_column_int64(row, 0) != 0;
    sqlite3_finalize(row);
    return whole;
}

int show_stack(sqlite3 *database, const char *path, int64_t id, enum name_style style, bool all,
               FILE *out)
{
    struct run_view view = {0};
    struct call_values values = {0};
    int status = 2;
    if (run_has_calls(database, path, "a stack"))
        status = run_view_open(&view, database, style, MEASURE_CPU);
    if (status == 0)
        status = call_values_open(&values, &view);
    if (status == 0)
        status = call_values_show_blocks(&values);
    if (status == 0)
        status = print_stack(&view, &values, id, all, path, out);
    call_values_close(&values);
    run_view_release(&view);
    return status;
}
