/* What a decoder holds of one thread: the stack of open calls with those that are hidden, what they
 * have called, the chunk's dictionary, the clock, the rows that wait, and what is lost. Each is
 * released in any state. */
#include "base/must.h"
#include "loader/calls/call_picture.h"
#include "loader/calls/call_rows.h"
#include "loader/calls/call_stack.h"
#include "loader/calls/callee_history.h"
#include "loader/calls/decode_losses.h"
#include "loader/calls/dictionary.h"
#include "loader/calls/thread_clock.h"
#include "tests/unit/check.h"

#include <stdlib.h>

static struct error error;

/* ---- the stack ---- */

static struct open_call *push(struct call_stack *stack, uint64_t id)
{
    struct open_call *call;
    if (call_stack_place(stack, &call, &error) != 0)
        return NULL;
    *call = (struct open_call){.head.call_id = id};
    stack->depth++;
    return call;
}

static void stack_grows(void)
{
    struct call_stack stack;
    check_equal(0, call_stack_init(&stack, &error), "a stack is made");
    check(call_stack_top(&stack) == NULL && call_stack_own_top(&stack) == NULL &&
              call_stack_call_id(&stack) == 0,
          "nothing is open");
    bool pushed = true;
    for (uint64_t id = 1; id <= 1000; id++)
        pushed &= push(&stack, id) != NULL;
    check(pushed && call_stack_call_id(&stack) == 1000, "a thousand calls are open");
    check_equal(1, stack.items[0].head.call_id, "the outermost one stays where it was");
    stack.inherited = 1000;
    check(call_stack_top(&stack) != NULL && call_stack_own_top(&stack) == NULL &&
              call_stack_call_id(&stack) == 0,
          "inherited calls are open, but not the thread's own");
    push(&stack, 2000);
    struct memory_stack own = call_stack_own(&stack);
    check_equal(1, own.depth, "memory is shown the thread's own calls");
    check(own.calls == &stack.items[1000], "which lie above the inherited ones");
    call_stack_clear(&stack);
    check(stack.depth == 0 && stack.inherited == 0 && stack.hidden_count == 0,
          "a cleared stack is empty");
    call_stack_release(&stack);
    call_stack_release(&stack);
    check(stack.items == NULL, "it may be released twice");
}

static void stack_is_limited(void)
{
    struct call_stack stack;
    struct open_call *call;
    call_stack_init(&stack, &error);
    stack.depth = 1u << 24; /* as if so many were there: only the place of the next is asked for */
    stack.capacity = 1u << 24;
    check_equal(-1, call_stack_place(&stack, &call, &error), "16 million calls are enough");
    check_equal(ERROR_DAMAGE, error.kind, "more are damage");
    call_stack_release(&stack);
}

static void stack_hides(void)
{
    struct call_stack stack;
    call_stack_init(&stack, &error);
    check_equal(0, call_stack_floor(&stack), "without hidden calls an exit ends what is open");
    call_stack_hide(&stack, 3, &error);
    push(&stack, 1);
    push(&stack, 2);
    call_stack_hide(&stack, 4, &error);
    call_stack_hide(&stack, 1, &error);
    check_equal(2, stack.hidden_count, "calls hidden at one depth are one group");
    check_equal(2, call_stack_hidden_at(&stack), "the innermost lie on two calls");
    check_equal(2, call_stack_floor(&stack), "down to there exits end known calls");
    check_equal(5, call_stack_end_hidden(&stack, 9), "no more end than are hidden");
    check_equal(0, call_stack_hidden_at(&stack), "the others are the outermost of all");
    check_equal(0, call_stack_end_hidden(&stack, 1), "and not innermost");
    push(&stack, 3);
    call_stack_hide(&stack, 7, &error);
    stack.depth = 1;
    check_equal(3, call_stack_drop_hidden(&stack), "with a call those hidden within it are gone");
    stack.inherited = 1;
    check_equal(1, call_stack_floor(&stack), "an exit does not end an inherited call");
    stack.depth = stack.inherited = 0;
    check_equal(1, call_stack_end_hidden(&stack, 1), "one hidden call ends");
    check_equal(2, stack.hidden[0].calls, "two are left");
    call_stack_release(&stack);
}

