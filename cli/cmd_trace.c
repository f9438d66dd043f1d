/*
 * fisql trace: the calls of a run one after another, all threads together in the order of time.
 *
 * Each thread has a cursor on its calls and one on its allocations; the thread with the earliest
 * next item goes on. Memory is one row a thread. Many threads would need too many open cursors, so
 * they are printed one after another.
 */
#include "base/array.h"
#include "base/parts.h"
#include "cli/live/live_trace.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/colour.h"
#include "cli/run/call_cursor.h"
#include "cli/run/call_times.h"
#include "cli/run/cut_view.h"
#include "cli/commands.h"
#include "cli/run/database.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql trace [OPTION...] [DB]\n"
    "       fisql trace --follow [OPTION...] [PID|RUN.bin]\n"
    "\n"
    "Prints the calls of a run (DB: run.db) one after another, indented by depth: when a call was\n"
    "entered since the run's start, how long it took without the recording's own cost, its "
    "thread,\n"
    "the function with its arguments and its result (`fisql record --values`), the blocks that it\n"
    "allocated, what the program said then (*), calls made to fail (!), pauses (=), and where the\n"
    "recording itself took 100 us and more (~). Calls of all threads are sorted by time.\n"
    "\n" CUT_HELP "      --no-allocs          leave out the blocks allocated\n"
    "      --types              functions with the types of their results and parameters, where "
    "values\n"
    "                           were recorded (`fisql record --values`)\n"
    "      --limit N            at most N calls\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "      --wide               the same as --demangle full\n"
    "      --color WHEN         " COLOUR_HELP "\n"
    "      --follow             what a running program calls and says from now on, until its "
    "recording\n"
    "                           ends: PID is the program's or its recorder's, RUN.bin the log "
    "being\n"
    "                           written. A line beginning with < is the end of a call. If the "
    "program\n"
    "                           is faster than the output, calls are left out, and counted\n"
    "      --level N            with --follow: of what macros say, that up to level N\n"
    "      --no-calls           with --follow: messages and checkpoints alone\n"
    "\n"
    "On a terminal the output goes through $PAGER, except with --follow. With --follow, "
    "--function,\n"
    "--thread, --depth, --limit and --demangle choose what is shown.\n"
    "\n"
    "examples: fisql trace --function main --depth 3\n"
    "          fisql trace --within 2 --min-duration 1us\n"
    "          fisql trace --since 10us --until 1.5s --min-duration 1us\n"
    "          fisql trace --follow --function 'parse*' $(pgrep app)\n";

enum { THREADS_TOGETHER = 256 };

struct options {
    struct call_cut cut;
    enum name_style style;
    long limit;
    bool no_allocs, types, colour;
    bool follow, no_calls;
    int64_t level; /* 0 = all */
    enum colour when;
    const char *path;
};

/* The run that is shown. */
struct source {
    struct cut_view cut;
    struct call_times times;
};

struct open_end {
    int64_t id, last_id; /* of a call, and the last one within it */
};

/* A thread that is being printed. */
struct lane {
    char label[64]; /* the thread's name, as it is shown, cut to 15 columns */
    int label_pad;
    struct call_cursor cursor;
    struct shown_call call; /* the next one */
    bool more;
    sqlite3_stmt *allocs, *marks;
    bool more_allocs, more_marks;
    struct open_end *ends; /* the printed calls that are open */
    size_t ends_count, ends_capacity;
};

/* cmd_trace.sql */
extern const char cmd_trace_sql_allocs[], cmd_trace_sql_marks[];

static const char allocs_name[] = "the allocations", marks_name[] = "the notes and faults";

/* Begins to read a thread's rows in the span. Returns 0, or 2 after saying what is wrong. */
static int begin_rows(const struct run_view *view, const char *sql, const char *what,
                      const struct run_thread *thread, const struct call_cut *cut,
                      sqlite3_stmt **rows)
{
    if (sqlite3_prepare_v2(view->database, sql, -1, rows, NULL) != SQLITE_OK)
        return fail("%s cannot be read: %s", what, sqlite3_errmsg(view->database));
    sqlite3_bind_int64(*rows, 1, thread->id);
    sqlite3_bind_int64(*rows, 2, cut->since_ns);
    sqlite3_bind_int64(*rows, 3, cut->until_ns);
    return 0;
}

