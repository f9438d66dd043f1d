/*
 * A window of the timeline.
 *
 * A drawing of so many pixels needs the calls that are a pixel long or longer, however many there
 * are in all. `fisql load` lists each thread's long calls by classes of their durations (long_calls):
 * those of class c last less than 4^c ns, so the ones in a window begin at most so long before it,
 * and a scan of each class from there on finds them all. What is shorter than the list goes is read
 * from the rows of calls, where the window has few: ids are in the order of entries, so a binary
 * search finds its first and its last one, and the calls that are open at its begin are those around
 * the last call before it. What is too short to be drawn is in `slices`.
 */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

#include "base/array.h"
#include "base/intern.h"
#include "cli/run/run_view.h"
#include "cli/serve/by_time.h"
#include "cli/serve/function_names.h"

#include <stdlib.h>

/* api_timeline.sql */
extern const char api_timeline_sql_threads[], api_timeline_sql_thread[], api_timeline_sql_rows[],
    api_timeline_sql_around[], api_timeline_sql_long[], api_timeline_sql_slices[],
    api_timeline_sql_gaps[], api_timeline_sql_end[];

enum {
    PIXELS = 1000,
    PIXELS_MAX = 8000,
    LANES = 100,
    LANES_MAX = 1000,
    ROWS_READ_MAX = 100000, /* of calls, in a window: some 30 ms */
    ROWS_ALL_MAX = 4000,    /* of so many all are given */
    CALLS_MAX = 60000,      /* given, in all lanes */
    LANE_CALLS_MIN = 1000,
    CLASSES = 32,
    GAPS_MAX = 2000
};

struct one_call {
    int64_t id, enter_ns, duration_ns, depth, function_id;
};

struct window {
    struct quick *quick;
    int64_t from_ns, to_ns, pixel_ns, slice_ns;
    size_t lane_calls_max;
    struct {
        sqlite3_stmt *at, *rows, *around, *longer, *slices, *gaps;
    } ask;
    struct one_call *calls; /* of the present lane; owned */
    size_t count, capacity;
    struct intern functions; /* that are named; the second key is 0 */
    bool short_of_memory;
};

struct lane {
    int64_t id, first_id, last_id, calls, start_ns, end_ns, long_ns;
};

/* ---- calls ---- */

static void keep(struct window *window, sqlite3_stmt *row)
{
    if (array_reserve(&window->calls, &window->capacity, window->count + 1, NULL) != 0) {
        window->short_of_memory = true;
        return;
    }
    window->calls[window->count++] = (struct one_call){.id = sqlite3_column_int64(row, 0),
                                                       .enter_ns = sqlite3_column_int64(row, 1),
                                                       .duration_ns = sqlite3_column_int64(row, 2),
                                                       .depth = sqlite3_column_int64(row, 3),
                                                       .function_id = sqlite3_column_int64(row, 4)};
}

/* Keeps the statement's rows, and resets it. */
static void keep_all(struct window *window, sqlite3_stmt *rows)
{
    while (window->count <= window->lane_calls_max && quick_row(window->quick, rows))
        keep(window, rows);
    sqlite3_reset(rows);
}

