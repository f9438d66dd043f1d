/* Figures over a set of calls: see tally.h. */
#include "loader/calls/tally.h"

#include <math.h>

static void add_extremes(struct tally *into, const struct tally *from)
{
    if (from->finished == 0)
        return;
    if (into->finished == 0) {
        into->min_ns = UINT64_MAX;
        into->max_ns = 0;
        into->fastest_call = into->slowest_call = UINT64_MAX;
    }
    tally_smaller(&into->min_ns, &into->fastest_call, from->min_ns, from->fastest_call);
    tally_greater(&into->max_ns, &into->slowest_call, from->max_ns, from->slowest_call);
}

static void add_instants(struct tally *into, const struct tally *from)
{
    if (from->first_call == 0)
        return;
    if (into->first_call == 0)
        into->first_enter_ns = UINT64_MAX;
    tally_smaller(&into->first_enter_ns, &into->first_call, from->first_enter_ns, from->first_call);
    tally_later(&into->last_enter_ns, &into->last_call, from->last_enter_ns, from->last_call);
}

void tally_add(struct tally *into, const struct tally *from)
{
    add_extremes(into, from); /* before `finished`, which says whether there are any */
    add_instants(into, from);
    into->calls += from->calls;
    into->counted += from->counted;
    into->finished += from->finished;
    into->open += from->open;
    into->sum_ns += from->sum_ns;
    into->square_sum += from->square_sum;
    tally_self_add(&into->self, &from->self);
    into->child_calls += from->child_calls;
    into->total.frame_hooks_ps += from->total.frame_hooks_ps;
    into->total.frame_raw_ns += from->total.frame_raw_ns;
    into->total.function_hooks_ps += from->total.function_hooks_ps;
    into->total.function_raw_ns += from->total.function_raw_ns;
    off_sums_add(&into->off, &from->off);
    off_time_add(&into->total.frame_off, from->total.frame_off);
    tally_errors_add(&into->frame_errors, &from->frame_errors);
    tally_errors_add(&into->function_errors, &from->function_errors);
}

uint64_t tally_error(wide_uint square)
{
    return (uint64_t)llround(sqrt((double)square));
}

double tally_mean(const struct tally *tally)
{
    return (double)((long double)tally->sum_ns / (long double)tally->finished);
}

double tally_m2(const struct tally *tally)
{
    /* With q = sum / n in integers and r the rest, the sum of (x - q)^2 is exact in 128 bits, and
     * the sum of (x - mean)^2 is less by r^2 / n: no difference of large, nearly equal numbers. */
    wide_uint q = tally->sum_ns / tally->finished;
    wide_uint r = tally->sum_ns % tally->finished;
    wide_uint around_q =
        tally->square_sum - 2 * q * tally->sum_ns + q * q * (wide_uint)tally->finished;
    long double rest = (long double)r * (long double)r / (long double)tally->finished;
    long double m2 = (long double)around_q - rest;
    return m2 > 0 ? (double)m2 : 0;
}