/* Takes the next row, if there are rows: *more says whether it is there. */
static int next_row(sqlite3_stmt **rows, const char *what, bool *more)
{
    int result = *rows != NULL ? sqlite3_step(*rows) : SQLITE_DONE;
    *more = result == SQLITE_ROW;
    if (result == SQLITE_ROW || result == SQLITE_DONE)
        return 0;
    result = database_rows_end(*rows, what);
    *rows = NULL;
    return result;
}

static int next_mark(struct lane *lane)
{
    return next_row(&lane->marks, marks_name, &lane->more_marks);
}

static int next_alloc(struct lane *lane)
{
    return next_row(&lane->allocs, allocs_name, &lane->more_allocs);
}

static int next_call(struct lane *lane)
{
    int got = call_cursor_next(&lane->cursor, &lane->call);
    lane->more = got == 1;
    return got < 0 ? 2 : 0;
}

static int lane_open(struct lane *lane, const struct run_view *view,
                     const struct run_thread *thread, const struct options *options,
                     const bool *wanted)
{
    *lane = (struct lane){.more = false};
    char *name = text_shown(thread->name, strlen(thread->name));
    if (name == NULL)
        return fail("out of memory");
    snprintf(lane->label, sizeof lane->label, "%.*s", (int)text_fits(name, 15), name);
    free(name);
    lane->label_pad = 15 - text_width(lane->label);
    int status = call_cursor_open(&lane->cursor, view, thread, &options->cut, wanted);
    if (status != 0 || (status = next_call(lane)) != 0)
        return status;
    status = begin_rows(view, cmd_trace_sql_marks, marks_name, thread, &options->cut, &lane->marks);
    if (status == 0)
        status = next_mark(lane);
    if (status == 0 && !options->no_allocs)
        status = begin_rows(view, cmd_trace_sql_allocs, allocs_name, thread, &options->cut,
                            &lane->allocs);
    return status != 0 ? status : next_alloc(lane);
}

static void lane_close(struct lane *lane)
{
    call_cursor_close(&lane->cursor);
    sqlite3_finalize(lane->allocs);
    sqlite3_finalize(lane->marks);
    free(lane->ends);
}

static void print_time(double ns, int width)
{
    char text[32];
    output_time(ns, text, sizeof text);
    printf("%*s", width, text);
}

/* "int ", or "char *"; nothing unless types are asked for, and known. */
static void put_result_type(const struct call_values *values, uint32_t function)
{
    const char *type = values->types ? call_values_result_type(values, function) : NULL;
    if (type == NULL)
        return;
    text_put(stdout, type);
    fputs(ends_with(type, "*") ? "" : " ", stdout);
}

/* 0, or 2 after saying what is wrong. */
static int print_call(struct source *source, const struct lane *lane, bool colour)
{
    static const char *const endings[] = {"", "  (unwound)", "  (still open)",
                                          "  (its exit was lost)"};
    const struct shown_call *call = &lane->call;
    const struct run_view *view = &source->cut.run;
    uint32_t number = view->frames[call->frame].function;
    const struct run_function *function = &view->functions[number];
    char place[256];
    char *shown = call_values_text(&source->cut.values, number, call->id);
    if (shown == NULL)
        return 2;
    run_place(function, place, sizeof place);
    printf("%14.3f us ", (double)call->began_ns / 1e3);
    print_time(
        (double)call_times_of(&source->times, call->id, call->descendants, call->duration_ns), 10);
    printf("  %s%*s  %*s", lane->label, lane->label_pad, "",
           (int)(2 * (call->depth < 60 ? call->depth : 60)), "");
    put_result_type(&source->cut.values, number);
    fputs(colour ? "\033[1m" : "", stdout);
    text_put(stdout, function->name);
    fputs(colour ? "\033[0m" : "", stdout);
    text_put(stdout, shown);
    sqlite3_free(shown);
    fputs(colour ? "\033[2m  " : "  ", stdout);
    text_put(stdout, place);
    fputs(colour ? "\033[0m" : "", stdout);
    puts(call->ended > 0 && call->ended <= 3 ? endings[call->ended] : "");
    return 0;
}

