/* What is added up: tallies and rollups are the same in whichever pieces they are added, and a link
 * belongs to one caller's frame, one pair, and the frame that this is open in. */
#include <pthread.h>
#include "loader/calls/call_sums.h"
#include "loader/calls/frames.h"
#include "loader/calls/call_rows.h"
#include "loader/calls/links.h"
#include "loader/calls/rollup.h"
#include "loader/calls/tally.h"
#include "tests/unit/check.h"

#include <stdlib.h>

static struct error error;

/* ---- tallies ---- */

/* A call as a tally counts it: it lasted `ns` from `enter_ns` on. */
static struct tally one_call(uint64_t id, uint64_t enter_ns, uint64_t ns)
{
    return (struct tally){.calls = 1,
                          .finished = 1,
                          .sum_ns = ns,
                          .square_sum = (wide_uint)ns * ns,
                          .min_ns = ns,
                          .max_ns = ns,
                          .fastest_call = id,
                          .slowest_call = id,
                          .first_enter_ns = enter_ns,
                          .first_call = id,
                          .last_enter_ns = enter_ns};
}

/* Adds the same call to the sums of a link or a frame. */
static void add_call(struct call_sums *sums, uint64_t id, uint64_t enter_ns, uint64_t ns)
{
    if (sums->calls++ == 0) {
        call_sums_begin(sums);
        sums->first_call = id;
        sums->first_enter_ns = enter_ns;
    }
    sums->last_enter_ns = enter_ns;
    call_sums_finished(sums, id, ns, &error);
    sums->raw_ns += ns;
}

static void tallies_add_up(void)
{
    /* Equal extremes: the one with the lesser id counts. */
    struct tally calls[] = {one_call(5, 100, 30), one_call(3, 100, 30), one_call(9, 700, 10),
                            one_call(8, 700, 10), one_call(7, 400, 20)};
    struct tally forwards = {0}, backwards = {0}, empty = {0}, open = {.calls = 1, .open = 1};
    for (int i = 0; i < 5; i++) {
        tally_add(&forwards, &calls[i]);
        tally_add(&backwards, &calls[4 - i]);
    }
    check(memcmp(&forwards, &backwards, sizeof forwards) == 0, "calls add up in any order");
    check_equal(8, forwards.fastest_call, "the fastest call, of two the first");
    check_equal(3, forwards.slowest_call, "the slowest one likewise");
    check_equal(3, forwards.first_call, "the first call");
    check_equal(700, forwards.last_enter_ns, "when the last one began");
    check_equal(5, forwards.calls, "five calls");
    tally_add(&backwards, &empty);
    check(memcmp(&forwards, &backwards, sizeof forwards) == 0, "adding nothing changes nothing");
    tally_add(&backwards, &open);
    check(backwards.min_ns == 10 && backwards.finished == 5 && backwards.open == 1,
          "an open call has no duration");
    check(tally_mean(&forwards) > 19.999 && tally_mean(&forwards) < 20.001,
          "the mean of 30 30 10 10 20");
    check(tally_m2(&forwards) > 399.999 && tally_m2(&forwards) < 400.001,
          "and their squared deviations");
}

/* Squares of large, nearly equal numbers lose everything in doubles. */
static void statistics_are_exact(void)
{
    struct tally tally = {0};
    for (uint64_t i = 0; i < 3; i++) {
        struct tally call = one_call(i + 1, i, 1000000000000 + i);
        tally_add(&tally, &call);
    }
    check(tally_m2(&tally) > 1.999 && tally_m2(&tally) < 2.001,
          "deviations of 1e12, 1e12 + 1, 1e12 + 2: %g", tally_m2(&tally));
}

