/* Rows: those of calls come out in the order of entries whatever order they end in, and the small
 * tables hold what was added up, NULL where nothing is known, and no number that SQLite cannot
 * hold. */
#include "base/array.h"
#include "base/must.h"
#include "loader/calls/call_rows.h"
#include "loader/calls/callee_history.h"
#include "loader/sqlite/database.h"
#include "loader/tables/tables.h"
#include "queries/embedded.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

static struct error error;
static char path[] = "/tmp/fisql-tables-XXXXXX";

/* The rows of a statement: columns with |, rows with a space between; NULL is -. */
static const char *rows_of(sqlite3 *database, const char *sql)
{
    static char text[4096];
    sqlite3_stmt *statement = NULL;
    size_t used = 0;
    text[0] = 0;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return sqlite3_errmsg(database);
    while (sqlite3_step(statement) == SQLITE_ROW && used < sizeof text - 200)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const unsigned char *value = sqlite3_column_text(statement, i);
            used += (size_t)snprintf(text + used, 200, "%s%s",
                                     i > 0      ? "|"
                                     : used > 0 ? " "
                                                : "",
                                     value != NULL ? (const char *)value : "-");
        }
    sqlite3_finalize(statement);
    return text;
}

static sqlite3 *make_database(void)
{
    sqlite3 *database = NULL;
    close(open(path, O_CREAT | O_RDWR, 0600));
    check(sqlite3_open(path, &database) == SQLITE_OK &&
              sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK,
          "the schema makes tables: %s", sqlite3_errmsg(database));
    return database;
}

/* ---- rows of calls ---- */

#define CALLS (6 * WINDOW_ROWS)

/* main and the call that it makes first stay open while so many others come and go that both rows
 * are written; the call in it returns, main is open to the end. */
static void write_calls(struct row_window *window, struct btree_part *part)
{
    struct function_rollup function = {.id = 1};
    struct link link = {.function = &function, .callee_runs = NO_CALLEE};
    call_sums_begin(&link.sums);
    row_window_begin(window, 7, 1, 1, part);
    for (uint64_t id = 1; id <= CALLS; id++) {
        struct row *row = row_window_row(window, window->next_id++);
        *row = (struct row){.link = &link,
                            .function = &function,
                            .enter_ns = id * 10,
                            .distance = id == 1   ? 0
                                        : id == 2 ? 1
                                                  : id - 2,
                            .frame = id == 1 ? 1 : 2,
                            .depth = id == 1   ? 0
                                     : id == 2 ? 1
                                               : 2,
                            .duration_ns = 5,
                            .weight = 1,
                            .done = id > 2};
        check_failures +=
            row_window_is_full(window) && row_window_flush(window, WINDOW_ROWS / 2, &error) != 0;
    }
    struct row_end *end = row_window_end(window, &error);
    check(end != NULL, "the row of a call that returns late is completed");
    *end = (struct row_end){.call_id = 2,
                            .row = {.link = &link,
                                    .function = &function,
                                    .duration_ns = 1000000,
                                    .weight = 1,
                                    .children_ns = 999,
                                    .distance = 1,
                                    .descendants = CALLS - 2,
                                    .ended = ENDED_RETURNED}};
    check_equal(0, row_window_finish(window, &error), "the rest is written");
    check(link.sums.calls == CALLS && function.depth_max == 2 &&
              link.sums.raw_ns == 1000000 + 5 * (CALLS - 2),
          "each call is counted once, and its time when it ends");
    duration_counts_release(&function.durations);
}

