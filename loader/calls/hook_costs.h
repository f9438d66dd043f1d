/*
 * The hooks' cost, by stretch of the log: some chunks of one thread. It comes from samples, in
 * which hooks of the stretch measured themselves (FISQL_COST_ of formats/log.h,
 * collector/core/hook_sample.h). With too few samples, it is what the collector measured in a loop
 * when the process started.
 *
 * Writing a full chunk takes as long as thousands of hooks, in whatever call is open then. Its time
 * is taken out of that call (decode_costs.c) and of no other.
 *
 * A sample takes longer than a hook: it ends with one more reading of the clock, its path is
 * unusual for the processor, and it overlaps with nothing. On 14 runs of five programs (Lua, zstd,
 * tcc, SQLite, ninja), a call's two hooks took 0.49 to 0.67 of its two samples in processor time,
 * on average 0.57: SAMPLE_PER_MILLE. The loop saw 0.7 to 1.2 of the cost (`make trust`).
 *
 * A reference run (`fisql record --reference`) gives the sum over all calls: the run's processor
 * time less the reference's and the collector's start. All costs are scaled to it. The
 * remaining error is the difference between two runs of one program.
 */
#ifndef FISQL_LOADER_CALLS_HOOK_COSTS_H
#define FISQL_LOADER_CALLS_HOOK_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"

/* The cost of one call's two hooks, in picoseconds. */
struct hook_cost {
    uint64_t inside_ps;  /* within the call's own duration */
    uint64_t outside_ps; /* paid by its caller */
};

/* The hooks' parts of a call's own time and of its whole duration. Differences wrap around; their
 * sums are right again. */
struct hook_share {
    uint64_t self_ps, total_ps;
};

/* Of a call with so many callees and descendants, all at one cost. */
static inline struct hook_share hook_share_of(struct hook_cost cost, uint64_t child_calls,
                                              uint64_t descendants)
{
    return (struct hook_share){cost.inside_ps + child_calls * cost.outside_ps,
                               cost.inside_ps + descendants * (cost.inside_ps + cost.outside_ps)};
}

#define HOOK_SPARES 1024u
#define HOOK_COST_PS_MAX 1000000000u /* more is not believed */

enum hook_costs_source { HOOK_COSTS_LOOP, HOOK_COSTS_SAMPLES, HOOK_COSTS_REFERENCE };

struct hook_costs {
    struct hook_cost calibrated; /* in a loop, from the log */
    struct hook_cost *chunks;    /* of log_index.chunks */
    struct hook_cost mean;       /* over all calls */
    uint64_t spared_per_mille;   /* of the calibrated: what a call without a time costs less */
    uint32_t leaf_spares;        /* what a LEAF costs less, by HOOK_SPARES of that */
    uint64_t reference_ns;       /* processor time of the reference run */
    enum hook_costs_source source;
};

/* As run.hook_cost_source has it. */
const char *hook_costs_source_name(enum hook_costs_source source);
/* The error of the sum of all adjusted times, from which cost_ns was taken out. */
uint64_t hook_costs_error_ns(const struct hook_costs *costs, uint64_t cost_ns);

/* Release it in any case. */
int hook_costs_make(struct hook_costs *costs, const struct log_index *index, struct error *error);
void hook_costs_release(struct hook_costs *costs);

/* By how much a call without a time (sampled.h) costs less than this. */
static inline uint64_t hook_costs_spared(const struct hook_costs *costs, struct hook_cost cost)
{
    return (cost.inside_ps + cost.outside_ps) * costs->spared_per_mille / 1000;
}

/* The cost of calls that a chunk (of log_index.chunks) enters. */
static inline struct hook_cost hook_costs_at(const struct hook_costs *costs, size_t chunk)
{
    return costs->chunks[chunk];
}

#endif
