/* Adding up rows of calls: see row_sums.h. */
#include "loader/calls/row_sums.h"

#include <stdlib.h>

#include "loader/calls/call_picture.h"
#include "loader/calls/callee_history.h"
#include "loader/calls/sampled.h"

#define SUMS_AHEAD 8u /* rows: some hundred nanoseconds */

/* A call's times without the hooks' cost. */
struct row_times {
    uint64_t adjusted_ns, cpu_ns;
};

/* Counts that a call was entered. */
static inline void entered(const struct row *row, uint64_t call_id, uint32_t threads_begun)
{
    struct function_rollup *function = row->function;
    struct call_sums *sums = &row->link->sums;
    uint64_t enter_ns = row->enter_ns;
    if (function->thread == threads_begun)
        function->intervals[rollup_bucket(enter_ns - function->last_enter_ns)]++;
    function->thread = threads_begun;
    function->last_enter_ns = enter_ns;
    function->last_call = call_id;
    if (row->depth > function->depth_max || function->deepest_call == 0 ||
        (row->depth == function->depth_max && call_id < function->deepest_call)) {
        function->depth_max = row->depth;
        function->deepest_call = call_id;
    }
    if (sums->calls++ == 0) {
        sums->first_call = call_id;
        sums->first_enter_ns = enter_ns;
    }
    if (enter_ns >= sums->last_enter_ns) {
        sums->last_enter_ns = enter_ns;
        sums->last_call = call_id;
    }
}

/* Keeps one of its function's slowest calls. */
static __attribute__((noinline)) void keep_slow(const struct row *row, uint64_t call_id,
                                                const struct row_times *times)
{
    struct slow_call slow = {.cpu_ns = times->cpu_ns,
                             .duration_ns = times->adjusted_ns,
                             .raw_ns = row->duration_ns,
                             .call_id = call_id};
    if (row->off != NULL)
        slow.off = row->off->total;
    rollup_slow_call(row->function, &slow);
}

/* Adds a call that returned or was unwound. */
static inline int add_finished(const struct row *row, uint64_t call_id,
                               const struct row_times *times, struct error *error)
{
    struct function_rollup *function = row->function;
    function->kinds.unwound += row->ended == ENDED_UNWOUND;
    function->kinds.single_child += row->child_calls == 1;
    if (rollup_is_slow(function, times->cpu_ns))
        keep_slow(row, call_id, times);
    return call_sums_finished(&row->link->sums, call_id, times->cpu_ns, error) != 0
               ? -1
               : duration_counts_add(&function->durations, times->cpu_ns, 1, error);
}

/* Adds a call's time off the processor. Its adjusted duration becomes no less than that. */
static __attribute__((noinline)) int add_off(const struct row *row, struct row_times *times,
                                             struct error *error)
{
    struct rare_sums *rare = call_sums_rare(&row->link->sums, error);
    if (rare == NULL)
        return -1;
    uint64_t off_ns = row->off->total.wait_ns + row->off->total.preempted_ns;
    off_sums_add(&rare->off, row->off);
    times->cpu_ns = times->adjusted_ns > off_ns ? times->adjusted_ns - off_ns : 0;
    times->adjusted_ns = tally_no_less_than_off(times->adjusted_ns, row->duration_ns, off_ns);
    return 0;
}

/* A call that was open at the end, or was lost. */
static __attribute__((noinline)) int add_open(const struct row *row, struct error *error)
{
    struct rare_sums *rare = call_sums_rare(&row->link->sums, error);
    if (rare == NULL)
        return -1;
    rare->open++;
    return 0;
}

static void free_off(struct row *row)
{
    free(row->off);
    row->off = NULL;
}