static int by_id(const void *left, const void *right)
{
    const struct one_call *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Calls of a window with few rows: those that take least_ns or longer. */
static void read_rows(struct window *window, const struct lane *lane, int64_t first, int64_t last,
                      int64_t least_ns)
{
    sqlite3_bind_int64(window->ask.around, 1, first - 1);
    sqlite3_bind_int64(window->ask.around, 2, window->from_ns);
    sqlite3_bind_int64(window->ask.around, 3, least_ns);
    sqlite3_bind_int64(window->ask.around, 4, lane->first_id);
    keep_all(window, window->ask.around);
    sqlite3_bind_int64(window->ask.rows, 1, first);
    sqlite3_bind_int64(window->ask.rows, 2, last);
    sqlite3_bind_int64(window->ask.rows, 3, least_ns);
    keep_all(window, window->ask.rows);
}

/* Calls of the list of long ones. */
static void read_long(struct window *window, const struct lane *lane, int64_t least_ns)
{
    int first_class = 0;
    while (first_class < CLASSES - 1 && (int64_t)1 << 2 * first_class <= least_ns)
        first_class++;
    sqlite3_stmt *rows = window->ask.longer;
    for (int class = first_class; class < CLASSES && window->quick->problem == NULL; class ++) {
        int64_t length_ns = class >= 31 ? INT64_MAX : (int64_t)1 << 2 * class;
        sqlite3_bind_int64(rows, 1, lane->id);
        sqlite3_bind_int64(rows, 2, class);
        sqlite3_bind_int64(rows, 3, length_ns > window->from_ns ? 0 : window->from_ns - length_ns);
        sqlite3_bind_int64(rows, 4, window->to_ns);
        sqlite3_bind_int64(rows, 5, window->from_ns);
        sqlite3_bind_int64(rows, 6, least_ns);
        keep_all(window, rows);
    }
    if (window->count > 0)
        qsort(window->calls, window->count, sizeof *window->calls, by_id);
}

/* Reads what is to be drawn; *least_ns gets what it is at least long. Returns whether these are all
 * calls of the window. */
static bool read_calls(struct window *window, const struct lane *lane, int64_t first, int64_t last,
                       int64_t *least_ns)
{
    int64_t rows = last - first + 1;
    bool by_rows =
        rows <= ROWS_READ_MAX && (window->pixel_ns < lane->long_ns || rows <= ROWS_ALL_MAX);
    *least_ns = by_rows && rows <= ROWS_ALL_MAX ? 0 : window->pixel_ns;
    if (!by_rows && *least_ns < lane->long_ns)
        *least_ns = lane->long_ns;
    for (;;) {
        window->count = 0;
        if (by_rows)
            read_rows(window, lane, first, last, *least_ns);
        else
            read_long(window, lane, *least_ns);
        if (window->count <= window->lane_calls_max || window->quick->problem != NULL ||
            *least_ns > INT64_MAX / 8)
            return *least_ns == 0;
        *least_ns = *least_ns > 0 ? 4 * *least_ns : window->pixel_ns + 1;
    }
}

/* ---- writing ---- */

static void name_function(struct window *window, int64_t id)
{
    uint32_t index;
    if (id > 0 && intern_add(&window->functions, (uint64_t)id, 0, &index, NULL) != 0)
        window->short_of_memory = true;
}

static void write_column(struct window *window, const char *key, size_t offset)
{
    struct json *json = &window->quick->answer.json;
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < window->count; i++)
        json_integer(json, *(const int64_t *)((const char *)&window->calls[i] + offset));
    json_close(json, ']');
}

static void write_calls(struct window *window)
{
    struct json *json = &window->quick->answer.json;
    json_key(json, "calls");
    json_open(json, '{');
    write_column(window, "id", offsetof(struct one_call, id));
    write_column(window, "enter_ns", offsetof(struct one_call, enter_ns));
    write_column(window, "duration_ns", offsetof(struct one_call, duration_ns));
    write_column(window, "depth", offsetof(struct one_call, depth));
    write_column(window, "function_id", offsetof(struct one_call, function_id));
    json_close(json, '}');
    for (size_t i = 0; i < window->count; i++)
        name_function(window, window->calls[i].function_id);
}

/* Rows of a statement as lists of numbers; the function whose column that is gets its name. */
static void write_rows(struct window *window, const char *key, sqlite3_stmt *rows,
                       int function_column)
{
    struct json *json = &window->quick->answer.json;
    json_key(json, key);
    json_open(json, '[');
    while (quick_row(window->quick, rows)) {
        json_open(json, '[');
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            json_column(json, rows, i, 0);
        json_close(json, ']');
        if (function_column >= 0)
            name_function(window, sqlite3_column_int64(rows, function_column));
    }
    json_close(json, ']');
    sqlite3_reset(rows);
}

static void write_slices(struct window *window, const struct lane *lane)
{
    int64_t slice_ns = window->slice_ns > 0 ? window->slice_ns : 1;
    sqlite3_bind_int64(window->ask.slices, 1, lane->id);
    sqlite3_bind_int64(window->ask.slices, 2, window->from_ns / slice_ns);
    sqlite3_bind_int64(window->ask.slices, 3, window->to_ns / slice_ns);
    write_rows(window, "slices", window->ask.slices, 3);
}

static void write_gaps(struct window *window, int64_t first, int64_t last)
{
    int64_t outermost = window->count > 0 ? window->calls[0].id : first;
    sqlite3_bind_int64(window->ask.gaps, 1, outermost < first ? outermost : first);
    sqlite3_bind_int64(window->ask.gaps, 2, last);
    sqlite3_bind_int64(window->ask.gaps, 3, window->from_ns);
    sqlite3_bind_int64(window->ask.gaps, 4, window->to_ns);
    sqlite3_bind_int64(window->ask.gaps, 5, GAPS_MAX);
    write_rows(window, "gaps", window->ask.gaps, -1);
}

static void write_number(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_integer(json, value);
}

static void write_lane(struct window *window, const struct lane *lane)
{
    struct json *json = &window->quick->answer.json;
    bool within = window->from_ns <= lane->start_ns && window->to_ns >= lane->end_ns;
    int64_t first = within ? lane->first_id
                           : by_time_first(window->quick, window->ask.at, lane->first_id,
                                           lane->last_id, window->from_ns);
    int64_t last = within ? lane->last_id
                          : by_time_first(window->quick, window->ask.at, lane->first_id,
                                          lane->last_id, window->to_ns + 1) -
                                1;
    int64_t least_ns;
    bool whole = read_calls(window, lane, first, last, &least_ns);
    json_open(json, '{');
    write_number(json, "thread", lane->id);
    write_number(json, "entered", last - first + 1);
    write_number(json, "least_ns", least_ns);
    write_number(json, "whole", whole);
    write_calls(window);
    write_slices(window, lane);
    if (whole)
        write_gaps(window, first, last);
    json_close(json, '}');
}