/* ---- what they called ---- */

struct history_case {
    struct rollup rollup;
    struct callee_history history;
    struct function_rollup caller, called[3];
    struct link caller_link, again,
        callees[3];     /* function 1, itself within itself, 2, 3 and 4 in it */
    uint64_t id, at[4]; /* of the last call, and of that at each depth */
};

static void case_begin(struct history_case *it)
{
    memset(it, 0, sizeof *it);
    rollup_init(&it->rollup);
    callee_history_init(&it->history, &it->rollup);
    it->caller.same_id = 1;
    it->caller_link = it->again = (struct link){.function = &it->caller, .callee_runs = NO_CALLEE};
    for (uint32_t i = 0; i < 3; i++) {
        it->called[i].same_id = i + 2;
        it->callees[i] = (struct link){.function = &it->called[i], .callee_runs = NO_CALLEE};
    }
}

static void case_end(struct history_case *it)
{
    rollup_release(&it->rollup);
    callee_history_release(&it->history);
    callee_history_release(&it->history);
}

/* A call of a thread, which takes 10 ns. child_calls: where it is done. */
static void call(struct history_case *it, struct link *link, uint32_t depth, bool done,
                 uint64_t child_calls)
{
    uint64_t id = ++it->id;
    it->at[depth] = id;
    struct row row = {.link = link,
                      .depth = depth,
                      .distance = depth > 0 ? id - it->at[depth - 1] : 0,
                      .done = done,
                      .child_calls = child_calls,
                      .duration_ns = 10};
    callee_history_row(&it->history, &row, id, &error);
}

/* Calls the callees whose letters are in the text: "aab" calls the first one twice, then the
 * second. */
static void calls(struct history_case *it, uint32_t depth, const char *letters)
{
    for (; *letters != '\0'; letters++)
        call(it, &it->callees[*letters - 'a'], depth, true, 0);
}

static uint64_t transitions(const struct rollup *rollup, uint32_t previous, uint32_t callee)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < rollup->transition_keys.count; i++) {
        struct transition_key key = rollup_transition_key(rollup, i);
        if (key.caller == 1 && key.previous == previous && key.callee == callee)
            count += rollup->transitions[i].count;
    }
    return count;
}

static void history_counts(void)
{
    struct history_case it;
    case_begin(&it);
    call(&it, &it.caller_link, 0, true, 6);
    calls(&it, 1, "aaabaa");
    call(&it, &it.caller_link, 0, true, 5); /* the next one of the thread: the first has ended */
    const struct callee_runs *a = &it.rollup.callee_runs[it.callees[0].callee_runs];
    check_equal(2, a->count, "aaabaa: two runs of a");
    check_equal(5, a->calls, "of five calls");
    check_equal(50, a->raw_total_ns, "which took 50 ns");
    check_equal(3, a->longest, "the longest one of three");
    check_equal(1, a->longest_call, "in this call");
    check_equal(1, a->caller_calls, "by one call");
    check_equal(1, transitions(&it.rollup, 0, 2), "a comes first once");
    check_equal(1, transitions(&it.rollup, 2, 3), "b follows a once");
    check_equal(1, transitions(&it.rollup, 3, 2), "a follows b once");
    check_equal(0, transitions(&it.rollup, 2, 2), "and a never a: that is one run");
    calls(&it, 1, "abbba");
    call(&it, &it.caller_link, 0, true, 0);
    check_equal(0, callee_history_finish(&it.history, &error), "the thread ends");
    check_equal(1, it.rollup.shapes_count, "aba is one sequence, whatever the runs' lengths");
    check_equal(2, it.rollup.shapes[0].calls, "of two calls");
    check_equal(3, it.rollup.shapes[0].length, "of three callees");
    check(it.rollup.shape_ids[0] == 2 && it.rollup.shape_ids[1] == 3 && it.rollup.shape_ids[2] == 2,
          "which are 2, 3, 2");
    check_equal(1, it.caller.kinds.childless, "a call without calls is counted by itself");
    check_equal(14, it.caller.kinds.childless_example, "with its id");
    case_end(&it);
}