static void print_alloc(const struct lane *lane, int depth, bool colour)
{
    sqlite3_stmt *row = lane->allocs;
    char size[32], life[48] = ", not freed";
    int64_t alloc_ns = sqlite3_column_int64(row, 0);
    output_bytes(sqlite3_column_double(row, 3), size, sizeof size);
    if (sqlite3_column_type(row, 4) != SQLITE_NULL) {
        char text[32];
        output_time(sqlite3_column_double(row, 4) - (double)alloc_ns, text, sizeof text);
        snprintf(life, sizeof life, ", freed after %s", text);
    }
    printf("%14.3f us %10s  %s%*s  %*s%s+ ", (double)alloc_ns / 1e3, "", lane->label,
           lane->label_pad, "", 2 * depth, "", colour ? "\033[32m" : "");
    text_put(stdout, (const char *)sqlite3_column_text(row, 2));
    printf(" %s%s%s\n", size, life, colour ? "\033[0m" : "");
}

static void print_mark(const struct lane *lane, int depth, bool colour)
{
    const char *mark = (const char *)sqlite3_column_text(lane->marks, 3);
    const char *shade = mark != NULL && mark[0] == '!' ? "\033[31m" : "\033[36m";
    printf("%14.3f us %10s  %s%*s  %*s%s%s ", (double)sqlite3_column_int64(lane->marks, 0) / 1e3,
           "", lane->label, lane->label_pad, "", 2 * depth, "", colour ? shade : "",
           mark != NULL ? mark : "");
    text_put(stdout, (const char *)sqlite3_column_text(lane->marks, 2));
    puts(colour ? "\033[0m" : "");
}

/* The depth at which to show the next block or mark: below its call; -1 if that call is not shown
 * (too deep or too short) or not open. */
static int depth_of(const struct lane *lane, sqlite3_stmt *row, const struct call_cut *cut)
{
    int64_t call = sqlite3_column_int64(row, 1);
    if (sqlite3_column_type(row, 1) == SQLITE_NULL) /* outside of any call */
        return cut->within > 0 || cut->call > 0 ? -1 : 0;
    if (call < cut->call)
        return -1; /* the calls around it are shown to say where it was made */
    for (size_t i = lane->ends_count; i-- > 0;)
        if (lane->ends[i].id == call)
            return (int)(i < 60 ? i + 1 : 60);
    return -1;
}

/* Does a row of allocations or marks (its time, its call) come before the next call? */
static bool is_before_call(const struct lane *lane, sqlite3_stmt *row)
{
    int64_t ns = sqlite3_column_int64(row, 0);
    return !lane->more || ns < lane->call.began_ns ||
           (ns == lane->call.began_ns && sqlite3_column_int64(row, 1) < lane->call.id);
}

/* The lane's next item: an allocation if it comes before the next call. */
static bool alloc_is_next(const struct lane *lane)
{
    return lane->more_allocs && is_before_call(lane, lane->allocs);
}

/* The lane's next item: a mark if it also comes before the next allocation. */
static bool mark_is_next(const struct lane *lane)
{
    return lane->more_marks && is_before_call(lane, lane->marks) &&
           (!lane->more_allocs ||
            sqlite3_column_int64(lane->marks, 0) <= sqlite3_column_int64(lane->allocs, 0));
}

static int64_t lane_time(const struct lane *lane)
{
    if (mark_is_next(lane))
        return sqlite3_column_int64(lane->marks, 0);
    if (alloc_is_next(lane))
        return sqlite3_column_int64(lane->allocs, 0);
    return lane->more ? lane->call.began_ns : INT64_MAX;
}

/* Remembers an open call. */
static int open_call(struct lane *lane)
{
    const struct shown_call *call = &lane->call;
    while (lane->ends_count > 0 && lane->ends[lane->ends_count - 1].last_id < call->id)
        lane->ends_count--;
    if (array_reserve(&lane->ends, &lane->ends_capacity, lane->ends_count + 1, NULL) != 0)
        return fail("out of memory");
    lane->ends[lane->ends_count++] = (struct open_end){call->id, call->id + call->descendants};
    return 0;
}

