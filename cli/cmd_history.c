/* fisql history: what happened to an object or a value, in order, across threads. */
#include "base/must.h"
#include "cli/out/args.h"
#include "cli/out/json.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/commands.h"
#include "cli/history/history.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/whatif/holds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: fisql history [OPTION...] [DB] block ADDRESS|NUMBER\n"
    "       fisql history [OPTION...] [DB] call CALL-ID.ARGUMENT\n"
    "       fisql history [OPTION...] [DB] value EXPRESSION\n"
    "\n"
    "Prints what happened to an object of a run (DB: run.db), in order and across threads: where "
    "it was\n"
    "allocated and freed, every call that was passed a pointer to it or into it, what realloc made "
    "of it,\n"
    "uses after it was freed, and what calls changed of it. Record the run with --values, and what "
    "is of\n"
    "interest with --value 'pay: order->total at both'.\n"
    "\n"
    "  block 0x55d0c3a0, block 12  the block at this address (the last one there), or of this "
    "number\n"
    "  call 123.2, call 123.order  what this argument of this call points to; call 123.result\n"
    "  value 'order->total'        the calls that found or left another value of this expression\n"
    "\n"
    "A row with ! used the object after it was freed or released it wrongly; one with * found or "
    "left\n"
    "another value than the row before had. \"was 3 before\": no call that was passed the object "
    "changed\n"
    "it; then calls on the block right before it in memory are shown, too. With record --locks=all "
    "a row\n"
    "says which locks its thread held.\n"
    "\n"
    "      --until CALL-ID      only what came before this call was entered, and itself\n"
    "      --last N             only the last N rows\n"
    "      --is VALUE           of a value: up to the first moment at which it was this\n"
    "      --format FORMAT      table or json (table)\n"
    "\n"
    "example: fisql history block 1\n";

struct request {
    const char *path, *what, *which, *is;
    bool json;
    size_t last;
    int64_t until_call; /* 0 = to the end */
};

static bool is_target(const char *word)
{
    return strcmp(word, "block") == 0 || strcmp(word, "call") == 0 || strcmp(word, "value") == 0;
}

static int parse(struct request *request, int argc, char **argv)
{
    enum { LAST = 256, IS, FORMAT, UNTIL };
    static const struct args_option known[] = {{"until", UNTIL, true},
                                               {"last", LAST, true},
                                               {"is", IS, true},
                                               {"format", FORMAT, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "history", .help = help, .options = known};
    char *end = NULL;
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == IS) {
            request->is = args.value;
        } else if (args.code == LAST || args.code == UNTIL) {
            long number = strtol(args.value, &end, 10);
            if (*args.value == '\0' || *end != '\0' || number <= 0)
                return args_wrong(&args, "a number from 1 on");
            if (args.code == LAST)
                request->last = (size_t)number;
            else
                request->until_call = number;
        } else {
            request->json = strcmp(args.value, "json") == 0;
            if (!request->json && strcmp(args.value, "table") != 0)
                return args_wrong(&args, "table or json");
        }
    }
    if (args.status != ARGS_GO_ON)
        return args.status;
    const char *first = args_word(&args, "");
    bool has_path = !is_target(first);
    request->what = has_path ? args_word(&args, "") : first;
    request->which = args_word(&args, "");
    request->path = has_path && *first != '\0' ? first : args_word(&args, "run.db");
    if (!is_target(request->what) || *request->which == '\0')
        return fail(
            "history: wants block ADDRESS, call CALL-ID.ARGUMENT or value EXPRESSION; see `fisql "
            "history --help`");
    if (request->is != NULL && strcmp(request->what, "value") != 0)
        return fail("history: --is goes with value EXPRESSION");
    return args_end(&args);
}

static const struct run_thread *thread_of(const struct run_view *view, int64_t id)
{
    for (size_t i = 0; i < view->threads_count; i++)
        if (view->threads[i].id == id)
            return &view->threads[i];
    return NULL;
}

/* Was the object used when it was gone, or is it released wrongly there? */
static bool is_wrong(const struct moment *moment)
{
    return moment->kind == MOMENT_WRONG || moment->stale;
}

static const char *name_of(const struct history *history, uint32_t function)
{
    return function != 0 ? history->view->functions[function].name : NULL;
}

/* The function that called the one of the moment; NULL. */
static const char *caller_of(const struct history *history, const struct moment *moment)
{
    const struct run_frame *frames = history->view->frames;
    uint32_t parent = frames[moment->frame].parent;
    return moment->frame != 0 && parent < moment->frame ? name_of(history, frames[parent].function)
                                                        : NULL;
}

static void print_holds(const struct holds *holds, const struct moment *moment)
{
    size_t after = holds->count;
    const char *name = holds_next(holds, moment->thread, moment->ns, &after);
    if (name == NULL)
        return;
    fputs(", holding ", stdout);
    for (bool first = true; name != NULL; first = false) {
        fputs(first ? "" : ", ", stdout);
        text_put(stdout, name);
        name = holds_next(holds, moment->thread, moment->ns, &after);
    }
}