/* The inner activation's callees lie on top of the outer one's and leave them alone. */
static void history_nests(void)
{
    struct history_case it;
    case_begin(&it);
    call(&it, &it.caller_link, 0, false, 0);
    calls(&it, 1, "ab");
    call(&it, &it.again, 1, false, 0);
    calls(&it, 2, "ac");
    callee_history_ended(&it.history, 700);
    calls(&it, 1, "a");
    callee_history_ended(&it.history, 800);
    check_equal(0, callee_history_finish(&it.history, &error), "the thread ends");
    const struct callee_runs *a = &it.rollup.callee_runs[it.callees[0].callee_runs];
    check_equal(2, a->caller_calls, "recursion: each activation that calls a counts once");
    check_equal(3, a->count, "three runs of a in all");
    check_equal(700, it.rollup.callee_runs[it.again.callee_runs].raw_total_ns,
                "the inner activation's time was told when it ended");
    check_equal(2, it.rollup.shapes_count, "two sequences");
    check_equal(4, it.rollup.shapes[1].length, "the outer one is ab, itself, a");
    check(it.rollup.shape_ids[2] == 2 && it.rollup.shape_ids[3] == 3 &&
              it.rollup.shape_ids[4] == 1 && it.rollup.shape_ids[5] == 2,
          "with the callees of the outer activation");
    check_equal(0, it.history.callees_count, "nothing is left open");
    check_equal(0, it.history.marks_count, "and no mark");
    check_equal(0, it.caller.seen_open, "nor an activation");
    case_end(&it);
}

/* A call that has no caller ends all before it, even where an inherited call lies around it. */
static void history_begins_anew(void)
{
    struct history_case it;
    case_begin(&it);
    call(&it, &it.caller_link, 0, true, 1);
    call(&it, &it.callees[0], 1, true, 0);
    struct row row = {
        .link = &it.callees[1], .depth = 2, .done = true, .child_calls = 1, .duration_ns = 10};
    check_equal(0, callee_history_row(&it.history, &row, 3, &error), "a call without a caller");
    check_equal(1, it.history.open_count, "is the only one open");
    check_equal(1, transitions(&it.rollup, 0, 2), "those before it are counted");
    check_equal(0, transitions(&it.rollup, 2, 3), "it follows none of them");
    case_end(&it);
}

/* ---- dictionary, clock ---- */