/* Sums say what a tally of the same calls does, whatever pieces they are added in. */
static void sums_are_tallies(void)
{
    const uint64_t ns[] = {7, 0, UINT64_C(5) << 32, UINT64_C(1) << 63, UINT64_C(1) << 63, 7};
    const struct outermost both = {true, true};
    struct tally expected = {0};
    struct call_sums all = {0}, pieces[2] = {{0}, {0}}, frame = {0}, empty = {0};
    for (uint64_t i = 0; i < 6; i++) {
        struct tally call = one_call(i + 1, 10 * i, ns[i]);
        call.total.frame_raw_ns = call.total.function_raw_ns = ns[i];
        tally_add(&expected, &call);
        add_call(&all, i + 1, 10 * i, ns[i]);
        add_call(&pieces[i % 2], i + 1, 10 * i, ns[i]);
    }
    struct tally whole = call_sums_tally(&all, both);
    check(memcmp(&expected, &whole, sizeof whole) == 0, "sums are a tally");
    check(call_sums_add(&frame, &pieces[1], true, &error) == 0 &&
              call_sums_add(&frame, &empty, true, &error) == 0 &&
              call_sums_add(&frame, &pieces[0], true, &error) == 0,
          "they are added");
    whole = call_sums_tally(&frame, both);
    check(memcmp(&expected, &whole, sizeof whole) == 0, "in any order, beyond 64 bits");
    check(!call_sums_any(&empty) && call_sums_any(&frame), "nothing is told from something");

    struct rare_sums *rare = call_sums_rare(&pieces[0], &error);
    *rare = (struct rare_sums){.counted = 4, .open = 1, .off.total = {5, 6}, .off.self = {1, 2}};
    whole = call_sums_tally(&pieces[0], (struct outermost){.of_frame = true});
    check(whole.calls == 7 && whole.counted == 4 && whole.finished == 2 && whole.open == 1,
          "counted calls and open ones are apart");
    check(whole.total.frame_off.wait_ns == 5 && whole.off.total.wait_ns == 0 &&
              whole.off.self.preempted_ns == 2 && whole.total.function_raw_ns == 0,
          "time of calls within one of their function is counted once");
    call_sums_add(&frame, &pieces[0], false, &error);
    whole = call_sums_tally(&frame, both);
    check(whole.total.frame_raw_ns == expected.total.frame_raw_ns && whole.off.self.wait_ns == 1 &&
              whole.total.frame_off.wait_ns == 0,
          "as is that of calls within one of their frame");
    for (int i = 0; i < 2; i++)
        call_sums_release(&pieces[i]);
    call_sums_release(&all);
    call_sums_release(&frame);
}

static void costs_are_taken_out(void)
{
    check_equal(100 - 8, tally_adjusted(100, 8999), "two calls' hooks cost 8.999 ns");
    check_equal(0, tally_adjusted(7, 8000), "no time is less than 0");
}

/* ---- rollups ---- */

static void slow_calls(void)
{
    struct function_rollup *function = calloc(1, sizeof *function);
    if (function == NULL)
        return;
    for (uint64_t id = 1; id <= 100; id++)
        if (rollup_is_slow(function, id % 50)) {
            /* The longer they took, the less of it was on the processor. */
            struct slow_call call = {
                .cpu_ns = id % 50, .duration_ns = 1000 - id % 50, .call_id = id};
            rollup_slow_call(function, &call);
        }
    uint64_t sum = 0, ids = 0, least = 99;
    for (uint32_t i = 0; i < function->slow_count; i++) {
        sum += function->slow[i].cpu_ns;
        ids += function->slow[i].call_id;
        if (function->slow[i].cpu_ns < least)
            least = function->slow[i].cpu_ns;
    }
    /* Of 1 .. 49, 0 twice the 16 slowest: 49 49 48 48 ... 42 42. */
    check_equal(SLOW_CALLS, function->slow_count, "16 slow calls are kept");
    check_equal(2 * (49 + 48 + 47 + 46 + 45 + 44 + 43 + 42), sum, "the slowest ones");
    check_equal(sum + 8 * 50, ids, "with their ids");
    check_equal(42, least, "the least of them");
    check_equal(least, function->slow[0].cpu_ns, "which is the next to go");
    free(function);
}

