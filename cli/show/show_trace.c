/*
 * The calls of a run as text: see show_trace.h.
 *
 * Each thread has a cursor on its calls and one on its allocations; the thread with the earliest
 * next item goes on. Memory is one row a thread. Many threads would need too many open cursors, so
 * they are printed one after another.
 */
#include "cli/show/show_trace.h"

#include "base/array.h"
#include "base/parts.h"
#include "cli/run/call_times.h"
#include "cli/run/database.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_TOGETHER = 256 };

/* The run that is shown. */
struct source {
    struct cut_view *cut;
    struct call_times times;
    const struct show_trace_request *request;
    bool colour;
    FILE *out;
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

/* show_trace.sql */
extern const char show_trace_sql_allocs[], show_trace_sql_marks[];

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
                     const struct run_thread *thread, const struct show_trace_request *request,
                     const bool *wanted)
{
    *lane = (struct lane){.more = false};
    char *name = text_shown(thread->name, strlen(thread->name));
    if (name == NULL)
        return fail("out of memory");
    snprintf(lane->label, sizeof lane->label, "%.*s", (int)text_fits(name, 15), name);
    free(name);
    lane->label_pad = 15 - text_width(lane->label);
    int status = call_cursor_open(&lane->cursor, view, thread, &request->cut, wanted);
    if (status != 0 || (status = next_call(lane)) != 0)
        return status;
    status =
        begin_rows(view, show_trace_sql_marks, marks_name, thread, &request->cut, &lane->marks);
    if (status == 0)
        status = next_mark(lane);
    if (status == 0 && !request->no_allocs)
        status = begin_rows(view, show_trace_sql_allocs, allocs_name, thread, &request->cut,
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

static void print_time(FILE *out, double ns, int width)
{
    char text[32];
    output_time(ns, text, sizeof text);
    fprintf(out, "%*s", width, text);
}

/* "int ", or "char *"; nothing unless types are asked for, and known. */
static void put_result_type(FILE *out, const struct call_values *values, uint32_t function)
{
    const char *type = values->types ? call_values_result_type(values, function) : NULL;
    if (type == NULL)
        return;
    text_put(out, type);
    fputs(ends_with(type, "*") ? "" : " ", out);
}

/* 0, or 2 after saying what is wrong. */
static int print_call(struct source *source, const struct lane *lane)
{
    FILE *out = source->out;
    bool colour = source->colour;
    static const char *const endings[] = {"", "  (unwound)", "  (still open)",
                                          "  (its exit was lost)"};
    const struct shown_call *call = &lane->call;
    const struct run_view *view = &source->cut->run;
    uint32_t number = view->frames[call->frame].function;
    const struct run_function *function = &view->functions[number];
    char place[256];
    char *shown = call_values_text(&source->cut->values, number, call->id);
    if (shown == NULL)
        return 2;
    run_place(function, place, sizeof place);
    fprintf(out, "%14.3f us ", (double)call->began_ns / 1e3);
    int64_t ns = call_times_of(&source->times, call->id, call->descendants, call->duration_ns);
    if (call->untimed)
        fprintf(out, "%10s", "-");
    else
        print_time(out, (double)ns, 10);
    fprintf(out, "  %s%*s  %*s", lane->label, lane->label_pad, "",
            (int)(2 * (call->depth < 60 ? call->depth : 60)), "");
    put_result_type(out, &source->cut->values, number);
    fputs(colour ? "\033[1m" : "", out);
    text_put(out, function->name);
    fputs(colour ? "\033[0m" : "", out);
    text_put(out, shown);
    sqlite3_free(shown);
    fputs(colour ? "\033[2m  " : "  ", out);
    text_put(out, place);
    fputs(colour ? "\033[0m" : "", out);
    fprintf(out, "%s\n", call->ended > 0 && call->ended <= 3 ? endings[call->ended] : "");
    return 0;
}

static void print_alloc(const struct source *source, const struct lane *lane, int depth)
{
    FILE *out = source->out;
    bool colour = source->colour;
    sqlite3_stmt *row = lane->allocs;
    char size[32], life[48] = ", not freed";
    int64_t alloc_ns = sqlite3_column_int64(row, 0);
    output_bytes(sqlite3_column_double(row, 3), size, sizeof size);
    if (sqlite3_column_type(row, 4) != SQLITE_NULL) {
        char text[32];
        output_time(sqlite3_column_double(row, 4) - (double)alloc_ns, text, sizeof text);
        snprintf(life, sizeof life, ", freed after %s", text);
    }
    fprintf(out, "%14.3f us %10s  %s%*s  %*s%s+ ", (double)alloc_ns / 1e3, "", lane->label,
            lane->label_pad, "", 2 * depth, "", colour ? "\033[32m" : "");
    text_put(out, (const char *)sqlite3_column_text(row, 2));
    fprintf(out, " %s%s%s\n", size, life, colour ? "\033[0m" : "");
}

static void print_mark(const struct source *source, const struct lane *lane, int depth)
{
    FILE *out = source->out;
    bool colour = source->colour;
    const char *mark = (const char *)sqlite3_column_text(lane->marks, 3);
    const char *shade = mark != NULL && mark[0] == '!' ? "\033[31m" : "\033[36m";
    fprintf(out, "%14.3f us %10s  %s%*s  %*s%s%s ",
            (double)sqlite3_column_int64(lane->marks, 0) / 1e3, "", lane->label, lane->label_pad,
            "", 2 * depth, "", colour ? shade : "", mark != NULL ? mark : "");
    text_put(out, (const char *)sqlite3_column_text(lane->marks, 2));
    fputs(colour ? "\033[0m\n" : "\n", out);
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

static int lane_step(struct lane *lane, struct source *source, long *calls)
{
    const struct show_trace_request *request = source->request;
    if (mark_is_next(lane)) {
        int depth = depth_of(lane, lane->marks, &request->cut);
        if (depth >= 0)
            print_mark(source, lane, depth);
        return next_mark(lane);
    }
    if (alloc_is_next(lane)) {
        int depth = depth_of(lane, lane->allocs, &request->cut);
        if (depth >= 0)
            print_alloc(source, lane, depth);
        return next_alloc(lane);
    }
    int status = open_call(lane);
    if (status == 0)
        status = print_call(source, lane);
    if (status == 0) {
        ++*calls;
        status = next_call(lane);
    }
    return status;
}

static int print_lanes(struct lane *lanes, size_t count, struct source *source, long *calls)
{
    const struct show_trace_request *request = source->request;
    int status = 0;
    while (status == 0 && !ferror(source->out)) {
        struct lane *first = NULL;
        for (size_t i = 0; i < count; i++)
            if ((lanes[i].more || lanes[i].more_allocs || lanes[i].more_marks) &&
                (first == NULL || lane_time(&lanes[i]) < lane_time(first)))
                first = &lanes[i];
        if (first == NULL || (request->limit > 0 && *calls >= request->limit && first->more &&
                              !alloc_is_next(first) && !mark_is_next(first)))
            break;
        status = lane_step(first, source, calls);
    }
    return status;
}

static int print_trace(struct source *source)
{
    const struct show_trace_request *request = source->request;
    const struct run_view *view = &source->cut->run;
    struct lane *lanes = calloc(THREADS_TOGETHER, sizeof *lanes);
    size_t count = 0, chosen = 0;
    long calls = 0;
    int status = lanes == NULL ? fail("out of memory") : 0;
    for (size_t i = 0; i < view->threads_count; i++)
        chosen += call_cut_has_thread(&request->cut, &view->threads[i]);
    if (chosen > THREADS_TOGETHER)
        note("%zu threads are printed one after another", chosen);
    for (size_t i = 0; status == 0 && i < view->threads_count; i++) {
        const struct run_thread *thread = &view->threads[i];
        if (!call_cut_has_thread(&request->cut, thread) || thread->first_call == 0)
            continue;
        status = lane_open(&lanes[count++], view, thread, source->request, source->cut->wanted);
        if (chosen <= THREADS_TOGETHER || status != 0)
            continue;
        status = print_lanes(lanes, 1, source, &calls);
        lane_close(&lanes[0]);
        count = 0;
    }
    if (status == 0 && count > 0)
        status = print_lanes(lanes, count, source, &calls);
    while (count > 0)
        lane_close(&lanes[--count]);
    free(lanes);
    if (status == 0 && request->limit > 0 && calls >= request->limit)
        note("stopped after %ld calls (--limit)", calls);
    return status;
}

int show_trace(struct cut_view *cut, const struct show_trace_request *request, FILE *out)
{
    struct source source = {.cut = cut, .request = request, .out = out};
    int status = call_times_open(&source.times, cut->database, MEASURE_WALL);
    if (status == 0) {
        source.colour = out == stdout && colour_start(request->colour);
        cut->values.types = request->types;
        if (request->types && cut->values.parameters_count == 0)
            note("--types: no values were recorded: fisql record --values");
        status = print_trace(&source);
    }
    call_times_close(&source.times);
    return status;
}
