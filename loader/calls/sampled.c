/* Estimates from the calls that have times: see sampled.h. */
#include "loader/calls/sampled.h"

#include <stdlib.h>

#include "base/wide.h"

/* Times of some calls. */
struct taken {
    uint64_t raw_ns, hooks_ps;
};

static void add_taken(struct link *link, struct taken taken)
{
    struct call_sums *sums = &link->sums;
    sums->raw_ns += taken.raw_ns;
    sums->hooks_ps += taken.hooks_ps;
    sums->self.raw_ns += taken.raw_ns;
    if (link->estimate.caller != NULL)
        link->estimate.caller->sums.self.raw_ns -= taken.raw_ns;
}

int sampled_add(const struct row *row, uint64_t call_id, uint64_t cpu_ns, struct error *error)
{
    struct link *link = row->link;
    uint64_t off_ns = 0, paused_ns = 0;
    if (row->off != NULL) {
        off_ns = row->off->total.wait_ns + row->off->total.preempted_ns;
        paused_ns = row->off->paused_ns;
    }
    uint64_t ran_ns = row->duration_ns > off_ns ? row->duration_ns - off_ns : 0;
    struct taken taken = {row->weight * ran_ns, row->weight * row->hooks.total_ps};
    if (row->weight != 0 && row->ended <= ENDED_UNWOUND) {
        link->estimate.calls += row->weight;
        link->estimate.raw_ns += taken.raw_ns;
        link->estimate.hooks_ps += taken.hooks_ps;
        if (call_sums_finished_weighted(&link->sums, call_id, cpu_ns, row->weight, error) != 0)
            return -1;
    }
    taken.raw_ns += off_ns;
    add_taken(link, taken);
    link->sums.self.raw_ns -= paused_ns;
    link->sums.self.hooks_ps += row->weight * row->hooks.self_ps;
    return 0;
}

static uint64_t finished(const struct link *link)
{
    return link->sums.calls - (link->sums.rare != NULL ? link->sums.rare->open : 0);
}

static uint64_t part(uint64_t sum, uint64_t missing, uint64_t calls)
{
    return (uint64_t)((wide_uint)sum * missing / calls);
}

/* Of a link with timed calls. */
static int complete_by_link(struct link *link, uint64_t missing, struct error *error)
{
    struct call_sums *sums = &link->sums;
    const struct link_estimate *estimate = &link->estimate;
    uint64_t calls = estimate->calls;
    add_taken(link, (struct taken){part(estimate->raw_ns, missing, calls),
                                   part(estimate->hooks_ps, missing, calls)});
    if ((int64_t)sums->self.hooks_ps > 0)
        sums->self.hooks_ps += part(sums->self.hooks_ps, missing, calls);
    wide_uint sum = (wide_uint)part(sums->sum_ns, missing, calls) + sums->sum_ns;
    wide_uint square = (wide_uint)part(sums->square_sum, missing, calls) + sums->square_sum;
    sums->sum_ns = (uint64_t)sum;
    sums->square_sum = (uint64_t)square;
    uint64_t sum_high = (uint64_t)(sum >> 64), square_high = (uint64_t)(square >> 64);
    return (sum_high | square_high) == 0 ? 0
                                         : call_sums_add_high(sums, sum_high, square_high, error);
}

/* Of one without: by its function's mean. */
static int complete_by_function(struct link *link, const struct link_estimate *function,
                                uint64_t missing, struct error *error)
{
    uint64_t calls = function->calls, mean_ns = 0;
    if (calls != 0) {
        mean_ns = tally_adjusted(function->raw_ns, function->hooks_ps) / calls;
        add_taken(link, (struct taken){part(function->raw_ns, missing, calls),
                                       part(function->hooks_ps, missing, calls)});
    }
    return call_sums_finished_weighted(&link->sums, link->sums.first_call, mean_ns, missing, error);
}

static int complete(const struct links *links, struct link_estimate *functions, struct error *error)
{
    for (size_t i = 0; i < links->touched_count; i++) {
        const struct link *link = links->touched[i];
        struct link_estimate *function = &functions[link->function->same_id];
        function->calls += link->estimate.calls;
        function->raw_ns += link->estimate.raw_ns;
        function->hooks_ps += link->estimate.hooks_ps;
    }
    for (size_t i = 0; i < links->touched_count; i++) {
        struct link *link = links->touched[i];
        uint64_t all = finished(link);
        if (all <= link->estimate.calls)
            continue;
        uint64_t missing = all - link->estimate.calls;
        if ((link->estimate.calls != 0
                 ? complete_by_link(link, missing, error)
                 : complete_by_function(link, &functions[link->function->same_id], missing,
                                        error)) != 0)
            return -1;
    }
    return 0;
}

int sampled_complete(struct links *links, const struct rollup *rollup, struct error *error)
{
    struct link_estimate *functions = calloc(rollup->functions_capacity + 1, sizeof *functions);
    if (functions == NULL)
        return error_set(error, "out of memory");
    int result = complete(links, functions, error);
    free(functions);
    return result;
}
