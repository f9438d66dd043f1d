/*
 * The time of single calls by a measure, without the hooks' cost: what the view call_times
 * (schema.sql) has, for one call after another. Holds the tables hook_costs, gaps and pauses in
 * memory.
 */
#ifndef FISQL_CLI_RUN_CALL_TIMES_H
#define FISQL_CLI_RUN_CALL_TIMES_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/run/call_pauses.h"
#include "cli/run/measure.h"

struct hook_cost_range {
    int64_t first_call, last_call;
    int64_t inside_ps, outside_ps;
};

struct call_gap {
    int64_t call;
    int64_t wait_ns, preempted_ns; /* of this gap and all before it in the list */
};

struct call_gaps {
    struct call_gap *items; /* by call */
    size_t count, capacity;
};

struct call_times {
    enum measure measure;
    struct hook_cost_range *costs; /* by first_call */
    size_t costs_count, costs_capacity;
    struct call_gaps gaps, paused_gaps; /* of all, and of those in pauses */
    struct call_pauses pauses;
};

/* Reads the tables. 0, or 2 after saying what is wrong; close it in both cases. */
int call_times_open(struct call_times *times, sqlite3 *database, enum measure measure);
void call_times_close(struct call_times *times);

/* The call's time with its callees, by the measure; never negative. */
int64_t call_times_of(const struct call_times *times, int64_t call_id, int64_t descendants,
                      int64_t duration_ns);

/* The part of that time that is a pause of the call, and in no self time. */
int64_t call_times_paused(const struct call_times *times, int64_t call_id);

#endif