static void calls(struct helpers *helpers)
{
    struct row_window window;
    struct rollup rollup = {.frames = NULL};
    struct callee_history history;
    struct btree_file *file = NULL;
    struct btree_part *part = NULL;
    struct call_picture picture = {.out = NULL};
    struct thread_picture drawn = {.slices = NULL};
    const struct picture_scale scale = {.slice_shift = 10};
    uint64_t written = 0;
    sqlite3_close(make_database());
    callee_history_init(&history, &rollup);
    call_picture_begin(&picture, &scale, 1, &drawn);
    row_window_init(&window, helpers, NULL, &history, &picture, &written, &error);
    if (!check(btree_open(path, &file, &error) == 0 && btree_part_begin(file, &part, &error) == 0,
               "a part of the table begins"))
        return;
    write_calls(&window, part);
    check(btree_part_end(part, &error) == 0 && btree_finish(file, "calls", &part, 1, &error) == 0 &&
              btree_close(file, &error) == 0,
          "and ends: %s", error.text);
    check_equal(CALLS, written, "every row was written");
    sqlite3 *database = NULL;
    sqlite3_open(path, &database);
    check_string("24576|24576|1|24576",
                 rows_of(database, "SELECT count(*), count(DISTINCT id), min(id),"
                                   " max(id) FROM calls"),
                 "each call has its row");
    check_string("1|-|7|1|0|10|0|0|0|2",
                 rows_of(database,
                         "SELECT id, parent_id, thread_id, frame_id, depth, enter_ns,"
                         " duration_ns, descendants, children_ns, ended FROM calls WHERE id = 1"),
                 "the one that never ended is open");
    check_string("2|1|7|2|1|20|1000000|24574|999|0",
                 rows_of(database,
                         "SELECT id, parent_id, thread_id, frame_id, depth, enter_ns,"
                         " duration_ns, descendants, children_ns, ended FROM calls WHERE id = 2"),
                 "the one that returned late is complete");
    check_string("24574|2|2|5",
                 rows_of(database, "SELECT count(*), min(parent_id), max(parent_id),"
                                   " max(duration_ns) FROM calls WHERE id > 2"),
                 "the others lie within it");
    check_string("ok", rows_of(database, "PRAGMA integrity_check"), "SQLite accepts the table");
    sqlite3_close(database);
    row_window_release(&window);
    callee_history_release(&history);
    call_picture_release(&picture);
    thread_picture_release(&drawn);
    rollup_release(&rollup);
    unlink(path);
}

static void *help(void *helpers)
{
    row_windows_help(helpers);
    return NULL;
}

/* Another thread writes the rows; and there may be none, where that is busy. */
static void calls_by_helper(void)
{
    struct helpers helpers;
    pthread_t thread;
    helpers_init(&helpers, 1);
    calls(&helpers);
    helpers.windows = NULL;
    if (check(pthread_create(&thread, NULL, help, &helpers) == 0, "a helper starts")) {
        calls(&helpers);
        helpers_leave(&helpers, 1);
        pthread_join(thread, NULL);
    }
    helpers_release(&helpers);
}

/* ---- small tables ---- */

static void add_up(struct rollup *rollup, struct frames *frames)
{
    struct function_rollup *function;
    struct call_sums *sums;
    uint32_t frame, child, index;
    frames_child(frames, 0, 1, 0, &frame, &error);
    frames_child(frames, frame, 2, 1, &child, &error);
    rollup_frame(rollup, frame, &sums, &error);
    *sums = (struct call_sums){.calls = 1, .first_call = 1, .self.raw_ns = UINT64_MAX};
    call_sums_rare(sums, &error)->open = 1;
    rollup_function(rollup, 1, &function, &error);
    function->tally = call_sums_tally(sums, (struct outermost){true, false});
    function->tally.total.function_raw_ns = 70;
    function->latest_call = function->deepest_call = 1;
    rollup_frame(rollup, child, &sums, &error);
    *sums = (struct call_sums){.calls = 2,
                               .sum_ns = 30,
                               .square_sum = 500,
                               .min_ns = 10,
                               .max_ns = 20,
                               .fastest_call = 3,
                               .slowest_call = 2,
                               .first_call = 2,
                               .first_enter_ns = 0,
                               .last_enter_ns = 25,
                               .raw_ns = 30,
                               .self.raw_ns = 30};
    rollup_function(rollup, 2, &function, &error);
    function->tally = call_sums_tally(sums, (struct outermost){true, true});
    function->latest_call = 3;
    function->latest_enter_ns = 25;
    function->last_exit_ns = 35;
    function->deepest_call = 2;
    function->depth_max = 1;
    rollup_edge(rollup, 1, 1, 2, &index, &error);
    rollup_edge_add(&rollup->edges[index], &function->tally);
    rollup_edge(rollup, 2, 1, 1, &index, &error); /* of which no call was made */
    duration_counts_add(&function->durations, 10, 1, &error);
    duration_counts_add(&function->durations, 20, 1, &error);
    const struct slow_call slow[] = {{10, 15, 11, 3, {5, 0}}, {20, 20, 21, 2, {0, 0}}};
    rollup_slow_call(function, &slow[0]);
    rollup_slow_call(function, &slow[1]);
    function->kinds.childless = 2;
    function->kinds.childless_example = 2;
    rollup_callee_runs(rollup, 1, 2, &index, &error);
    rollup->callee_runs[index] = (struct callee_runs){
        .count = 1, .calls = 2, .caller_calls = 1, .longest = 2, .longest_call = 1};
    rollup_transition(rollup, 1, 0, 2, &index, &error);
    rollup->transitions[index] = (struct callee_transition){.count = 1, .example_call = 1};
}