static void dictionary(void)
{
    struct dictionary *dictionary = malloc(sizeof *dictionary);
    const struct definition *found;
    if (dictionary == NULL)
        return;
    memset(dictionary, 0xff, sizeof *dictionary);
    dictionary_clear(dictionary);
    check_equal(-1, dictionary_call(dictionary, 0, &found, &error), "an undefined slot");
    check_equal(ERROR_DAMAGE, error.kind, "is damage");
    dictionary_define(dictionary, 5, (struct definition){0x1000, 0x2000});
    dictionary_define(dictionary, FISQL_SLOTS_MAX - 1, (struct definition){0, 0x3000});
    check(dictionary_call(dictionary, 5, &found, &error) == 0 && found->function == 0x1000 &&
              found->site == 0x2000,
          "a call's slot is found");
    check_equal(-1, dictionary_alloc(dictionary, 5, &found, &error), "and is no allocation's");
    check(dictionary_alloc(dictionary, FISQL_SLOTS_MAX - 1, &found, &error) == 0 &&
              found->site == 0x3000,
          "an allocation's slot is found");
    check_equal(-1, dictionary_call(dictionary, FISQL_SLOTS_MAX - 1, &found, &error),
                "and is no call's");
    dictionary->pairs[5] = 8;
    dictionary_define(dictionary, 5, (struct definition){0x1001, 0x2000});
    check_equal(0, dictionary->pairs[5], "a new definition forgets what the old one meant");
    dictionary_keep(dictionary, 5, 9);
    dictionary_clear(dictionary);
    check_equal(-1, dictionary_call(dictionary, 5, &found, &error), "so does the next chunk");
    check_equal(0, dictionary->pairs[5], "until it defines the slot");
    dictionary_define(dictionary, 5, (struct definition){0x1001, 0x2000});
    check_equal(9, dictionary->pairs[5], "when the same definition means the same");
    dictionary_define(dictionary, 5, (struct definition){0x1001, 0x2001});
    check_equal(0, dictionary->pairs[5], "and another one does not");
    dictionary_keep(dictionary, 5, 9);
    dictionary_forget(dictionary);
    dictionary_define(dictionary, 5, (struct definition){0x1001, 0x2001});
    check_equal(0, dictionary->pairs[5], "nor what was to be forgotten");
    free(dictionary);
}

static void clocks(void)
{
    struct clock_line line = {.tick = 1000, .ns = 50, .rate = UINT64_C(2) << CLOCK_SHIFT};
    struct thread_clock clock;
    thread_clock_begin(&clock, &line);
    thread_clock_set(&clock, 1000);
    check_equal(50, clock.now_ns, "the chunk begins at its tick");
    thread_clock_advance(&clock, 10);
    check_equal(70, clock.now_ns, "ten ticks later it is 20 ns later");
    thread_clock_set(&clock, 1004);
    check_equal(1004, clock.tick, "ticks may go back");
    check_equal(70, clock.now_ns, "nanoseconds do not");
    thread_clock_advance(&clock, 20);
    check_equal(98, clock.now_ns, "until they are reached again");
    check_equal(98, thread_clock_ns(&clock, 1024), "the present tick is now");
    check_equal(52, thread_clock_ns(&clock, 1001), "another one is when it was");
}

/* ---- rows ---- */

static void rows_wait(void)
{
    struct row_window window;
    struct rollup rollup = {.frames = NULL};
    struct callee_history history;
    struct function_rollup function = {.id = 1};
    struct link link = {.function = &function};
    struct call_picture picture = {.out = NULL};
    struct thread_picture drawn = {.slices = NULL};
    const struct picture_scale scale = {.slice_shift = 10};
    uint64_t written = 0;
    call_sums_begin(&link.sums);
    callee_history_init(&history, &rollup);
    call_picture_begin(&picture, &scale, 101, &drawn);
    check_equal(0, row_window_init(&window, NULL, NULL, &history, &picture, &written, &error),
                "a window is made");
    row_window_begin(&window, 1, 1, 101, NULL);
    for (uint32_t i = 0; i < WINDOW_ROWS; i++) {
        check_failures += row_window_is_full(&window);
        *row_window_row(&window, window.next_id++) = (struct row){
            .link = &link, .function = &function, .enter_ns = i, .duration_ns = 2, .done = true};
    }
    check(row_window_is_full(&window), "it is full after %u rows and not before", WINDOW_ROWS);
    check_equal(0, row_window_flush(&window, WINDOW_ROWS / 2, &error), "half is written");
    check_equal(WINDOW_ROWS / 2, written, "which progress tells");
    check(link.sums.calls == WINDOW_ROWS / 2 && link.sums.raw_ns == WINDOW_ROWS &&
              link.sums.first_call == 101 && function.last_call == 100 + WINDOW_ROWS / 2,
          "and added up");
    check_equal(101 + WINDOW_ROWS / 2, window.start_id, "the older half");
    check_equal(0, row_window_flush(&window, WINDOW_ROWS, &error), "fewer wait than are kept");
    check_equal(WINDOW_ROWS / 2, written, "so that none is written");
    check_equal(0, row_window_flush(&window, 0, &error), "at the end all are");
    check_equal(WINDOW_ROWS, written, "each once");
    check_equal(WINDOW_ROWS - 1, function.intervals[0], "and added up once");
    struct row_end *end = row_window_end(&window, &error);
    *end = (struct row_end){101, *row_window_row(&window, 101)};
    end->row.off = calloc(1, sizeof *end->row.off);
    row_window_release(&window); /* nobody has added that up: it is freed all the same */
    duration_counts_release(&function.durations);
    row_window_release(&window);
    callee_history_release(&history);
    call_picture_release(&picture);
    thread_picture_release(&drawn);
}