/* Of a thread in which some calls have no times. */
static __attribute__((noinline)) int left_sampled(struct row *row, uint64_t call_id,
                                                  struct error *error)
{
    struct function_rollup *function = row->function;
    uint64_t adjusted = tally_adjusted(row->duration_ns, row->hooks.total_ps);
    struct row_times times = {adjusted, adjusted};
    if (row->off != NULL && add_off(row, &times, error) != 0)
        return -1;
    if (row->ended > ENDED_UNWOUND) {
        if (add_open(row, error) != 0)
            return -1;
    } else {
        function->kinds.unwound += row->ended == ENDED_UNWOUND;
        function->kinds.single_child += row->child_calls == 1;
        if (row->weight != 0 && rollup_is_slow(function, times.cpu_ns))
            keep_slow(row, call_id, &times);
        if (row->weight != 0 &&
            duration_counts_add(&function->durations, times.cpu_ns, row->weight, error) != 0)
            return -1;
    }
    row->link->sums.child_calls += row->child_calls;
    function->kinds.calling += row->child_calls > 0;
    int result = sampled_add(row, call_id, times.cpu_ns, error);
    free_off(row);
    return result;
}

static inline int left(struct row *row, uint64_t call_id, struct error *error)
{
    if (__builtin_expect(row->sampled, 0))
        return left_sampled(row, call_id, error);
    struct call_sums *sums = &row->link->sums;
    uint64_t adjusted = tally_adjusted(row->duration_ns, row->hooks.total_ps);
    struct row_times times = {adjusted, adjusted};
    if (__builtin_expect(row->off != NULL, 0) && add_off(row, &times, error) != 0)
        return -1;
    if (row->ended > ENDED_UNWOUND ? add_open(row, error) != 0
                                   : add_finished(row, call_id, &times, error) != 0)
        return -1;
    sums->raw_ns += row->duration_ns;
    sums->hooks_ps += row->hooks.total_ps;
    sums->self.raw_ns += row->duration_ns - row->children_ns;
    sums->self.hooks_ps += row->hooks.self_ps;
    sums->child_calls += row->child_calls;
    row->function->kinds.calling += row->child_calls > 0;
    if (__builtin_expect(row->off != NULL, 0))
        free_off(row);
    return 0;
}

int row_sums_left(struct row *row, uint64_t call_id, struct error *error)
{
    return left(row, call_id, error);
}

/* Prefetches the sums and the histogram's step for a row. */
static inline void want_sums(const struct row *row)
{
    uint64_t ns = tally_adjusted(row->duration_ns, row->hooks.total_ps);
    unsigned group = duration_group(ns);
    __builtin_prefetch(&row->link->sums.calls, 1);
    __builtin_prefetch(&row->link->sums.hooks_ps, 1);
    __builtin_prefetch(
        (const void *)((uintptr_t)row->function->durations.groups[group] + 8 * (ns >> group)), 1);
}

/* Adds rows of one slice of time. */
static inline int add_run(struct row_window *window, uint64_t first_id, uint64_t end_id,
                          uint64_t known_id, struct error *error)
{
    struct call_picture *picture = window->picture;
    struct row *row = row_window_row(window, first_id);
    for (uint64_t id = first_id; id < end_id; id++, row = row_window_next(window, row, 1)) {
        row_expect_write(row);
        if (known_id - id > SUMS_AHEAD)
            want_sums(row_window_next(window, row, SUMS_AHEAD));
        entered(row, id, window->threads_begun);
        if (callee_history_row(window->history, row, id, error) != 0)
            return -1;
        if (!row->done
                ? call_picture_open(picture, row, id, error) != 0
                : call_picture_done(picture, row, id, error) != 0 || left(row, id, error) != 0)
            return -1;
    }
    return 0;
}

int row_sums_add(struct row_window *window, uint64_t first_id, uint64_t end_id, uint64_t known_id,
                 struct error *error)
{
    for (uint64_t id = first_id, run_end; id < end_id; id = run_end) {
        run_end = end_id;
        if (call_picture_run(window->picture, window, id, &run_end, error) != 0 ||
            add_run(window, id, run_end, known_id, error) != 0)
            return -1;
    }
    return 0;
}

int row_sums_counted(const struct counted_calls *calls, struct error *error)
{
    struct call_sums *sums = &calls->link->sums;
    struct rare_sums *rare = call_sums_rare(sums, error);
    if (rare == NULL)
        return -1;
    rare->counted += calls->calls;
    sums->self.raw_ns += calls->raw_ns;
    sums->self.hooks_ps += calls->hooks_ps;
    sums->raw_ns += calls->raw_ns;
    sums->hooks_ps += calls->hooks_ps;
    return 0;
}