static int lane_step(struct lane *lane, struct source *source, const struct options *options,
                     long *calls)
{
    if (mark_is_next(lane)) {
        int depth = depth_of(lane, lane->marks, &options->cut);
        if (depth >= 0)
            print_mark(lane, depth, options->colour);
        return next_mark(lane);
    }
    if (alloc_is_next(lane)) {
        int depth = depth_of(lane, lane->allocs, &options->cut);
        if (depth >= 0)
            print_alloc(lane, depth, options->colour);
        return next_alloc(lane);
    }
    int status = open_call(lane);
    if (status == 0)
        status = print_call(source, lane, options->colour);
    if (status == 0) {
        ++*calls;
        status = next_call(lane);
    }
    return status;
}

static int print_lanes(struct lane *lanes, size_t count, struct source *source,
                       const struct options *options, long *calls)
{
    int status = 0;
    while (status == 0 && !ferror(stdout)) {
        struct lane *first = NULL;
        for (size_t i = 0; i < count; i++)
            if ((lanes[i].more || lanes[i].more_allocs || lanes[i].more_marks) &&
                (first == NULL || lane_time(&lanes[i]) < lane_time(first)))
                first = &lanes[i];
        if (first == NULL || (options->limit > 0 && *calls >= options->limit && first->more &&
                              !alloc_is_next(first) && !mark_is_next(first)))
            break;
        status = lane_step(first, source, options, calls);
    }
    return status;
}

static int print_trace(struct source *source, const struct options *options)
{
    const struct run_view *view = &source->cut.run;
    struct lane *lanes = calloc(THREADS_TOGETHER, sizeof *lanes);
    size_t count = 0, chosen = 0;
    long calls = 0;
    int status = lanes == NULL ? fail("out of memory") : 0;
    for (size_t i = 0; i < view->threads_count; i++)
        chosen += call_cut_has_thread(&options->cut, &view->threads[i]);
    if (chosen > THREADS_TOGETHER)
        note("%zu threads are printed one after another", chosen);
    for (size_t i = 0; status == 0 && i < view->threads_count; i++) {
        const struct run_thread *thread = &view->threads[i];
        if (!call_cut_has_thread(&options->cut, thread) || thread->first_call == 0)
            continue;
        status = lane_open(&lanes[count++], view, thread, options, source->cut.wanted);
        if (chosen <= THREADS_TOGETHER || status != 0)
            continue;
        status = print_lanes(lanes, 1, source, options, &calls);
        lane_close(&lanes[0]);
        count = 0;
    }
    if (status == 0 && count > 0)
        status = print_lanes(lanes, count, source, options, &calls);
    while (count > 0)
        lane_close(&lanes[--count]);
    free(lanes);
    if (status == 0 && options->limit > 0 && calls >= options->limit)
        note("stopped after %ld calls (--limit)", calls);
    return status;
}

/* ---- a program that runs ---- */

/* The run of a pid or of a log, in `runs`. Returns 0, or 2 after saying that there is none. */
static int find_run(struct live_runs *runs, const char *word, pid_t *pid, struct live_run **run)
{
    bool number = word != NULL && word[0] != 0 && word[strspn(word, "0123456789")] == 0;
    *run = NULL;
    if (number && live_pid_parse(word, pid) != 0)
        return 2;
    int status = live_runs_find(runs, *pid, number || word == NULL);
    if (status != 0)
        return status;
    if (!number && word != NULL) {
        *run = live_runs_of_log(runs, word);
        return *run != NULL
                   ? 0
                   : fail("%s: nobody is recording into it: `fisql load` and `fisql trace` "
                          "show a finished recording; `fisql ps` lists those that run",
                          word);
    }
    if (runs->count == 0)
        return fail("trace: no program is being recorded; start one with `fisql record`");
    if (runs->count > 1) {
        status = fail("trace: %zu programs are being recorded: give the PID of one", runs->count);
        live_runs_say(runs);
        return status;
    }
    *run = &runs->items[0];
    return 0;
}