static void check_tables(sqlite3 *database)
{
    check_string("3|1|40|worker|0|35|1|3|3|9223372036854775807",
                 rows_of(database,
                         "SELECT id, process_id, tid, name, start_ns, end_ns, first_call_id,"
                         " last_call_id, calls, raw_self_ns FROM threads"),
                 "a thread that left no event has no row; numbers are clipped");
    check_string("1|-|1|-|0|1|-|- 2|1|2|1|1|2|10|20",
                 rows_of(database,
                         "SELECT id, parent_id, function_id, site_id, depth, calls, min_ns,"
                         " max_ns FROM frames"),
                 "frames; without finished calls no times");
    check_string("1|1|70|-|0|1|0 2|2|30|20|1|0|1",
                 rows_of(database, "SELECT function_id, calls, total_ns, max_ns, callers, callees,"
                                   " sequences FROM (SELECT *, callees AS c FROM function_stats)"
                                   " ORDER BY function_id"),
                 "functions");
    check_string("0|25|35|15.0|50.0",
                 rows_of(database, "SELECT first_enter_ns, last_enter_ns, last_exit_ns, mean_ns, m2"
                                   " FROM function_stats WHERE function_id = 2"),
                 "an instant of 0 is an instant");
    check_string("10|20",
                 rows_of(database, "SELECT median_ns, p99_ns FROM function_stats"
                                   " WHERE function_id = 2"),
                 "the median is the lower one of two");
    check_string("1|2|30|70|9|0|3|1|4|5 2|-|90|5|5|0|-|-|-|-",
                 rows_of(database, "SELECT id, call_id, start_ns, wall_ns, wait_ns, preempted_ns,"
                                   " waits, preemptions, minor_faults, major_faults FROM gaps"),
                 "gaps, with what is known");
    check_string("6|8|9|7|-",
                 rows_of(database, "SELECT wait_ns, preempted_ns, self_wait_ns,"
                                   " unplaced_ns, cpu_ns FROM threads"),
                 "where a thread was");
    check_string("2|1|2|20|21|0|0|20 2|2|3|15|11|5|0|10",
                 rows_of(database, "SELECT * FROM slow_calls"), "slow calls, the slowest first");
    check_string("1|1|2|2",
                 rows_of(database, "SELECT caller_id, site_id, callee_id, calls FROM edges"),
                 "edges that were gone along");
    check_string("2|3|1 2|4|1", rows_of(database, "SELECT * FROM durations"), "histograms");
    check_string("2|1|2||0|2", rows_of(database, "SELECT * FROM call_sequences"),
                 "empty sequences");
    check_string("hello|2", rows_of(database, "SELECT text, call_id FROM notes"), "notes");
    check_string("unwound|-|2|-",
                 rows_of(database, "SELECT kind, call_id, calls, detail FROM anomalies"),
                 "anomalies");
    check_string("torn|-|3|-|7|-|-",
                 rows_of(database, "SELECT reason, process_id, thread_id, offset,"
                                   " calls, from_ns, detail FROM losses"),
                 "losses, with what is known");
    check_string("0|-|5|12|3",
                 rows_of(database, "SELECT (SELECT value FROM run WHERE key = 'complete'),"
                                   " (SELECT value FROM run WHERE key = 'ring_dropped_calls'),"
                                   " (SELECT value FROM run WHERE key = 'hook_inside_ps'),"
                                   " (SELECT value FROM run WHERE key = 'number'),"
                                   " (SELECT value FROM run WHERE key = 'log_bytes')"),
                 "facts of the run");
}

/* Makes a database that holds frames alone. */
static bool write_frames(const struct tables *tables, struct database *made, sqlite3 **database)
{
    struct btree_file *file = NULL;
    struct frames_writing writing;
    unlink(path);
    if (!check(database_create(made, path, "/dev/null", embedded_schema, &error) == 0 &&
                   btree_open(made->temporary, &file, &error) == 0,
               "a database is made: %s", error.text))
        return false;
    check(tables_frames_begin(&writing, tables, file, &error) == 0 &&
              tables_frames_write(&writing, &error) == 0 &&
              tables_frames_write(&writing, &error) == 0 && /* nothing is left to another thread */
              tables_frames_end(&writing, &error) == 0 && btree_close(file, &error) == 0,
          "frames are written: %s", error.text);
    tables_frames_release(&writing);
    must(database_open_temporary(made, database, &error) == 0);
    check_string("frames_parent frames_function frames_astray",
                 rows_of(*database, "SELECT name FROM sqlite_schema WHERE type = 'index' AND"
                                    " sql IS NOT NULL"),
                 "there are no indexes but those of frames while tables are written");
    check(database_index(made, *database, &error) == 0, "but afterwards: %s", error.text);
    return check_string("ok", rows_of(*database, "PRAGMA integrity_check"),
                        "which hold the frames");
}

