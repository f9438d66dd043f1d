/* Sums over the calls of a link or a frame: see call_sums.h. */
#include "loader/calls/call_sums.h"

#include <stdlib.h>

struct rare_sums *call_sums_rare(struct call_sums *sums, struct error *error)
{
    if (sums->rare == NULL)
        sums->rare = calloc(1, sizeof *sums->rare);
    if (sums->rare == NULL)
        error_set(error, "out of memory");
    return sums->rare;
}

void call_sums_release(struct call_sums *sums)
{
    free(sums->rare);
    sums->rare = NULL;
}

int call_sums_add_high(struct call_sums *sums, uint64_t sum_high, uint64_t square_high,
                       struct error *error)
{
    struct rare_sums *rare = call_sums_rare(sums, error);
    if (rare == NULL)
        return -1;
    rare->sum_high += sum_high;
    rare->square_high += square_high;
    return 0;
}

int call_sums_finished_weighted(struct call_sums *sums, uint64_t call_id, uint64_t cpu_ns,
                                uint64_t weight, struct error *error)
{
    call_sums_extremes(sums, call_id, cpu_ns);
    wide_uint sum = (wide_uint)cpu_ns * weight, square = (wide_uint)cpu_ns * cpu_ns * weight;
    uint64_t sum_high = (uint64_t)(sum >> 64), square_high = (uint64_t)(square >> 64);
    sum_high += __builtin_add_overflow(sums->sum_ns, (uint64_t)sum, &sums->sum_ns);
    square_high += __builtin_add_overflow(sums->square_sum, (uint64_t)square, &sums->square_sum);
    return (sum_high | square_high) == 0 ? 0
                                         : call_sums_add_high(sums, sum_high, square_high, error);
}

static const struct rare_sums *rare_of(const struct call_sums *sums)
{
    static const struct rare_sums none;
    return sums->rare != NULL ? sums->rare : &none;
}

/* When sums are read, every call has ended. */
static uint64_t finished(const struct call_sums *sums)
{
    return sums->calls - rare_of(sums)->open;
}

static wide_uint whole(uint64_t high, uint64_t low)
{
    return (wide_uint)high << 64 | low;
}

struct tally call_sums_tally(const struct call_sums *sums, struct outermost outermost)
{
    const struct rare_sums *rare = rare_of(sums);
    struct tally tally = {.calls = sums->calls + rare->counted,
                          .counted = rare->counted,
                          .finished = finished(sums),
                          .open = rare->open,
                          .sum_ns = whole(rare->sum_high, sums->sum_ns),
                          .square_sum = whole(rare->square_high, sums->square_sum),
                          .self = sums->self,
                          .child_calls = sums->child_calls,
                          .off = rare->off,
                          .first_enter_ns = sums->first_enter_ns,
                          .first_call = sums->first_call,
                          .last_enter_ns = sums->last_enter_ns,
                          .last_call = sums->last_call};
    if (tally.finished > 0) {
        tally.min_ns = sums->min_ns;
        tally.max_ns = sums->max_ns;
        tally.fastest_call = sums->fastest_call;
        tally.slowest_call = sums->slowest_call;
    }
    tally.frame_errors = tally.function_errors = rare->errors;
    if (!outermost.of_frame)
        tally.frame_errors.total = 0;
    if (!outermost.of_function)
        tally.function_errors.total = 0;
    if (outermost.of_frame)
        tally.total.frame_off = rare->off.total;
    if (!outermost.of_function)
        tally.off.total = (struct off_time){0, 0};
    if (outermost.of_frame) {
        tally.total.frame_raw_ns = sums->raw_ns;
        tally.total.frame_hooks_ps = sums->hooks_ps;
    }
    if (outermost.of_function) {
        tally.total.function_raw_ns = sums->raw_ns;
        tally.total.function_hooks_ps = sums->hooks_ps;
    }
    return tally;
}

static void add_extremes(struct call_sums *into, const struct call_sums *from)
{
    if (finished(from) == 0)
        return;
    if (finished(into) == 0) {
        into->min_ns = UINT64_MAX;
        into->max_ns = 0;
        into->fastest_call = into->slowest_call = UINT64_MAX;
    }
    tally_smaller(&into->min_ns, &into->fastest_call, from->min_ns, from->fastest_call);
    tally_greater(&into->max_ns, &into->slowest_call, from->max_ns, from->slowest_call);
}

static void add_instants(struct call_sums *into, const struct call_sums *from)
{
    if (from->first_call == 0)
        return;
    if (into->first_call == 0)
        into->first_enter_ns = UINT64_MAX;
    tally_smaller(&into->first_enter_ns, &into->first_call, from->first_enter_ns, from->first_call);
    tally_later(&into->last_enter_ns, &into->last_call, from->last_enter_ns, from->last_call);
}

static int add_rare(struct call_sums *into, const struct rare_sums *from, bool of_frame,
                    struct error *error)
{
    struct rare_sums *rare = call_sums_rare(into, error);
    if (rare == NULL)
        return -1;
    struct off_sums off = from->off;
    struct tally_errors errors = from->errors;
    if (!of_frame) {
        off.total = (struct off_time){0, 0};
        errors.total = 0;
    }
    rare->counted += from->counted;
    rare->open += from->open;
    rare->sum_high += from->sum_high;
    rare->square_high += from->square_high;
    off_sums_add(&rare->off, &off);
    tally_errors_add(&rare->errors, &errors);
    return 0;
}

int call_sums_add(struct call_sums *into, const struct call_sums *from, bool of_frame,
                  struct error *error)
{
    add_extremes(into, from); /* before the counts, which say whether there are any */
    add_instants(into, from);
    into->calls += from->calls;
    into->child_calls += from->child_calls;
    tally_self_add(&into->self, &from->self);
    if (of_frame) {
        into->raw_ns += from->raw_ns;
        into->hooks_ps += from->hooks_ps;
    }
    uint64_t sum_high = __builtin_add_overflow(into->sum_ns, from->sum_ns, &into->sum_ns);
    uint64_t square_high =
        __builtin_add_overflow(into->square_sum, from->square_sum, &into->square_sum);
    if ((sum_high | square_high) != 0 &&
        call_sums_add_high(into, sum_high, square_high, error) != 0)
        return -1;
    return from->rare == NULL ? 0 : add_rare(into, from->rare, of_frame, error);
}