static int follow(struct options *options)
{
    const struct call_cut *cut = &options->cut;
    struct live_runs runs = {0};
    struct live_run *run;
    pid_t pid = 0;
    if (options->types || cut->since_ns != 0 || cut->until_ns != INT64_MAX || cut->within != 0 ||
        cut->call != 0 || cut->min_duration_ns != 0)
        return fail("trace: --follow cannot be used with --types, --since, --until, --within, "
                    "--call or --min-duration");
    int status = find_run(&runs, options->path, &pid, &run);
    if (status == 0) {
        const struct live_trace_options asked = {
            .pid = pid != run->recorder ? pid : 0,
            .function = cut->function,
            .thread = cut->thread,
            .depth = cut->depth_max,
            .level = (unsigned)options->level,
            .no_calls = options->no_calls,
            .colour = options->when == COLOUR_ALWAYS ||
                      (options->when == COLOUR_AUTO && isatty(STDOUT_FILENO) &&
                       getenv("NO_COLOR") == NULL),
            .style = options->style,
            .limit = options->limit,
        };
        status = live_trace(run, &asked);
    }
    live_runs_release(&runs);
    return status;
}

enum { NO_ALLOCS = 256, TYPES, LIMIT, DEMANGLE, WIDE, COLOR, FOLLOW, LEVEL, NO_CALLS };

static int set_option(struct options *options, const struct args *args)
{
    char *end;
    switch (args->code) {
    case NO_ALLOCS:
        options->no_allocs = true;
        return 0;
    case TYPES:
        options->types = true;
        return 0;
    case COLOR:
        return colour_parse(args, &options->when);
    case FOLLOW:
        options->follow = true;
        return 0;
    case NO_CALLS:
        options->no_calls = true;
        return 0;
    case LEVEL:
        return amount_count(args->value, &options->level) && options->level >= 1 &&
                       options->level <= (int64_t)FISQL_LEVEL_MAX
                   ? 0
                   : args_wrong(args, "a level from 1 to 5");
    case LIMIT:
        options->limit = strtol(args->value, &end, 10);
        return *end == '\0' && options->limit > 0 ? 0 : args_wrong(args, "a number of calls");
    case WIDE:
        options->style = NAMES_FULL;
        return 0;
    case DEMANGLE:
        return name_style_parse(args->value, &options->style)
                   ? 0
                   : args_wrong(args, "short, full or no");
    default:
        return call_cut_option(&options->cut, args);
    }
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"no-allocs", NO_ALLOCS, false},
                                               {"types", TYPES, false},
                                               {"limit", LIMIT, true},
                                               {"demangle", DEMANGLE, true},
                                               {"wide", WIDE, false},
                                               {"color", COLOR, true},
                                               {"follow", FOLLOW, false},
                                               {"level", LEVEL, true},
                                               {"no-calls", NO_CALLS, false},
                                               CUT_LONG_OPTIONS,
                                               {NULL, 0, false}};
    struct args args = {.command = "trace", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (!options->follow && (options->level != 0 || options->no_calls))
        return fail("trace: %s is for --follow", options->no_calls ? "--no-calls" : "--level");
    options->path = args_word(&args, options->follow ? NULL : "run.db");
    return args_end(&args);
}

int cmd_trace(int argc, char **argv)
{
    struct options options = {.cut = {.until_ns = INT64_MAX}, .style = NAMES_SHORT};
    struct source source = {.times = {.costs = NULL}};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    if (options.follow)
        return follow(&options);
    status = cut_view_open(&source.cut, options.path, "a trace", &options.cut, options.style,
                           MEASURE_CPU);
    if (status == 0)
        status = call_times_open(&source.times, source.cut.database, MEASURE_WALL);
    if (status == 0) {
        options.colour = colour_start(options.when);
        source.cut.values.types = options.types;
        if (options.types && source.cut.values.parameters_count == 0)
            note("--types: no values were recorded: fisql record --values");
        status = print_trace(&source, &options);
    }
    call_times_close(&source.times);
    cut_view_close(&source.cut);
    return status;
}
