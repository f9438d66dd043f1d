/*
 * The timeline in a report: for each thread its longest calls, notes, where the recording itself
 * took long, and where the thread was off the processor: the longest such gaps one by one, and what
 * the short ones come to, by slots.
 *
 * A call is never longer than the call around it, so the longest calls of a thread, ties going to
 * the smaller id, form a tree without gaps. One pass over the thread's rows finds them, with a heap
 * of the longest so far, whose least is the bar for further calls. SQLite itself compares rows with
 * the bar that was bound when the statement began; after as many rows as the heap holds, the
 * statement begins anew from there. A call below the bar is passed over with all calls in it, if
 * these are more than a few; other rows cost a comparison within SQLite alone.
 *
 * With many calls this takes as long as all other parts together. So it begins first, in a thread
 * with a connection of its own.
 *
 * The threads with the most calls get lanes. They share half of the calls evenly and half by their
 * numbers of calls, so that a quiet thread is seen beside a busy one.
 */
#include "cli/report/report_parts.h"

#include "base/heap.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"

#include <pthread.h>
#include <stdlib.h>

/* report_timeline.sql */
extern const char report_timeline_sql_threads[], report_timeline_sql_notes[],
    report_timeline_sql_gaps[], report_timeline_sql_calls[], report_timeline_sql_slot[],
    report_timeline_sql_short_gaps[], report_timeline_sql_recording[], report_timeline_sql_pauses[];

enum { LANES_MAX = 64, LANE_CALLS_MIN = 16 };
enum { PASSED_OVER_MIN = 16 }; /* calls within one: to begin anew takes as long as these */

struct long_call {
    int64_t id, frame_id, depth, enter_ns, duration_ns;
    int64_t function_id; /* once it is written */
};

/* The longest calls so far; the least of them is at the front once there is no more room. */
struct longest {
    struct long_call *items; /* owned */
    size_t count, room;
};

struct lane {
    int64_t thread_id, first_id, last_id, calls;
    struct longest longest;
};

struct timeline {
    sqlite3 *database; /* owned; the thread's until it is joined */
    long calls_max;
    struct lane lanes[LANES_MAX];
    int count, result; /* SQLITE_OK, or why the calls could not be read */
    bool threaded;
    pthread_t thread;
};

static bool is_less(const void *left, const void *right)
{
    const struct long_call *a = left, *b = right;
    return a->duration_ns != b->duration_ns ? a->duration_ns < b->duration_ns : a->id > b->id;
}

/* Reads rows of the lane from *from on that pass the bar, until as many as there is room for have
 * come by or the lane ends: *from is then beyond its end. */
static int scan(sqlite3_stmt *statement, struct lane *lane, int64_t *from)
{
    struct longest *longest = &lane->longest;
    int64_t bar = longest->count == longest->room ? longest->items[0].duration_ns : -1;
    size_t rows = 0;
    int result = SQLITE_ROW;
    sqlite3_bind_int64(statement, 1, *from);
    sqlite3_bind_int64(statement, 2, lane->last_id);
    sqlite3_bind_int64(statement, 3, bar);
    sqlite3_bind_int64(statement, 4, PASSED_OVER_MIN);
    while (rows < longest->room && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        struct long_call call = {.id = sqlite3_column_int64(statement, 0),
                                 .frame_id = sqlite3_column_int64(statement, 1),
                                 .depth = sqlite3_column_int64(statement, 2),
                                 .enter_ns = sqlite3_column_int64(statement, 3),
                                 .duration_ns = sqlite3_column_int64(statement, 4)};
        int64_t descendants = sqlite3_column_int64(statement, 5);
        *from = call.id + 1;
        if (call.duration_ns <= bar) {
            *from += run_within(descendants, 0, lane->last_id);
            break;
        }
        call.enter_ns = run_within(call.enter_ns, 0, RUN_NS_MAX);
        longest->count = heap_keep(longest->items, longest->count, longest->room, &call, is_less);
        rows++;
    }
    sqlite3_reset(statement);
    if (result == SQLITE_DONE)
        *from = lane->last_id + 1;
    return result == SQLITE_DONE || result == SQLITE_ROW ? SQLITE_OK : result;
}

