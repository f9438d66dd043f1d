/* Times of single calls: see call_times.h. */
#include "cli/run/call_times.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"

#define COST_PS_MAX INT64_C(1000000000000000000) /* a hook that writes the log may take seconds */

static int read_costs(struct call_times *times, sqlite3 *database)
{
    sqlite3_stmt *row = NULL;
    if (database_rows(database,
                      "SELECT first_call_id, last_call_id, inside_ps, outside_ps"
                      " FROM hook_costs ORDER BY first_call_id",
                      "the hooks' costs", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        if (array_reserve(&times->costs, &times->costs_capacity, times->costs_count + 1, NULL) != 0)
            return database_rows_short(row);
        times->costs[times->costs_count++] =
            (struct hook_cost_range){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                     run_within(sqlite3_column_int64(row, 2), 0, COST_PS_MAX),
                                     run_within(sqlite3_column_int64(row, 3), 0, COST_PS_MAX)};
    }
    return database_rows_end(row, "the hooks' costs");
}

static int read_gaps(struct call_gaps *gaps, sqlite3 *database, bool all)
{
    sqlite3_stmt *row = NULL;
    struct call_gap sum = {0};
    if (database_rows(database,
                      all ? "SELECT call_id, wait_ns, preempted_ns FROM gaps"
                            " WHERE call_id IS NOT NULL ORDER BY call_id"
                          : "SELECT call_id, wait_ns, preempted_ns FROM gaps"
                            " WHERE call_id IS NOT NULL AND paused ORDER BY call_id",
                      "the gaps", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        if (array_reserve(&gaps->items, &gaps->capacity, gaps->count + 1, NULL) != 0)
            return database_rows_short(row);
        sum.call = sqlite3_column_int64(row, 0);
        run_add(&sum.wait_ns, run_within(sqlite3_column_int64(row, 1), 0, RUN_NS_MAX));
        run_add(&sum.preempted_ns, run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX));
        gaps->items[gaps->count++] = sum;
    }
    return database_rows_end(row, "the gaps");
}

int call_times_open(struct call_times *times, sqlite3 *database, enum measure measure)
{
    *times = (struct call_times){.measure = measure};
    int status = read_costs(times, database);
    if (status == 0)
        status = read_gaps(&times->gaps, database, true);
    if (status == 0)
        status = read_gaps(&times->paused_gaps, database, false);
    return status != 0 ? status : call_pauses_open(&times->pauses, database);
}

void call_times_close(struct call_times *times)
{
    free(times->costs);
    free(times->gaps.items);
    free(times->paused_gaps.items);
    call_pauses_close(&times->pauses);
    *times = (struct call_times){.costs = NULL};
}

/* The sums of all gaps of calls below `call`. */
static struct call_gap gaps_below(const struct call_gaps *gaps, int64_t call)
{
    size_t at = sorted_from(gaps->items, gaps->count, call, call);
    return at > 0 ? gaps->items[at - 1] : (struct call_gap){0};
}

/* The sum of the gaps of the calls from `first` to `last`. */
static struct call_gap gaps_from(const struct call_gaps *gaps, int64_t first, int64_t last)
{
    struct call_gap before = gaps_below(gaps, first), after = gaps_below(gaps, last + 1);
    return (struct call_gap){first, after.wait_ns - before.wait_ns,
                             after.preempted_ns - before.preempted_ns};
}

static int64_t off_processor(const struct call_gap *gaps)
{
    int64_t sum = gaps->wait_ns;
    run_add(&sum, gaps->preempted_ns);
    return run_within(sum, 0, INT64_MAX);
}

/* The last range that begins at the call or before it; costs_count if there is none. */
static size_t range_of(const struct call_times *times, int64_t call)
{
    size_t next = sorted_after(times->costs, times->costs_count, first_call, call);
    return next > 0 ? next - 1 : times->costs_count;
}

/* What the hooks took within the call, in ps: its own inside part, and both parts of its
 * descendants. */
static double hooks_ps(const struct call_times *times, int64_t call, int64_t last)
{
    size_t at = range_of(times, call);
    if (at == times->costs_count || times->costs[at].last_call < call)
        return 0;
    double sum = (double)times->costs[at].inside_ps;
    for (; at < times->costs_count && times->costs[at].first_call <= last; at++) {
        const struct hook_cost_range *range = &times->costs[at];
        int64_t from = range->first_call > call ? range->first_call : call + 1;
        int64_t to = range->last_call < last ? range->last_call : last;
        if (to >= from)
            sum += (double)(to - from + 1) * (double)(range->inside_ps + range->outside_ps);
    }
    return sum;
}

int64_t call_times_of(const struct call_times *times, int64_t call_id, int64_t descendants,
                      int64_t duration_ns)
{
    int64_t last = call_id + descendants;
    struct call_gap gaps = gaps_from(&times->gaps, call_id, last);
    int64_t off_ns = off_processor(&gaps);
    double hooks_ns = hooks_ps(times, call_id, last) / 1000;
    int64_t adjusted = hooks_ns < (double)duration_ns ? duration_ns - (int64_t)hooks_ns : 0;
    if (times->measure == MEASURE_WAIT)
        return gaps.wait_ns;
    if (adjusted < off_ns)
        adjusted = off_ns;
    return times->measure == MEASURE_WALL ? adjusted : adjusted - off_ns;
}

int64_t call_times_paused(const struct call_times *times, int64_t call_id)
{
    struct call_gap gaps = gaps_from(&times->paused_gaps, call_id, call_id);
    int64_t paused_ns = call_pauses_of(&times->pauses, call_id);
    if (times->measure == MEASURE_WAIT)
        return gaps.wait_ns;
    return times->measure == MEASURE_WALL
               ? paused_ns
               : run_within(paused_ns - off_processor(&gaps), 0, INT64_MAX);
}