static void durations(void)
{
    struct duration_counts counts = {.groups = {NULL}};
    uint64_t times = 0;
    check_equal(0, duration_counts_rank(&counts, 1), "of nothing no rank is known");
    for (uint64_t ns = 0; ns < 3000; ns++)
        times += duration_counts_add(&counts, ns, 1, &error) == 0;
    for (uint64_t ns = 3000; ns < UINT64_MAX / 3; ns *= 3)
        times += duration_counts_add(&counts, ns, 1, &error) == 0;
    bool near = true;
    uint64_t rank = 0;
    for (uint64_t ns = 0; ns < UINT64_MAX / 3; ns = ns < 3000 ? ns + 1 : ns * 3) {
        uint64_t found = duration_counts_rank(&counts, ++rank);
        uint64_t error_ns = found > ns ? found - ns : ns - found;
        near = near && error_ns <= ns / 32;
    }
    check(near, "each rank's duration is known to 1 in 32, exactly below 32 ns");
    check_equal(times, rank, "all were added");
    check_equal(0, duration_counts_rank(&counts, rank + 1), "there is none beyond the last");
    check_equal(2, duration_counts_of(&counts, 0), "0 and 1 ns share a bucket");
    check_equal(8, duration_counts_of(&counts, 3), "8 .. 15 ns are another");
    check_equal(16, duration_counts_of(&counts, 4), "16 .. 31 ns, too");
    check_equal(512, duration_counts_of(&counts, 9), "and 512 .. 1023 ns");
    duration_counts_release(&counts);
}

static void buckets(void)
{
    check(rollup_bucket(0) == 0 && rollup_bucket(1) == 0, "bucket 0 holds 0 and 1 ns");
    check(rollup_bucket(2) == 1 && rollup_bucket(3) == 1 && rollup_bucket(4) == 2,
          "1 holds 2 and 3");
    check_equal(63, rollup_bucket(UINT64_MAX), "the last one what is largest");
}

static void shapes_are_limited(void)
{
    struct rollup rollup;
    struct shape *shape = NULL;
    uint32_t ids[SEQUENCE_SHOWN] = {0};
    rollup_init(&rollup);
    bool made = true;
    uint64_t count = 0;
    for (; count < SHAPE_IDS_MAX / SEQUENCE_SHOWN; count++) {
        made &= rollup_shape(&rollup, (struct shape_hash){count, ~count}, 1, 1000, ids, &shape,
                             &error) == 0 &&
                shape != NULL;
    }
    check(made, "%u long sequences are kept", SHAPE_IDS_MAX / SEQUENCE_SHOWN);
    check_equal(SEQUENCE_SHOWN, rollup.shapes[0].shown, "of each the first callees");
    check_equal(1000, rollup.shapes[0].length, "and its whole length");
    rollup_shape(&rollup, (struct shape_hash){count, ~count}, 1, 1000, ids, &shape, &error);
    check(shape == NULL, "one more is not");
    rollup_shape(&rollup, (struct shape_hash){7, ~UINT64_C(7)}, 1, 1000, ids, &shape, &error);
    check(shape == &rollup.shapes[7], "those that are known are found");
    rollup_release(&rollup);
}

static void fill(struct rollup *rollup, uint64_t first_call)
{
    struct tally call = one_call(first_call, first_call * 10, first_call);
    struct call_sums *frame;
    struct function_rollup *function;
    uint32_t index;
    rollup_init(rollup);
    rollup_frame(rollup, 5, &frame, &error);
    add_call(frame, first_call, first_call * 10, first_call);
    rollup_function(rollup, 2, &function, &error);
    for (uint64_t ns = 16; ns < 19; ns++)
        duration_counts_add(&function->durations, ns, 1, &error);
    function->nesting_max = 2;
    function->depth_max = 2;
    function->nested_call = function->deepest_call = first_call;
    function->last_exit_ns = 10 * first_call;
    rollup_latest_call(function, 70, first_call);
    tally_add(&function->tally, &call);
    function->kinds.childless = 1;
    function->kinds.childless_example = first_call;
    function->recursion.cycle = first_call > 1 ? strdup("2 3") : NULL;
    function->recursion.cycle_call = first_call;
    struct slow_call slow = {.cpu_ns = first_call, .call_id = first_call};
    rollup_slow_call(function, &slow);
    rollup_edge(rollup, 1, 7, 2, &index, &error);
    rollup_edge_add(&rollup->edges[index], &call);
    /* The other one knows this pair under another index. */
    if (first_call > 1)
        rollup_callee_runs(rollup, 8, 9, &index, &error);
    rollup_callee_runs(rollup, 1, 2, &index, &error);
    rollup->callee_runs[index] = (struct callee_runs){
        .count = 1, .calls = first_call, .longest = first_call, .longest_call = first_call};
    rollup_transition(rollup, 1, 4, 2, &index, &error);
    rollup->transitions[index] = (struct callee_transition){.count = 2, .example_call = first_call};
}

