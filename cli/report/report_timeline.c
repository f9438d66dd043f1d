/*
 * The timeline in a report: for each thread its longest calls, notes, and where it was off
 * the processor: the longest such gaps one by one, and what the short ones come to, by slots.
 *
 * A call is never longer than the call around it, so the longest calls of a thread, ties going to
 * the smaller id, form a tree without gaps. They are found in one pass over the thread's rows with
 * a heap of the longest so far, whose least is the bar for further calls; SQLite itself compares,
 * with the bar bound at the statement's start, and the pass begins anew where it stands whenever as
 * many rows as the heap holds have come by. A call below the bar is passed over with all calls in it,
 * where these are many; other rows cost a comparison within SQLite alone.
 *
 * The threads with the most calls get lanes. Half of the calls are shared out evenly, half by the
 * threads' numbers of calls, so that a quiet thread is seen beside a busy one.
 */
#include "cli/report/report.h"

#include "base/heap.h"
#include "cli/run/run_view.h"
#include "cli/out/say.h"

#include <stdlib.h>

enum { LANES_MAX = 64, LANE_CALLS_MIN = 16 };

#define PASSED_OVER_MIN "256" /* calls within one: to begin anew takes as long as these */

#define SLOT_NS "SELECT max(1, max(end_ns) / 500) FROM threads"

struct long_call {
    int64_t id, frame_id, depth, enter_ns, duration_ns;
};

/* The longest calls so far; the least of them is at the front once there is no more room. */
struct longest {
    struct long_call *items; /* owned */
    size_t count, room;
};

struct lane {
    int64_t thread_id, first_id, last_id, calls;
};

static bool is_less(const void *left, const void *right)
{
    const struct long_call *a = left, *b = right;
    return a->duration_ns != b->duration_ns ? a->duration_ns < b->duration_ns : a->id > b->id;
}

/* Rows of the lane from *from on that pass the bar, until as many as there is room for have come by
 * or the lane ends: *from is then beyond its end. */
static int scan(struct report *report, sqlite3_stmt *statement, const struct lane *lane,
                struct longest *longest, int64_t *from)
{
    int64_t bar = longest->count == longest->room ? longest->items[0].duration_ns : -1;
    size_t rows = 0;
    int result = SQLITE_ROW;
    sqlite3_bind_int64(statement, 1, *from);
    sqlite3_bind_int64(statement, 2, lane->last_id);
    sqlite3_bind_int64(statement, 3, bar);
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
    return result == SQLITE_DONE || result == SQLITE_ROW ? 0 : report_fail(report);
}