/* ---- the answer ---- */

static void prepare(struct window *window)
{
    struct quick *quick = window->quick;
    window->ask.at = by_time_calls(quick);
    window->ask.rows = quick_prepare(quick, api_timeline_sql_rows);
    window->ask.around = quick_prepare(quick, api_timeline_sql_around);
    window->ask.longer = quick_prepare(quick, api_timeline_sql_long);
    window->ask.slices = quick_prepare(quick, api_timeline_sql_slices);
    window->ask.gaps = quick_prepare(quick, api_timeline_sql_gaps);
}

static void release(struct window *window)
{
    sqlite3_finalize(window->ask.at);
    sqlite3_finalize(window->ask.rows);
    sqlite3_finalize(window->ask.around);
    sqlite3_finalize(window->ask.longer);
    sqlite3_finalize(window->ask.slices);
    sqlite3_finalize(window->ask.gaps);
    intern_release(&window->functions);
    free(window->calls);
}

/* The end of the run, and the length of slices; to_ns < 0 becomes that end. */
static void read_run(struct window *window)
{
    sqlite3_stmt *row = quick_prepare(window->quick, api_timeline_sql_end);
    if (quick_row(window->quick, row)) {
        if (window->to_ns < 0)
            window->to_ns = run_within(sqlite3_column_int64(row, 0), 0, RUN_NS_MAX);
        window->slice_ns = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
}

static void write_lanes(struct window *window, int64_t thread, int64_t lanes_max)
{
    struct json *json = &window->quick->answer.json;
    sqlite3_stmt *threads = quick_prepare(window->quick, thread > 0 ? api_timeline_sql_thread
                                                                    : api_timeline_sql_threads);
    if (threads != NULL)
        sqlite3_bind_int64(threads, 1, thread > 0 ? thread : lanes_max);
    json_key(json, "threads");
    json_open(json, '[');
    while (quick_row(window->quick, threads)) {
        const struct lane lane = {.id = sqlite3_column_int64(threads, 0),
                                  .first_id = run_call_id(threads, 1),
                                  .last_id = run_call_id(threads, 2),
                                  .calls = sqlite3_column_int64(threads, 3),
                                  .start_ns = sqlite3_column_int64(threads, 4),
                                  .end_ns = sqlite3_column_int64(threads, 5),
                                  .long_ns = sqlite3_column_int64(threads, 6)};
        window->lane_calls_max = (size_t)(CALLS_MAX / sqlite3_column_int64(threads, 7));
        if (window->lane_calls_max < LANE_CALLS_MIN)
            window->lane_calls_max = LANE_CALLS_MIN;
        write_lane(window, &lane);
    }
    json_close(json, ']');
    sqlite3_finalize(threads);
}

enum MHD_Result api_timeline(struct request *request)
{
    struct quick quick;
    struct window window = {.quick = &quick};
    int64_t pixels, thread, lanes;
    if (!request_integer(request, "from", 0, INT64_MAX / 2, 0, &window.from_ns) ||
        !request_integer(request, "to", 0, INT64_MAX / 2, -1, &window.to_ns) ||
        !request_integer(request, "pixels", 1, PIXELS_MAX, PIXELS, &pixels) ||
        !request_integer(request, "thread", 1, INT64_MAX, 0, &thread) ||
        !request_integer(request, "threads", 1, LANES_MAX, LANES, &lanes))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "from, to, pixels (1 to %d), thread, threads (1 to %d): want numbers",
                             PIXELS_MAX, LANES_MAX);
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    struct json *json = &quick.answer.json;
    read_run(&window);
    if (window.to_ns < window.from_ns)
        window.to_ns = window.from_ns;
    window.pixel_ns = (window.to_ns - window.from_ns) / pixels;
    prepare(&window);
    json_open(json, '{');
    write_number(json, "from", window.from_ns);
    write_number(json, "to", window.to_ns);
    write_number(json, "pixel_ns", window.pixel_ns);
    write_number(json, "slice_ns", window.slice_ns);
    if (quick.problem == NULL)
        write_lanes(&window, thread, lanes);
    function_names_write(window.quick, "functions", &window.functions);
    json_close(json, '}');
    if (window.short_of_memory)
        quick.problem = "out of memory";
    release(&window);
    return quick_end(&quick);
}
#else
extern const int api_timeline_is_not_built_in; /* ISO C forbids an empty file */
#endif
