/* Estimates from the calls that have times: see sampled.h. */
#include "loader/calls/sampled.h"

#include <math.h>
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
        link->estimate.spread += (uint64_t)row->weight * (row->weight - 1);
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

/* What is known of durations. */
struct durations {
    double calls, sum_ns, square_sum;
};

static struct durations durations_of(const struct link *link)
{
    const struct rare_sums *rare = link->sums.rare;
    double sum = (double)link->sums.sum_ns, square = (double)link->sums.square_sum;
    if (rare != NULL) {
        sum += ldexp((double)rare->sum_high, 64);
        square += ldexp((double)rare->square_high, 64);
    }
    return (struct durations){(double)link->estimate.calls, sum, square};
}

static double variance(const struct durations *durations)
{
    double mean = durations->sum_ns / durations->calls;
    double left = durations->square_sum / durations->calls - mean * mean;
    return left > 0 ? left : 0;
}

#define VARIANCE_MAX 1e36 /* ns^2: more than thirty years, squared */

/* The link's total is wrong by this variance, and so are its own time and its caller's. */
static int add_error(struct link *link, double square_ns, struct error *error)
{
    wide_uint square = (wide_uint)(square_ns < VARIANCE_MAX ? square_ns : VARIANCE_MAX);
    struct rare_sums *rare = call_sums_rare(&link->sums, error);
    if (rare == NULL)
        return -1;
    rare->errors.total += square;
    rare->errors.self += square;
    if (link->estimate.caller == NULL)
        return 0;
    rare = call_sums_rare(&link->estimate.caller->sums, error);
    if (rare == NULL)
        return -1;
    rare->errors.self += square;
    return 0;
}

/* Before the link's sums are completed. */
static int add_link_error(struct link *link, uint64_t missing, const struct durations *function,
                          struct error *error)
{
    double calls = (double)link->estimate.calls, rest = (double)missing;
    if (calls == 0)
        return function->calls == 0 ? 0 : add_error(link, rest * rest * variance(function), error);
    if (missing == 0 && link->estimate.spread == 0)
        return 0;
    const struct durations durations = durations_of(link);
    double grown = 1 + rest / calls;
    double times = (double)link->estimate.spread * grown * grown + rest * grown;
    return add_error(link, times * variance(&durations), error);
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

/* What the timed calls of a function say of those in links without any. */
struct of_function {
    struct link_estimate estimate;
    struct durations durations;
};

static void add_to_function(struct of_function *function, const struct link *link)
{
    const struct durations durations = durations_of(link);
    function->estimate.calls += link->estimate.calls;
    function->estimate.raw_ns += link->estimate.raw_ns;
    function->estimate.hooks_ps += link->estimate.hooks_ps;
    function->durations.calls += durations.calls;
    function->durations.sum_ns += durations.sum_ns;
    function->durations.square_sum += durations.square_sum;
}

static int complete_link(struct link *link, const struct of_function *function, struct error *error)
{
    uint64_t all = finished(link), timed = link->estimate.calls;
    uint64_t missing = all > timed ? all - timed : 0;
    if (add_link_error(link, missing, &function->durations, error) != 0)
        return -1;
    if (missing == 0)
        return 0;
    return timed != 0 ? complete_by_link(link, missing, error)
                      : complete_by_function(link, &function->estimate, missing, error);
}

static int complete(const struct links *links, struct of_function *functions, struct error *error)
{
    for (size_t i = 0; i < links->touched_count; i++)
        add_to_function(&functions[links->touched[i]->function->same_id], links->touched[i]);
    for (size_t i = 0; i < links->touched_count; i++) {
        struct link *link = links->touched[i];
        if (complete_link(link, &functions[link->function->same_id], error) != 0)
            return -1;
    }
    return 0;
}

int sampled_complete(struct links *links, const struct rollup *rollup, struct error *error)
{
    struct of_function *functions = calloc(rollup->functions_capacity + 1, sizeof *functions);
    if (functions == NULL)
        return error_set(error, "out of memory");
    int result = complete(links, functions, error);
    free(functions);
    return result;
}
