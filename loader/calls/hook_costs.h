/*
 * What hooks cost, by stretch of the log: a number of chunks of one thread. What the hooks of the
 * stretch measured of themselves (FISQL_COST_ of formats/log.h, collector/core/hook_sample.h) counts. Where
 * too few measured themselves, it is what the collector measured in a loop when the process started.
 *
 * Writing a full chunk takes as long as thousands of hooks, and lies in whatever call is open then: it
 * is taken out of that one (decode.c), and counts to no other.
 *
 * A sample takes longer than a hook: it ends with one more reading of the clock, the way to it is
 * out of the ordinary for the processor, and it overlaps with nothing. On 14 runs of five programs
 * (Lua, zstd, tcc, SQLite, ninja), a call's two hooks took 0.49 to 0.67 of its two samples in
 * processor time, 0.57 on the average: SAMPLE_PER_MILLE. The loop saw 0.7 to 1.2 of the cost (`make
 * trust`).
 *
 * With a reference run (`fisql record --reference`) the sum over all calls is known: the processor
 * time of the run less that of the reference and what the collector took to start. All costs are then
 * scaled to it. What is left is how far two runs of one program are apart.
 */
#ifndef FISQL_LOADER_CALLS_HOOK_COSTS_H
#define FISQL_LOADER_CALLS_HOOK_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"

/* What one call's two hooks cost, in picoseconds. */
struct hook_cost {
    uint64_t inside_ps;  /* within the call's own duration */
    uint64_t outside_ps; /* paid by its caller */
};

/* The hooks' parts of one call's own time and of its whole duration. Differences of them wrap around,
 * sums of those are right again. */
struct hook_share {
    uint64_t self_ps, total_ps;
};

/* Of a call that made child_calls and has as many descendants, all at one cost. */
static inline struct hook_share hook_share_of(struct hook_cost cost, uint64_t child_calls,
                                              uint64_t descendants)
{
    return (struct hook_share){cost.inside_ps + child_calls * cost.outside_ps,
                               cost.inside_ps + descendants * (cost.inside_ps + cost.outside_ps)};
}

#define HOOK_COST_PS_MAX 1000000000u /* more is not believed */

enum hook_costs_source { HOOK_COSTS_LOOP, HOOK_COSTS_SAMPLES, HOOK_COSTS_REFERENCE };

struct hook_costs {
    struct hook_cost calibrated; /* in a loop, as the log tells */
    struct hook_cost *chunks;    /* of log_index.chunks */
    struct hook_cost mean;       /* over all calls */
    uint64_t reference_ns;       /* processor time of the reference run */
    enum hook_costs_source source;
};

/* As run.hook_cost_source has it. */
const char *hook_costs_source_name(enum hook_costs_source source);
/* By how much all adjusted times together may be off, cost_ns having been taken out of them. */
uint64_t hook_costs_error_ns(const struct hook_costs *costs, uint64_t cost_ns);

/* Release it in any case. */
int hook_costs_make(struct hook_costs *costs, const struct log_index *index, struct error *error);
void hook_costs_release(struct hook_costs *costs);

/* Of the calls that a chunk (of log_index.chunks) enters. */
static inline struct hook_cost hook_costs_at(const struct hook_costs *costs, size_t chunk)
{
    return costs->chunks[chunk];
}

#endif