static struct gap gaps[2] = {{.call_id = 2,
                              .frame = 1,
                              .start_ns = 30,
                              .wall_ns = 70,
                              .off_ns = 9,
                              .waits = 3,
                              .preemptions = 1,
                              .minor_faults = 4,
                              .major_faults = 5,
                              .counted = true},
                             {.start_ns = 90, .wall_ns = 5, .off_ns = 5}};

static void small_tables(void)
{
    static char reason[] = "torn", text[] = "hello", name[] = "worker";
    static char key[] = "number", value[] = "12", hook[] = "hook_inside_ps", cost[] = "999";
    struct log_process process = {
        .id = 1, .pid = 30, .start_tick = TICK_UNKNOWN, .end_tick = TICK_UNKNOWN};
    struct log_thread threads[2] = {{.id = 3, .tid = 40, .name = name, .first_call_id = 1},
                                    {.id = 0}};
    struct log_loss loss = log_loss_of(reason);
    struct log_fact facts[] = {{key, value}, {hook, cost}};
    struct clock_line line = {.rate = UINT64_C(1) << CLOCK_SHIFT};
    struct clock_map clock = {.lines = &line, .count = 1};
    loss.thread_id = 3;
    loss.calls = 7;
    struct log_index index = {.size_bytes = 3,
                              .processes = &process,
                              .processes_count = 1,
                              .threads = threads,
                              .threads_count = 2,
                              .losses = &loss,
                              .losses_count = 1,
                              .facts = {.items = facts, .count = 2}};
    struct decode_record records[2] = {
        {.kind = DECODE_NOTE, .call_id = 2, .ns = 20, .text = text},
        {.kind = DECODE_ANOMALY, .ns = 30, .anomaly = {.kind = "unwound", .calls = 2}}};
    struct decoded_thread decoded[2] = {
        {.calls = 3,
         .end_ns = 35,
         .self = {.raw_ns = UINT64_MAX},
         .records = {.items = records,
                     .count = 2,
                     .kinds = 1u << DECODE_NOTE | 1u << DECODE_ANOMALY},
         .gaps = {.items = gaps, .count = 2, .off = {6, 8}, .unplaced_ns = 7},
         .off = {.self = {9, 0}}},
        {.calls = 0}};
    struct program_function functions[2] = {{.address = 0x10, .called = true},
                                            {.address = 0x20, .called = true}};
    struct program program = {.index = &index, .functions = functions, .functions_count = 2};
    struct memory_options options = {.folder = "/tmp"};
    struct load_options load_options = {.threads = 1};
    const struct hook_costs costs = {.mean = {.inside_ps = 5}};
    struct frames frames;
    struct rollup rollup;
    struct memory *memory = NULL;
    rollup_init(&rollup);
    if (frames_init(&frames, &error) != 0 || memory_open(&options, &memory, &error) != 0)
        return;
    add_up(&rollup, &frames);
    struct value_shared shared = {.room = {0}};
    struct value_calls values;
    const struct picture_scale scale = {.slice_shift = 10};
    value_calls_init(&values, &shared);
    struct tables tables = {.index = &index,
                            .clock = &clock,
                            .program = &program,
                            .values = &values,
                            .frames = &frames,
                            .rollup = &rollup,
                            .memory = memory,
                            .threads = decoded,
                            .costs = &costs,
                            .scale = &scale,
                            .options = &load_options};
    struct database made;
    sqlite3 *database = NULL;
    if (!write_frames(&tables, &made, &database))
        return;
    check(tables_write(&tables, database, &error) == 0, "the tables are written: %s", error.text);
    check_tables(database);
    check_equal(-1, tables_write(&tables, database, &error), "they cannot be written twice");
    check_equal(ERROR_SYSTEM, error.kind, "and that is no damage of the log");
    sqlite3_close(database);
    database_release(&made);
    rollup_release(&rollup);
    frames_release(&frames);
    value_calls_release(&values);
    memory_close(memory);
    unlink(path);
}

int main(void)
{
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    unlink(path);
    calls(NULL);
    calls_by_helper();
    small_tables();
    return check_status();
}