static void rollups_merge(void)
{
    struct rollup a, b, into[2];
    for (int order = 0; order < 2; order++) {
        fill(&a, 1);
        fill(&b, 40);
        rollup_init(&into[order]);
        bool merged = rollup_merge(&into[order], order == 0 ? &a : &b, &error) == 0 &&
                      rollup_merge(&into[order], order == 0 ? &b : &a, &error) == 0;
        check(merged, "two workers' rollups are merged");
        rollup_release(&a);
        rollup_release(&b);
        rollup_release(&b);
    }
    for (int order = 0; order < 2; order++) {
        struct rollup *sum = &into[order];
        const struct function_rollup *function = sum->functions[2];
        uint32_t index;
        check_equal(2, rollup_frame_sums(sum, 5)->calls, "a frame's calls");
        check(rollup_frame_sums(sum, FRAMES_A_BLOCK) == NULL, "but of one that has none");
        check_equal(2, function->tally.calls, "a function's");
        check(function->deepest_call == 1 && function->last_exit_ns == 400 &&
                  function->latest_call == 40,
              "its deepest call, its last end, its latest call");
        check_equal(6, duration_counts_of(&function->durations, 4), "a function's histogram");
        check_equal(17, duration_counts_rank(&function->durations, 4), "and the ranks in it");
        check_equal(1, function->nested_call, "its first deepest call");
        check(function->kinds.childless == 2 && function->kinds.childless_example == 1,
              "its calls without calls");
        check_string("2 3", function->recursion.cycle, "its cycle, from the one that has it");
        check_equal(2, function->slow_count, "its slow calls");
        check(sum->edge_keys.count == 1 && sum->edges[0].calls == 2, "an edge's calls");
        check_equal(40, sum->edges[0].slowest_call, "its slowest call");
        check_equal(1, sum->edges[0].first_call, "its first one");
        rollup_callee_runs(sum, 1, 2, &index, &error);
        check(sum->callee_runs[index].count == 2 && sum->callee_runs[index].calls == 41,
              "runs of a callee");
        check_equal(40, sum->callee_runs[index].longest_call, "the longest one's call");
        struct callee_runs_key runs = rollup_callee_runs_key(sum, index);
        check(runs.caller == 1 && runs.callee == 2, "a run's key is what it was made of");
        struct transition_key key = rollup_transition_key(sum, 0);
        check(key.caller == 1 && key.previous == 4 && key.callee == 2, "so is a transition's");
        check(sum->transitions[0].count == 4 && sum->transitions[0].example_call == 1,
              "transitions");
        rollup_release(sum);
    }
}

/* ---- links ---- */

static struct link *find(struct links *links, struct frames *frames, struct rollup *rollup,
                         struct link_key key, uint32_t caller)
{
    uint32_t pair = key.callee & (LINK_CALLEES_MAX - 1);
    struct link_callee callee = {caller, pair + 10, pair + 20};
    uint32_t next;
    struct link *link = links_find(links, key, &next);
    if (link == NULL && links_make(links, key, &callee, frames, rollup, &link, &error) != 0)
        return NULL;
    return link;
}

static uint64_t folded_calls, folded_links;

static int fold(void *context, const struct link *link, const struct tally *tally,
                struct error *why)
{
    (void)context;
    (void)why;
    (void)link;
    folded_calls += tally->calls;
    folded_links++;
    return 0;
}

