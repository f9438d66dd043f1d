/* fisql stack: the stack of a call, exact, recursion not folded. */
#include "cli/out/args.h"
#include "cli/run/call_cursor.h"
#include "cli/run/call_values.h"
#include "cli/commands.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: fisql stack CALL-ID [DB]\n"
    "\n"
    "Prints the stack of a call (DB: run.db): the call itself first, then its caller, and so on, "
    "with\n"
    "arguments and results (`fisql record --values`; of pointers the row of allocs that they "
    "point\n"
    "into), where each was called from, when it was entered and how long it took. Queries list "
    "such ids in columns like slowest_call.\n"
    "\n"
    "      --all                all calls of a deep stack (default: the first and last 100)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "example: fisql stack 3\n";

enum { ENDS_SHOWN = 100 };

/* cmd_stack.sql */
extern const char cmd_stack_sql_call[];
extern const char cmd_stack_sql_whole[];

/* 0, or 2 after saying what is wrong. */
static int print_call(const struct run_view *view, struct call_values *values, sqlite3_stmt *row,
                      int64_t id, int64_t number)
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
    output_time((double)sqlite3_column_int64(row, 5), duration, sizeof duration);
    printf("#%-3" PRId64 " ", number);
    text_put(stdout, name);
    text_put(stdout, shown);
    sqlite3_free(shown);
    fputs(" (", stdout);
    text_put(stdout, place);
    fputc(')', stdout);
    if (site != NULL) {
        fputs(" called from ", stdout);
        text_put(stdout, site);
    }
    printf("\n     call %" PRId64 ", at %s, took %s%s\n", id, enter, duration,
           ended >= 0 && ended <= 3 ? endings[ended] : "");
    return 0;
}

static int print_stack(const struct run_view *view, struct call_values *values, int64_t id,
                       bool all, const char *path)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(view->database, cmd_stack_sql_call, -1, &row, NULL) != SQLITE_OK)
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
            fputs("thread ", stdout);
            text_put(stdout, (const char *)sqlite3_column_text(row, 7));
            printf(" (%lld), %" PRId64 " call%s open\n", sqlite3_column_int64(row, 8), height,
                   height == 1 ? "" : "s");
        }
        if (all || number < ENDS_SHOWN || number >= height - ENDS_SHOWN)
            result = print_call(view, values, row, next, number);
        else if (number == ENDS_SHOWN)
            printf("...  %" PRId64 " calls left out (--all shows them)\n", height - 2 * ENDS_SHOWN);
        int64_t parent = sqlite3_column_int64(row, 0);
        if (result == 0 && parent >= next)
            result = fail("%s: the calls contradict one another", path);
        next = parent;
        number++;
    }
    int ended = database_rows_end(row, "the calls");
    return result != 0 ? result : ended;
}

struct request {
    enum name_style style;
    bool all;
    int64_t id;
    const char *path;
};

static int parse(struct request *request, int argc, char **argv)
{
    enum { ALL = 256, DEMANGLE };
    static const struct args_option known[] = {
        {"all", ALL, false}, {"demangle", DEMANGLE, true}, {NULL, 0, false}};
    struct args args = {.command = "stack", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == ALL)
            request->all = true;
        else if (!name_style_parse(args.value, &request->style))
            return args_wrong(&args, "short, full or no");
    }
    if (args.status != ARGS_GO_ON)
        return args.status;
    char *end = NULL;
    request->id = strtoll(args_word(&args, ""), &end, 10);
    if (*end != '\0' || request->id <= 0)
        return fail("stack: wants the id of a call, a number from 1 on; see `fisql stack --help`");
    request->path = args_word(&args, "run.db");
    return args_end(&args);
}

/* Reads what the database lacks of the call and those around it. A caller that is short itself has
 * few calls before the one that it makes. */
static bool has_stack(sqlite3 **database, const struct request *request)
{
    const int64_t before = 100000;
    int64_t from = request->id > before ? request->id - before : 1;
    sqlite3_stmt *row = database_ask(*database, cmd_stack_sql_whole);
    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, request->id);
    bool whole = database_row(row) && sqlite3_column_int64(row, 0) != 0;
    sqlite3_finalize(row);
    return whole || whole_calls_open(database, request->path, "a stack", from, request->id);
}

int cmd_stack(int argc, char **argv)
{
    struct request request = {.style = NAMES_SHORT};
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    sqlite3 *database = database_open(request.path);
    struct run_view view = {0};
    struct call_values values = {0};
    status = 2;
    if (database != NULL && has_stack(&database, &request) &&
        run_has_calls(database, request.path, "a stack"))
        status = run_view_open(&view, database, request.style, MEASURE_CPU);
    if (status == 0)
        status = call_values_open(&values, &view);
    if (status == 0)
        status = call_values_show_blocks(&values);
    if (status == 0)
        status = print_stack(&view, &values, request.id, request.all, request.path);
    call_values_close(&values);
    run_view_release(&view);
    sqlite3_close(database);
    return status;
}