/* ---- losses ---- */

static void losses(void)
{
    struct log_index index = {.ring_calls = 100};
    struct decode_losses losses;
    struct log_loss loss = log_loss_of("missing chunk");
    uint32_t number = 0;
    char detail[] = "broken";
    loss.calls = 10;
    must(log_index_add_loss(&index, &loss, &error) == 0);
    decode_losses_init(&losses, &index);
    loss = log_loss_of("damaged");
    loss.calls = 7;
    loss.detail = detail;
    check_equal(0, decode_losses_add(&losses, &loss, &number, &error), "a loss is found");
    check_equal(2, number, "its number follows those of the index");
    detail[0] = 'X';
    struct loss_found found[] = {{number, 3, 50, TICK_UNKNOWN},
                                 {1, 4, 60, 70},
                                 {1, 20, TICK_UNKNOWN, TICK_UNKNOWN},
                                 {0, 30, 80, 90},
                                 {LOSS_NONE, 30, 80, 90}};
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        decode_losses_found(&losses, &found[i], &error);
    check(index.losses_count == 1 && index.losses[0].calls == 10 && index.ring_calls == 100,
          "the index stays as it is");
    check_equal(0, decode_losses_merge(&losses, &index, &error), "until it is told");
    check_equal(2, index.losses_count, "it has the new loss then");
    check_equal(4, index.losses[1].calls, "less the calls that were found");
    check_string("broken", index.losses[1].detail, "with its own words");
    check_equal(0, index.losses[0].calls, "no more calls are found than were lost");
    check(index.losses[0].from_tick == 60 && index.losses[0].to_tick == 70,
          "it says when they were lost");
    check(index.losses[1].from_tick == 50 && index.losses[1].to_tick == TICK_UNKNOWN,
          "as far as that is known");
    check_equal(70, index.ring_calls, "those that a flight recorder dropped are less, too");
    decode_losses_release(&losses);
    decode_losses_release(&losses);
    log_index_release(&index);
}

static void losses_are_limited(void)
{
    struct log_index index = {.path = NULL};
    struct decode_losses losses;
    struct log_loss loss = log_loss_of("damaged");
    uint32_t number = 0;
    decode_losses_init(&losses, &index);
    for (uint32_t i = 0; i < LOSSES_MAX; i++)
        decode_losses_add(&losses, &loss, &number, &error);
    check_equal(LOSSES_MAX, number, "a hundred thousand losses are kept");
    decode_losses_add(&losses, &loss, &number, &error);
    check_equal(LOSS_NONE, number, "one more is not");
    decode_losses_merge(&losses, &index, &error);
    check_equal(1, index.losses_left_out, "but counted");
    decode_losses_release(&losses);
    log_index_release(&index);
}

int main(void)
{
    stack_grows();
    stack_is_limited();
    stack_hides();
    history_counts();
    history_nests();
    history_begins_anew();
    dictionary();
    clocks();
    rows_wait();
    losses();
    losses_are_limited();
    return check_status();
}