static void links_are_found(struct helpers *helpers)
{
    struct links *links = malloc(sizeof *links);
    struct frames frames;
    struct rollup rollup;
    if (links == NULL)
        return;
    if (frames_init(&frames, &error) != 0) {
        free(links);
        return;
    }
    folded_calls = folded_links = 0;
    links_init(links, helpers);
    rollup_init(&rollup);
    const uint32_t called = 1 | LINK_HAS_CALLER;
    struct link *root = find(links, &frames, &rollup, (struct link_key){0, 0, 0}, 0);
    struct link *child =
        find(links, &frames, &rollup, (struct link_key){root->frame, called, 0}, 10);
    struct link *folded = find(links, &frames, &rollup,
                               (struct link_key){child->frame, LINK_HAS_CALLER, root->frame}, 11);
    struct link *rootless = find(links, &frames, &rollup, (struct link_key){root->frame, 1, 0}, 0);
    check(root->frame == 1 && child->frame == 2 && frames.items[1].parent == 1,
          "a callee's frame lies under the caller's");
    check(folded->frame == root->frame && folded != root,
          "a recursive call has the frame that is open");
    check_equal(2, frames_count(&frames), "and makes none");
    check(rootless->frame == child->frame && rootless != child && rootless->edge != child->edge,
          "a call without a caller may lie under a frame and be another link");
    check(rootless->callee_runs == UINT32_MAX && child->callee_runs == UINT32_MAX,
          "which callee they follow their rows will tell");
    const struct link_key again = child->key;
    check(find(links, &frames, &rollup, again, 10) == child, "the same call has the same link");
    uint32_t *first = links_next(root, NULL);
    const struct link_key other = {root->frame, called, 2};
    check(links_guess(links, first, again) == NULL, "which has not come first yet");
    check(links_find(links, again, first) == child && links_guess(links, first, again) == child,
          "until it has");
    check(links_guess(links, first, other) == NULL, "another one is not taken for it");
    struct link *second = find(links, &frames, &rollup, other, 10);
    check(links_find(links, other, first) == second && links_guess(links, first, other) == second,
          "that comes first the next time");
    check(links_guess(links, first, again) == child && links_guess(links, first, other) == second,
          "then the one before it is known still");
    check(links_next(root, child) == child->after, "and what came after it is kept there");
    for (uint32_t pair = 100; pair < 100 + 2 * LINKS_A_BLOCK; pair++)
        check_failures += find(links, &frames, &rollup, (struct link_key){1, pair, 0}, 10) == NULL;
    check(find(links, &frames, &rollup, again, 10) == child, "it is found among many");
    struct link *outermost = find(
        links, &frames, &rollup,
        (struct link_key){root->frame, called | LINK_OUTERMOST | LINK_OUTERMOST_IN_FRAME, 0}, 10);
    check(outermost != child && outermost->frame == child->frame,
          "outermost activations have a link of their own");

    links_touch(links, child, &error);
    add_call(&child->sums, 1, 5, 7);
    links_touch(links, rootless, &error);
    add_call(&rootless->sums, 2, 5, 7);
    links_touch(links, outermost, &error);
    links_touch(links, outermost, &error);
    add_call(&outermost->sums, 3, 5, 7);
    check_equal(0, links_fold(links, &rollup, fold, NULL, &error), "tallies are folded");
    check_equal(3, folded_calls, "each is shown");
    const struct call_sums *sums = rollup_frame_sums(&rollup, child->frame);
    check_equal(3, sums->calls, "they go to the frame");
    check_equal(7, sums->raw_ns, "whose time is that of outermost activations");
    check_equal(3, child->function->tally.calls, "to the function");
    check_equal(7, child->function->tally.total.function_raw_ns, "likewise");
    check_equal(2, rollup.edges[child->edge].calls, "and to their edges");
    check_equal(0, child->sums.calls, "and are empty then");
    links_fold(links, &rollup, fold, NULL, &error);
    check_equal(3, sums->calls, "so that they are added once");
    check_equal(3, folded_links, "and shown once");
    links_release(links);
    links_release(links);
    rollup_release(&rollup);
    frames_release(&frames);
    free(links);
}

static void *help(void *helpers)
{
    row_windows_help(helpers);
    return NULL;
}

/* Blocks of links are made ahead by another thread, or nobody has the time for it. */
static void links_with_helpers(void)
{
    struct helpers helpers;
    pthread_t thread;
    helpers_init(&helpers, 1);
    links_are_found(&helpers);
    helpers.errands = NULL;
    if (check(pthread_create(&thread, NULL, help, &helpers) == 0, "a helper starts")) {
        links_are_found(&helpers);
        helpers_leave(&helpers, 1);
        pthread_join(thread, NULL);
    }
    helpers_release(&helpers);
}

int main(void)
{
    tallies_add_up();
    statistics_are_exact();
    sums_are_tallies();
    costs_are_taken_out();
    slow_calls();
    durations();
    buckets();
    shapes_are_limited();
    rollups_merge();
    links_are_found(NULL);
    links_with_helpers();
    return check_status();
}