static void print_moment(const struct history *history, const struct holds *holds,
                         const struct moment *moment)
{
    const struct run_thread *thread = thread_of(history->view, moment->thread);
    const char *function = name_of(history, moment_function(history, moment));
    const char *caller = caller_of(history, moment);
    printf("%14.3f us %c %-16s %10" PRId64 "  ", (double)moment->ns / 1000,
           is_wrong(moment)  ? '!'
           : moment->changes ? '*'
                             : ' ',
           thread != NULL ? thread->name : "?", moment->call);
    text_put(stdout, moment->text);
    bool names_itself = moment->kind == MOMENT_CALL || moment->kind == MOMENT_NEIGHBOUR ||
                        moment->kind == MOMENT_VALUE;
    if (function != NULL && !names_itself) {
        fputs(" in ", stdout);
        text_put(stdout, function);
    }
    if (caller != NULL) {
        fputs(", called by ", stdout);
        text_put(stdout, caller);
    }
    print_holds(holds, moment);
    putchar('\n');
}

static void put_holds(struct json *json, const struct holds *holds, const struct moment *moment)
{
    size_t after = holds->count;
    const char *name;
    json_key(json, "holds");
    json_open(json, '[');
    while ((name = holds_next(holds, moment->thread, moment->ns, &after)) != NULL)
        json_text(json, name, 4096);
    json_close(json, ']');
}

static void print_json(const struct history *history, const struct holds *holds, size_t first)
{
    static const char *const kinds[] = {"allocated", "call", "neighbour", "freed",
                                        "wrong",     "said", "value"};
    struct json json = {.out = stdout};
    json_open(&json, '[');
    for (size_t i = first; i < history->moments_count; i++) {
        const struct moment *moment = &history->moments[i];
        const struct run_thread *thread = thread_of(history->view, moment->thread);
        json_open(&json, '{');
        json_key(&json, "ns");
        json_integer(&json, moment->ns);
        json_key(&json, "what");
        json_text(&json, kinds[moment->kind], 64);
        json_key(&json, "thread");
        json_text(&json, thread != NULL ? thread->name : NULL, 4096);
        json_key(&json, "call");
        json_integer(&json, moment->call);
        json_key(&json, "function");
        json_text(&json, name_of(history, moment_function(history, moment)), 4096);
        json_key(&json, "caller");
        json_text(&json, caller_of(history, moment), 4096);
        put_holds(&json, holds, moment);
        json_key(&json, "changes");
        json_raw(&json, moment->changes ? "true" : "false");
        json_key(&json, "stale");
        json_raw(&json, is_wrong(moment) ? "true" : "false");
        json_key(&json, "text");
        json_text(&json, moment->text, 65536);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    putchar('\n');
}

/* Drops what came after the call was entered. 0, or 2 if there is no such call. */
static int cut(struct history *history, int64_t call)
{
    sqlite3_stmt *row =
        database_ask(history->view->database, "SELECT enter_ns FROM calls WHERE id = ?1");
    if (row == NULL)
        return 2;
    sqlite3_bind_int64(row, 1, call);
    int64_t ns = database_integer(row, -1);
    if (ns < 0)
        return fail("--until %lld: there is no such call", (long long)call);
    while (history->moments_count > 0 && history->moments[history->moments_count - 1].ns > ns)
        sqlite3_free(history->moments[--history->moments_count].text);
    return 0;
}

static void print(const struct history *history, const struct holds *holds,
                  const struct request *request)
{
    size_t count = history->moments_count;
    size_t first = request->last > 0 && request->last < count ? count - request->last : 0;
    if (request->json) {
        print_json(history, holds, first);
        return;
    }
    printf("%14s      %-16s %10s  what\n", "at", "thread", "call");
    for (size_t i = first; i < count && !ferror(stdout); i++)
        print_moment(history, holds, &history->moments[i]);
    if (first > 0)
        printf("(%zu earlier rows are left out)\n", first);
}

static int answer(struct history *history, const struct request *request)
{
    must(request->what != NULL);
    int status = call_values_open(&history->values, history->view);
    bool is_value = strcmp(request->what, "value") == 0;
    if (status != 0)
        return status;
    if (is_value)
        status = history_of_value(history, request->which, request->is);
    else if (strcmp(request->what, "block") == 0)
        status = history_of_block(history, request->which);
    else
        status = history_of_call(history, request->which);
    if (status == 0 && !is_value)
        status = history_find(history);
    if (status == 0 && request->until_call > 0)
        status = cut(history, request->until_call);
    if (status != 0)
        return status;
    if (!is_value && history->values.parameters_count == 0)
        note("no arguments were recorded, so no call is known to be passed the object: `fisql "
             "record "
             "--values` does it");
    struct holds holds;
    status = holds_open(&holds, history->view);
    if (status == 0)
        print(history, &holds, request);
    holds_release(&holds);
    return status;
}

int cmd_history(int argc, char **argv)
{
    struct request request = {.last = 0};
    struct run_view view = {0};
    struct history history = {.view = &view};
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    sqlite3 *database = database_open(request.path);
    status = 2;
    if (database != NULL && whole_calls_open(&database, request.path, "history", 0, 0) &&
        run_has_calls(database, request.path, "history"))
        status = run_view_open(&view, database, NAMES_SHORT, MEASURE_CPU);
    if (status == 0) {
        database_say_state(database, request.path);
        status = answer(&history, &request);
    }
    history_release(&history);
    run_view_release(&view);
    sqlite3_close(database);
    return status;
}