static int by_id(const void *left, const void *right)
{
    const struct long_call *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Writes the calls as one array of numbers, five for each: id, depth, function, enter and duration.
 * Ids and enters are differences from those before. */
static int write_calls(struct report *report, struct longest *longest)
{
    struct json *json = &report->json;
    sqlite3_stmt *function = report_prepare(report, "SELECT function_id FROM frames WHERE id = ?1");
    if (function == NULL)
        return 2;
    int64_t last_id = 0, last_ns = 0;
    json_key(json, "data");
    json_open(json, '[');
    for (size_t i = 0; i < longest->count; i++) {
        struct long_call *call = &longest->items[i];
        sqlite3_bind_int64(function, 1, call->frame_id);
        int64_t function_id = database_row(function) ? sqlite3_column_int64(function, 0) : 0;
        sqlite3_reset(function);
        call->function_id = function_id;
        report_mark(report, MARK_FUNCTIONS, function_id);
        const int64_t values[] = {call->id - last_id, call->depth, function_id,
                                  call->enter_ns - last_ns, call->duration_ns};
        json_integers(json, values, sizeof values / sizeof values[0]);
        last_id = call->id;
        last_ns = call->enter_ns;
    }
    json_close(json, ']');
    sqlite3_finalize(function);
    return 0;
}

/* The lane's longest calls, in the order of ids. Returns an SQLite result. */
static int read_lane(sqlite3_stmt *statement, struct lane *lane, size_t calls_max)
{
    struct longest *longest = &lane->longest;
    longest->room = calls_max;
    longest->items = calloc(calls_max + 1, sizeof *longest->items);
    int result = longest->items != NULL ? SQLITE_OK : SQLITE_NOMEM;
    for (int64_t from = lane->first_id;
         result == SQLITE_OK && longest->room > 0 && from <= lane->last_id;)
        result = scan(statement, lane, &from);
    return result;
}

static int write_lane(struct report *report, struct lane *lane)
{
    struct json *json = &report->json;
    struct longest *longest = &lane->longest;
    bool complete = longest->count < longest->room || (int64_t)longest->count == lane->calls;
    json_open(json, '{');
    json_key(json, "thread_id");
    json_integer(json, lane->thread_id);
    json_key(json, "calls");
    json_integer(json, lane->calls);
    json_key(json, "least_ns");
    json_integer(json, complete || longest->count == 0 ? 0 : longest->items[0].duration_ns);
    qsort(longest->items, longest->count, sizeof *longest->items, by_id);
    int status = write_calls(report, longest);
    json_close(json, '}');
    return status;
}

/* The threads with the most calls, at most LANES_MAX. Returns an SQLite result. */
static int load_lanes(struct timeline *timeline, int64_t *calls)
{
    sqlite3_stmt *statement = NULL;
    int result =
        sqlite3_prepare_v2(timeline->database, report_timeline_sql_threads, -1, &statement, NULL);
    *calls = 0;
    if (result != SQLITE_OK)
        return result;
    sqlite3_bind_int(statement, 1, LANES_MAX);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW && timeline->count < LANES_MAX) {
        struct lane *lane = &timeline->lanes[timeline->count++];
        *lane = (struct lane){
            .thread_id = sqlite3_column_int64(statement, 0),
            .first_id = run_within(sqlite3_column_int64(statement, 1), 1, RUN_CALL_ID_MAX),
            .last_id = run_within(sqlite3_column_int64(statement, 2), 0, RUN_CALL_ID_MAX),
            .calls = sqlite3_column_int64(statement, 3)};
        run_add(calls, lane->calls);
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static size_t lane_room(const struct timeline *timeline, const struct lane *lane, int64_t calls)
{
    double share =
        0.5 / timeline->count + 0.5 * (double)lane->calls / (double)(calls > 0 ? calls : 1);
    long calls_max = (long)((double)timeline->calls_max * share);
    if (calls_max < LANE_CALLS_MIN && timeline->calls_max > 0)
        calls_max = LANE_CALLS_MIN;
    if (calls_max > lane->calls)
        calls_max = lane->calls > 0 ? (long)lane->calls : 0;
    return (size_t)calls_max;
}

static void *read_lanes(void *context)
{
    struct timeline *timeline = context;
    int64_t calls = 0;
    sqlite3_stmt *statement = NULL;
    timeline->result = load_lanes(timeline, &calls);
    if (timeline->result == SQLITE_OK)
        timeline->result =
            sqlite3_prepare_v2(timeline->database, report_timeline_sql_calls, -1, &statement, NULL);
    for (int i = 0; i < timeline->count && timeline->result == SQLITE_OK; i++)
        timeline->result = read_lane(statement, &timeline->lanes[i],
                                     lane_room(timeline, &timeline->lanes[i], calls));
    sqlite3_finalize(statement);
    return NULL;
}

void report_timeline_begin(struct report *report)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL)
        return;
    report->timeline = timeline;
    timeline->calls_max = report->calls_max;
    timeline->database = database_open(report->path);
    if (timeline->database == NULL)
        return;
    /* Each page is read once: a few places used again take less time than many new ones. */
    sqlite3_exec(timeline->database, "PRAGMA cache_size = -1024", NULL, NULL, NULL);
    database_hold(timeline->database);
    timeline->threaded = sqlite3_threadsafe() != 0 &&
                         pthread_create(&timeline->thread, NULL, read_lanes, timeline) == 0;
}