static int by_id(const void *left, const void *right)
{
    const struct long_call *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The calls as one array of numbers, five for each: id, depth, function, enter and duration; ids
 * and enters as what they are more than those before. */
static int write_calls(struct report *report, const struct longest *longest)
{
    struct json *json = &report->json;
    sqlite3_stmt *function = report_prepare(report, "SELECT function_id FROM frames WHERE id = ?1");
    if (function == NULL)
        return 2;
    int64_t last_id = 0, last_ns = 0;
    json_key(json, "data");
    json_open(json, '[');
    for (size_t i = 0; i < longest->count; i++) {
        const struct long_call *call = &longest->items[i];
        sqlite3_bind_int64(function, 1, call->frame_id);
        int64_t function_id =
            sqlite3_step(function) == SQLITE_ROW ? sqlite3_column_int64(function, 0) : 0;
        sqlite3_reset(function);
        report_mark(report, MARK_FUNCTIONS, function_id);
        json_integer(json, call->id - last_id);
        json_integer(json, call->depth);
        json_integer(json, function_id);
        json_integer(json, call->enter_ns - last_ns);
        json_integer(json, call->duration_ns);
        last_id = call->id;
        last_ns = call->enter_ns;
    }
    json_close(json, ']');
    sqlite3_finalize(function);
    return 0;
}

static int write_lane(struct report *report, sqlite3_stmt *statement, const struct lane *lane,
                      long calls_max)
{
    struct json *json = &report->json;
    struct longest longest = {.room = (size_t)calls_max};
    longest.items = calloc((size_t)calls_max + 1, sizeof *longest.items);
    if (longest.items == NULL)
        return fail("out of memory");
    int status = 0;
    for (int64_t from = lane->first_id; status == 0 && longest.room > 0 && from <= lane->last_id;)
        status = scan(report, statement, lane, &longest, &from);
    bool complete = longest.count < longest.room || (int64_t)longest.count == lane->calls;
    json_open(json, '{');
    json_key(json, "thread_id");
    json_integer(json, lane->thread_id);
    json_key(json, "calls");
    json_integer(json, lane->calls);
    json_key(json, "least_ns");
    json_integer(json, complete || longest.count == 0 ? 0 : longest.items[0].duration_ns);
    qsort(longest.items, longest.count, sizeof *longest.items, by_id);
    if (status == 0)
        status = write_calls(report, &longest);
    json_close(json, '}');
    free(longest.items);
    return status;
}

/* The threads with the most calls, at most LANES_MAX. */
static int load_lanes(struct report *report, struct lane *lanes, int *count, int64_t *calls)
{
    sqlite3_stmt *statement =
        report_prepare(report, "SELECT id, first_call_id, last_call_id, calls FROM threads"
                               " WHERE calls > 0 AND first_call_id IS NOT NULL"
                               " ORDER BY calls DESC, id LIMIT ?1");
    if (statement == NULL)
        return 2;
    sqlite3_bind_int(statement, 1, LANES_MAX);
    int result;
    *count = 0;
    *calls = 0;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW && *count < LANES_MAX) {
        lanes[*count] = (struct lane){.thread_id = sqlite3_column_int64(statement, 0),
                                      .first_id = sqlite3_column_int64(statement, 1),
                                      .last_id = sqlite3_column_int64(statement, 2),
                                      .calls = sqlite3_column_int64(statement, 3)};
        struct lane *lane = &lanes[(*count)++];
        lane->first_id = run_within(lane->first_id, 1, RUN_CALL_ID_MAX);
        lane->last_id = run_within(lane->last_id, 0, RUN_CALL_ID_MAX);
        run_add(calls, lane->calls);
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : report_fail(report);
}

static int write_lanes(struct report *report)
{
    struct lane lanes[LANES_MAX];
    int count = 0;
    int64_t calls = 0;
    sqlite3_stmt *statement =
        report_prepare(report, "SELECT id, frame_id, depth, enter_ns, duration_ns, descendants"
                               " FROM calls WHERE id BETWEEN ?1 AND ?2"
                               " AND (duration_ns > ?3 OR descendants >= " PASSED_OVER_MIN ")");
    int status = statement != NULL ? load_lanes(report, lanes, &count, &calls) : 2;
    json_key(&report->json, "lanes");
    json_open(&report->json, '[');
    for (int i = 0; i < count && status == 0; i++) {
        double share = 0.5 / count + 0.5 * (double)lanes[i].calls / (double)(calls > 0 ? calls : 1);
        long calls_max = (long)((double)report->calls_max * share);
        if (calls_max < LANE_CALLS_MIN && report->calls_max > 0)
            calls_max = LANE_CALLS_MIN;
        if (calls_max > lanes[i].calls)
            calls_max = lanes[i].calls > 0 ? (long)lanes[i].calls : 0;
        status = write_lane(report, statement, &lanes[i], calls_max);
    }
    json_close(&report->json, ']');
    sqlite3_finalize(statement);
    return status;
}

int report_timeline(struct report *report)
{
    static const struct report_part parts[] = {
        {"notes", "SELECT thread_id, ns, text FROM notes ORDER BY id", 60000},
        /* Where a thread was off the processor, the longest first. */
        {"gaps",
         "SELECT g.thread_id, f.function_id, c.depth, g.start_ns, g.wall_ns,"
         "       g.wait_ns, g.preempted_ns, g.major_faults, g.call_id"
         " FROM gaps g LEFT JOIN frames f ON f.id = g.frame_id"
         "      LEFT JOIN calls c ON c.id = g.call_id"
         " ORDER BY g.wait_ns + g.preempted_ns DESC, g.id",
         120000},
        /* There may be no room for the many short ones: so their sums, by the slot of the run that
         * they begin in. Those that are above as well the page takes out. */
        {"short_gaps",
         "SELECT g.thread_id, f.function_id, g.start_ns / slot.ns AS slot,"
         "       sum(g.wait_ns >= g.preempted_ns) AS waits,"
         "       CAST(total(g.wait_ns) AS INTEGER) AS wait_ns,"
         "       CAST(total(g.preempted_ns) AS INTEGER) AS preempted_ns"
         " FROM (SELECT (" SLOT_NS
         ") AS ns) slot CROSS JOIN gaps g LEFT JOIN frames f ON f.id = g.frame_id"
         " WHERE g.wall_ns < slot.ns"
         " GROUP BY g.thread_id, f.function_id, g.start_ns / slot.ns"
         " ORDER BY total(g.wait_ns) + total(g.preempted_ns) DESC, 1, 2, 3",
         200000},
    };
    int status = write_lanes(report);
    json_key(&report->json, "slot_ns");
    json_integer(&report->json, run_integer(report->database, SLOT_NS, 0));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0; i++)
        status = report_part(report, &parts[i]);
    return status;
}
