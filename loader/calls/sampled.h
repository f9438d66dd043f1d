/*
 * Estimates of a thread that was recorded with --time sampled: some of its calls have no times
 * (collector/core/sampled.h says which). Counts are exact in any case.
 *
 * A timed call has as its *weight* the number of calls of its link since the last timed one, itself
 * included. The expected sum of weight * duration is the sum of all calls' durations: that is the
 * estimate of a link's total. What a thread waited or was put aside (gaps.h) is known of all calls:
 * that part of a duration has no weight. The calls behind a link's last timed one count as much as the
 * link's timed ones on average; where a link has none, as those of its function.
 *
 * A link's own time is its total without the totals of the links of its callees. So it is no sum over
 * rows: each link takes its total out of its last caller's own time. It may come out below 0 where
 * it is small.
 *
 * Errors. A timed call of weight w stands for w calls whose durations deviate by s: it is wrong by w - 1 of
 * them and by its own w - 1 times, with a variance of w (w - 1) s^2. Links are timed independently of each
 * other, so their variances add up, those of the callees in the caller's own time, too. s is that of the
 * link's timed calls. Of a link without one, it is its function's, and counts for all calls alike: they may
 * differ from the function's others together.
 *
 * Hooks. A call without a time costs less (hook_costs_spared()). Its inside part is 0 and its
 * outside part the whole; as a callee's total holds its inside part for each call, the caller's own
 * part is that much smaller.
 */
#ifndef FISQL_LOADER_CALLS_SAMPLED_H
#define FISQL_LOADER_CALLS_SAMPLED_H

#include "loader/calls/links.h"
#include "loader/calls/row_window.h"

/* Adds what a call took to its link's sums; the call has ended. cpu_ns: its adjusted duration on the
 * processor. */
int sampled_add(const struct row *row, uint64_t call_id, uint64_t cpu_ns, struct error *error);

/* At a thread's end, before links_fold(): adds the calls behind the last timed ones. */
int sampled_complete(struct links *links, const struct rollup *rollup, struct error *error);

#endif