void report_timeline_end(struct report *report)
{
    struct timeline *timeline = report->timeline;
    report->timeline = NULL;
    if (timeline == NULL)
        return;
    if (timeline->threaded) { /* another part failed */
        sqlite3_interrupt(timeline->database);
        pthread_join(timeline->thread, NULL);
    }
    for (int i = 0; i < timeline->count; i++)
        free(timeline->lanes[i].longest.items);
    sqlite3_close(timeline->database);
    free(timeline);
}

static int write_lanes(struct report *report)
{
    struct timeline *timeline = report->timeline;
    if (timeline == NULL)
        return fail("out of memory");
    if (timeline->database == NULL)
        return 2;
    if (timeline->threaded)
        pthread_join(timeline->thread, NULL);
    else
        read_lanes(timeline);
    timeline->threaded = false;
    if (timeline->result != SQLITE_OK)
        return fail("%s: cannot be read: %s", report->path,
                    timeline->result == SQLITE_NOMEM ? "out of memory"
                                                     : sqlite3_errmsg(timeline->database));
    int status = 0;
    json_key(&report->json, "lanes");
    json_open(&report->json, '[');
    for (int i = 0; i < timeline->count && status == 0; i++)
        status = write_lane(report, &timeline->lanes[i]);
    json_close(&report->json, ']');
    return status;
}

/* The arguments and results of the lanes' calls. */
static int write_values(struct report *report)
{
    struct timeline *timeline = report->timeline;
    size_t count = 0, room = 0;
    for (int i = 0; i < timeline->count; i++)
        room += timeline->lanes[i].longest.count;
    struct shown_call *calls = calloc(room + 1, sizeof *calls);
    if (calls == NULL)
        return fail("out of memory");
    for (int i = 0; i < timeline->count; i++) {
        const struct longest *longest = &timeline->lanes[i].longest;
        for (size_t k = 0; k < longest->count; k++)
            calls[count++] = (struct shown_call){
                longest->items[k].id, longest->items[k].function_id, longest->items[k].duration_ns};
    }
    int status = report_call_values(report, calls, count);
    free(calls);
    return status;
}

int report_timeline(struct report *report)
{
    static const struct report_part parts[] = {
        {"notes", report_timeline_sql_notes, 60000},
        /* Where a thread was off the processor, the longest first. A row takes at least 21 bytes,
         * so those behind the first 6000 are only counted: finding their calls would take too
         * long. */
        {"gaps", report_timeline_sql_gaps, 120000},
        /* There may be no room for the many short ones, so these are their sums, by the slot of the
         * run that they begin in. The page subtracts those that are also above. */
        {"short_gaps", report_timeline_sql_short_gaps, 200000},
        {"recording", report_timeline_sql_recording, 60000},
        {"pauses", report_timeline_sql_pauses, 60000},
    };
    int status = write_lanes(report);
    if (status == 0)
        status = write_values(report);
    json_key(&report->json, "slot_ns");
    json_integer(&report->json, run_integer(report->database, report_timeline_sql_slot, 0));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0; i++)
        status = report_part(report, &parts[i]);
    return status;
}
