/*
 * The collector's pure parts: words, dictionary, events, counts, the shadow stack's decisions,
 * chunks, slots and facts.
 */
#include "tests/unit/collector_log.h"

#include "collector/memory/alloc_events.h"
#include "collector/core/facts.h"
#include "collector/core/thread_copy.h"

#include <signal.h>
#include <sys/mman.h>

/* ---- the word ---- */

static void test_words(void)
{
    const uint64_t full[] = {
        (uint64_t)0xffff << FISQL_WORD_UNITS_SHIFT, (uint64_t)0x7fff << FISQL_WORD_CALLS_SHIFT,
        (uint64_t)1 << FISQL_WORD_TOGGLE_SHIFT, (uint64_t)0x7fffff << FISQL_WORD_DEPTH_SHIFT,
        (uint64_t)0x1ff << FISQL_WORD_FLUSH_SHIFT};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
        check((all & full[i]) == 0, "field %zu of the word has bits of its own", i);
        all |= full[i];
        check(fisql_word_units(full[i]) == (i == 0 ? 0xffffu : 0) &&
                  fisql_word_calls(full[i]) == (i == 1 ? 0x7fffu : 0) &&
                  fisql_word_toggle(full[i]) == (i == 2 ? 1u : 0) &&
                  fisql_word_depth(full[i]) == (i == 3 ? 0x7fffffu : 0) &&
                  full[i] >> FISQL_WORD_FLUSH_SHIFT == (i == 4 ? 0x1ffu : 0),
              "field %zu, full, shows in itself alone", i);
    }
    check(all == UINT64_MAX, "the fields fill the word");
    uint64_t word = (uint64_t)5 << FISQL_WORD_FLUSH_SHIFT | 100;
    uint64_t entered = word_after(word + WORD_CALL + WORD_DEPTH, 2);
    check(fisql_word_units(entered) == 102 && fisql_word_calls(entered) == 1 &&
              fisql_word_depth(entered) == 1 && fisql_word_toggle(entered) == 1 &&
              entered >> FISQL_WORD_FLUSH_SHIFT == 5,
          "an enter adds its units, a call and a level, and turns the toggle");
    uint64_t left = word_after(entered - WORD_DEPTH, 1);
    check(fisql_word_units(left) == 103 && fisql_word_calls(left) == 1 &&
              fisql_word_depth(left) == 0 && fisql_word_toggle(left) == 0,
          "an exit takes the level back, not the call");
}

/* ---- the dictionary ---- */

static void test_pairs(void)
{
    struct thread_log *log = log_make();
    uint64_t functions[3] = {MAIN}, function = MAIN;
    uint32_t slot = pair_slot(MAIN, SITE), highest = 0;
    for (uint32_t found = 1; found < 3; function += 16) {
        uint32_t other = pair_slot(function, SITE);
        highest = other > highest ? other : highest;
        if (function != MAIN && other == slot)
            functions[found++] = function;
    }
    check(highest < DICTIONARY_ENTRIES && highest > DICTIONARY_ENTRIES / 2, "slots are all used");
    check_equal(slot, pair_find(log, functions[0], SITE), "a pair goes to the slot of its hash");
    log->dictionary[slot] = (struct pair){functions[0], SITE};
    check_equal(slot, pair_find(log, functions[0], SITE), "it is found there");
    check_equal(slot ^ 1, pair_find(log, functions[1], SITE), "a second one goes beside it");
    log->dictionary[slot ^ 1] = (struct pair){functions[1], SITE};
    check_equal(slot ^ 1, pair_find(log, functions[1], SITE), "and is found there");
    uint32_t first = pair_find(log, functions[2], SITE),
             second = pair_find(log, functions[2], SITE);
    check((first ^ 1) == second && (first == slot || second == slot),
          "a third one takes the place of the one and the other in turn");
}

/* ---- events ---- */

static void test_event_put(void)
{
    struct event event = {.count = 0};
    event_put(&event, 0x1122334455667788u, 4);
    check(event.count == 4 && event.units[0] == 0x7788 && event.units[1] == 0x5566 &&
              event.units[2] == 0x3344 && event.units[3] == 0x1122,
          "a value's low unit comes first");
    event.count = 0;
    check(event_put_time(&event, 0xffff, 0xffff) == 0xffff && event.count == 0,
          "a time that fits the event's delta takes no record");
    check(event_put_time(&event, 0x10000, 0xffff) == 0 && event.count == 5 &&
              event.units[0] == CODE(FISQL_CODE_TIME) && event.units[1] == 0 && event.units[2] == 1,
          "a longer one does, and the delta is 0");
}

static void test_definitions(void)
{
    struct thread_log *log = log_make();
    struct event event = {.count = 0};
    uint32_t slot = event_put_pair(&event, log, MAIN, SITE);
    check(event.count == 5 && event.units[0] == CODE(FISQL_CODE_DEFINE_NEAR + slot) &&
              event.units[1] == 0 && event.units[3] == SITE - MAIN,
          "a pair near the chunk's first one is defined in 5 units");
    check_equal(MAIN, log->chunk->base_address, "which counts from the first one's function");
    event.count = 0;
    check(event_put_pair(&event, log, MAIN, SITE) == slot && event.count == 0, "and once");
    event_put_pair(&event, log, MAIN + 0x80000000u, SITE);
    check(event.count == 9 && (event.units[0] >> 1 & 0xe000u) == FISQL_CODE_DEFINE_FAR,
          "one that is 2 GiB away takes 9");
    event.count = 0;
    event_put_pair(&event, log, MAIN, SITE + 0x80000000u);
    check_equal(9, event.count, "so does one whose site is");
    event.count = 0;
    event_put_pair(&event, log, MAIN + 0x7fffffffu, SITE);
    check_equal(5, event.count, "one that is a byte nearer takes 5");
}

/* A gap is read before the event that ends it, and that event's tick is the reading's. */
static void test_gaps(void)
{
    struct thread_log *log = log_make();
    uint32_t slot = pair_slot(CALLEE, SITE);
    process.gap_ticks = 100;
    clock_epoch += 100;
    hook_enter_slow(CALLEE, SITE, 900);
    CHECK_UNITS(log, 0, "what is not longer is no gap", CODE(FISQL_CODE_DEFINE_NEAR + slot), 0, 0,
                (uint16_t)(SITE - CALLEE), 0xffff, CODE(FISQL_CODE_ENTER + slot), 100);
    clock_epoch += 101;
    hook_exit_slow(CALLEE, SITE, 900, false);
    CHECK_UNITS(log, 7, "a gap before an exit", CODE(FISQL_CODE_GAP), 104, 0, 0, 0, 0, 0, 4, 0, 5,
                0, 2, 1, 3, 0, 4, 0, 5, 0, 104 << 1);
    clock_epoch += 0x10000;
    hook_enter_slow(CALLEE, SITE, 900);
    CHECK_UNITS(log, 27, "a gap before the time that an enter's delta does not hold",
                CODE(FISQL_CODE_GAP), 3, 1, 0, 0, 0, 0, 4, 0, 5, 0, 2, 1, 3, 0, 4, 0, 5, 0,
                CODE(FISQL_CODE_TIME), 3, 1, 0, 0, CODE(FISQL_CODE_ENTER + slot), 0);
    clock_epoch += 200;
    record_realloc(clock_epoch, 0x5000, 0x6000, 32, SITE);
    /* The reading's 3 ticks and the one that the end of a reallocation counts (clock_read_order()). */
    check(unit(log, 53) == CODE(FISQL_CODE_GAP) && unit(log, 54) == 200 && unit(log, 58) == 4,
          "what began before the reading keeps its tick");
}

static void test_calls(void)
{
    struct thread_log *log = log_make();
    uint32_t slot = pair_slot(CALLEE, SITE);
    clock_epoch += 7;
    hook_enter_slow(CALLEE, SITE, 900);
    CHECK_UNITS(log, 0, "a first call: its pair, then its enter",
                CODE(FISQL_CODE_DEFINE_NEAR + slot), 0, 0, (uint16_t)(SITE - CALLEE), 0xffff,
                CODE(FISQL_CODE_ENTER + slot), 7);
    clock_epoch += 9;
    hook_exit_slow(CALLEE, SITE, 900, false);
    CHECK_UNITS(log, 7, "its exit: a delta alone", 9 << 1);
    clock_epoch += 0x8000;
    hook_exit_slow(CALLEE, SITE, 900, false);
    CHECK_UNITS(log, 8, "an exit without a call is a mismatch", CODE(FISQL_CODE_MISMATCH), 0x8000,
                CALLEE & 0xffff, CALLEE >> 16, 0, 0, SITE & 0xffff, SITE >> 16, 0, 0);
    check(fisql_word_calls(log->live.word) == 1 && fisql_word_depth(log->live.word) == 0,
          "one call, none open");
    clock_epoch -= 5;
    hook_enter_slow(CALLEE, SITE, 900);
    CHECK_UNITS(log, 18, "time does not run backwards", CODE(FISQL_CODE_ENTER + slot), 0);
    check_equal(clock_epoch + 5, log_last_tick(log), "and goes on from where it was");
}

/* ---- counts ---- */

static struct thread_log *log_with_depth(uint32_t depth)
{
    struct thread_log *log = log_make();
    process.options.depth = log->shadow.depth_logged = depth;
    hook_enter_slow(MAIN, SITE, 1000);
    return log;
}

static void call_it_once(void)
{
    hook_enter_slow(CALLEE, SITE, 900);
    hook_exit_slow(CALLEE, SITE, 900, false);
}

static void test_counts(void)
{
    struct thread_log *log = log_with_depth(1);
    uint32_t slot = pair_slot(CALLEE, SITE), used = units_used(log);
    hook_enter_slow(CALLEE, SITE, 900);
    check(log->shadow.hidden == 1 && calls_open(log) == 2 && units_used(log) == used,
          "a call below --depth is open, and not in the log");
    hook_exit_slow(CALLEE, SITE, 900, false);
    check(log->shadow.hidden == 0 && unit(log, used) == CODE(FISQL_CODE_DEFINE_NEAR + slot),
          "when it ends it leaves a count");
    CHECK_UNITS(log, used + 5, "of one", CODE(FISQL_CODE_COUNTED_SHORT + slot), 1, 0);
    for (int i = 1; i < 0xffff; i++)
        call_it_once();
    CHECK_UNITS(log, used + 5, "more are added in place", CODE(FISQL_CODE_COUNTED_SHORT + slot),
                0xffff, 0);
    call_it_once();
    CHECK_UNITS(log, used + 8, "past 65535 in a longer record", CODE(FISQL_CODE_COUNTED),
                (uint16_t)slot, 1, 0, 0, 0, 0, 0);
    call_it_once();
    CHECK_UNITS(log, used + 8, "which is added to as well", CODE(FISQL_CODE_COUNTED),
                (uint16_t)slot, 2, 0, 0, 0, 0, 0);
    check_equal(1, fisql_word_calls(log->live.word), "none of them is a logged call");
    hook_exit_slow(MAIN, SITE, 1000, false);
    hook_enter_slow(MAIN, SITE, 1000);
    used = units_used(log);
    call_it_once();
    CHECK_UNITS(log, used, "after another event a new run of counts begins",
                CODE(FISQL_CODE_COUNTED_SHORT + slot), 1, 0);
}

static void test_short_leaves(void)
{
    struct thread_log *log = log_make();
    log->thread.min_ticks = 50;
    hook_enter_slow(MAIN, SITE, 1000);
    clock_epoch += 3;
    call_it_once();
    uint32_t used = units_used(log), slot = pair_slot(CALLEE, SITE);
    clock_epoch += 3;
    hook_enter_slow(CALLEE, SITE, 900);
    clock_epoch += 49;
    hook_exit_slow(CALLEE, SITE, 900, false);
    CHECK_UNITS(log, used - 3, "a leaf that is too short is added to the count, with its time",
                CODE(FISQL_CODE_COUNTED_SHORT + slot), 2, 49);
    check(fisql_word_calls(log->live.word) == 1 && log_last_tick(log) == 1000,
          "its enter is taken back, and its time with it");
    hook_enter_slow(CALLEE, SITE, 900);
    clock_epoch += 50;
    hook_exit_slow(CALLEE, SITE, 900, false);
    check_equal(2, fisql_word_calls(log->live.word), "one of --min-duration is logged");
}

static struct thread_log *before; /* the log before the change that is interrupted */
static bool restored;

/* What a nested hook does to a log whose hook is at work (thread_log_nested()). */
static void interrupt(void)
{
    struct thread_log *log = current_log;
    interruption = NULL;
    count_undo(log);
    restored = log->live.word == before->live.word && log_last_tick(log) == log_last_tick(before) &&
               log->shadow.hidden == before->shadow.hidden && log->counts.undo.active == 0;
    log->abandoned_word = log->live.word;
    log->abandoned_hook = log->busy;
    log->abandoned = 1;
}

static void test_interrupted_count(void)
{
    static struct thread_log copy;
    struct thread_log *log = log_make();
    log->thread.min_ticks = 50;
    hook_enter_slow(MAIN, SITE, 1000);
    hook_enter_slow(CALLEE, SITE, 900);
    log->dictionary[pair_slot(CALLEE, SITE)].function = 0; /* so that it is defined once more */
    before = memcpy(&copy, log, sizeof copy);
    interruption = interrupt;
    log->busy = 900;
    bool done = count_call(log, &(struct pair){CALLEE, SITE}, 1, COUNT_LEAF);
    check(restored, "a nested hook undoes a count that is half made");
    check(!done, "and who was making it starts again");
}

static void test_count_undo(void)
{
    static unsigned char saved[sizeof made];
    struct thread_log *log = log_with_depth(1);
    call_it_once();
    uint32_t at = fisql_word_units(log->live.word) - 3, slot = pair_slot(CALLEE, SITE);
    log->counts.undo = (struct count_undo){.active = 1,
                                           .at = at,
                                           .defined = (slot ^ 1) + 1,
                                           .hidden = log->shadow.hidden,
                                           .hidden_inherited = log->shadow.hidden_inherited,
                                           .blind = log->shadow.blind,
                                           .word = log->live.word,
                                           .last_tick = log_last_tick(log)};
    memcpy(log->counts.undo.units, log_units(log, at), sizeof log->counts.undo.units);
    memcpy(saved, &made, sizeof made);
    log_units(log, at)[1] = 500;
    log->dictionary[slot ^ 1] = (struct pair){MAIN, MAIN};
    log->shadow.hidden = log->shadow.hidden_inherited = log->shadow.blind = 9;
    log->live.last_tick[0] = log->live.last_tick[1] = 5;
    log->live.word += WORD_CALL + WORD_DEPTH + 8;
    count_undo(log);
    struct thread_log *old = (struct thread_log *)(void *)saved;
    check(log->live.word == old->live.word && log_last_tick(log) == log_last_tick(old),
          "undoing restores word and tick");
    check(log->shadow.hidden == 0 && log->shadow.hidden_inherited == 0 && log->shadow.blind == 0,
          "the numbers of calls");
    check(log_units(log, at)[1] == 1 && pair_is(log, slot ^ 1, 0, 0), "record and definition");
    check(log->counts.undone == 1 && log->counts.undo.active == 0 && log->counts.end == 0,
          "says so, and ends the run");
    log->live.word += 2;
    uint64_t word = log->live.word;
    count_undo(log);
    check(log->live.word == word, "where no change is under way nothing is undone");
}

static void test_blind(void)
{
    struct thread_log *log = log_make();
    process.options.depth = 1;
    log->shadow.depth_logged = 1;
    log->shadow.depth_max = 2;
    hook_enter_slow(MAIN, SITE, 1000);
    hook_enter_slow(CALLEE, SITE, 900);
    log->shadow.blind = 1; /* as where memory_deepen() found no room */
    hook_enter_slow(CALLEE, SITE, 800);
    check(log->shadow.blind == 2 && log->shadow.hidden == 1,
          "a call for which the shadow stack has no room is counted when it is entered");
    hook_exit_slow(CALLEE, SITE, 800, false);
    check_equal(1, log->shadow.blind, "and its exit takes it back");
}

/* ---- the shadow stack ---- */

static void test_calls_gone(void)
{
    struct thread_log *log = OPEN_AT(1000, 900, 800);
    const struct {
        uint64_t stack;
        uint32_t gone;
        const char *what;
    } cases[] = {
        {700, 0, "a function that enters below the innermost call ends none"},
        {800, 0, "at its address neither: it may be inlined"},
        {801, 1, "above it, that call is gone"},
        {950, 2, "two calls lie below"},
        {2000, 3, "all lie below"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_equal(cases[i].gone, shadow_calls_gone(log, MAIN, SITE, cases[i].stack),
                    cases[i].what);
    stacks_differ = true;
    check_equal(0, shadow_calls_gone(log, MAIN, SITE, 2000), "another stack proves nothing");
    stacks_differ = false;
    log->shadow.throw_depth = 3;
    check_equal(0, shadow_calls_gone(log, MAIN, SITE, 800),
                "while an exception passes: the same site is the function's own");
    check_equal(1, shadow_calls_gone(log, MAIN, SITE + 4, 800), "another one is its sibling's");
}

static void test_landing(void)
{
    struct thread_log *log = OPEN_AT(1000, 900, 900, 900);
    log->shadow.landing_stack = 900;
    check_equal(1, shadow_calls_gone(log, CALLEE, SITE, 900),
                "entered again where a jump landed: it was left by the jump");
    check_equal(0, shadow_calls_gone(log, MAIN, SITE, 900), "another function was not");
    check_equal(900, log->shadow.landing_stack, "the landing stays while its frame does");
    check_equal(0, shadow_calls_gone(log, MAIN, SITE, 850), "below it nothing is gone");
    check_equal(3, shadow_calls_gone(log, MAIN, SITE, 950), "above it all in it are");
    check_equal(0, log->shadow.landing_stack, "and so is the landing");
}

static void test_exit_target(void)
{
    struct thread_log *log = log_make();
    hook_enter_slow(MAIN, SITE, 1000);
    hook_enter_slow(CALLEE, SITE, 900);
    hook_enter_slow(CALLEE + 16, SITE, 800);
    check_equal(2, shadow_exit_target(log, CALLEE + 16, SITE, 800, false), "the innermost call's");
    check_equal(1, shadow_exit_target(log, CALLEE, SITE, 900, false), "that of one further out");
    check_equal(-1, shadow_exit_target(log, CALLEE, SITE, 950, false),
                "from above its frame it is none's");
    check_equal(1, shadow_exit_target(log, CALLEE, SITE, 950, true),
                "but for a tail call: that stands below its caller");
    check_equal(-1, shadow_exit_target(log, CALLEE + 32, SITE, 700, false),
                "of a function that is not open");
    check_equal(2, shadow_exit_target(log, CALLEE + 16, SITE, 5000, false),
                "the innermost call's function and site count anywhere");
    check_equal(-1, shadow_exit_target(log_make(), CALLEE, SITE, 900, false), "nothing is open");
}

static void test_unwinding(void)
{
    struct thread_log *log = OPEN_AT(1000, 900, 800);
    uint32_t used = units_used(log);
    hook_exit_slow(CALLEE, SITE, 1000, false);
    CHECK_UNITS(log, used, "an exit further out ends what lies inside", CODE(FISQL_CODE_UNWIND), 0,
                2, 0, 0);
    log = OPEN_AT(1000, 900, 800);
    used = units_used(log);
    shadow_unwind_to(900, 700);
    CHECK_UNITS(log, used, "a jump ends the calls below where it lands", CODE(FISQL_CODE_UNWIND), 0,
                1, 0);
    check(log->shadow.landing_stack == 900 && log->busy == 0, "which is kept");
    shadow_unwind_above(1);
    check_equal(1, calls_open(log), "the child of a vfork leaves its parent's calls");
    shadow_throw();
    check(log->shadow.throw_depth == 1 && log->live.units_max == 0,
          "an exception sends exits to the slow path");
    used = units_used(log);
    hook_exit_slow(CALLEE, SITE, 1000, false);
    CHECK_UNITS(log, used, "where they unwind", CODE(FISQL_CODE_UNWIND), 0, 1, 0);
}

/* ---- chunks ---- */

static bool checksum_holds(struct fisql_chunk *chunk)
{
    uint64_t sum = chunk->checksum;
    chunk->checksum = 0;
    bool holds = fisql_checksum(chunk, chunk->length) == sum;
    chunk->checksum = sum;
    return holds;
}

static void test_chunks(void)
{
    struct thread_log *log = log_make();
    log->live.first_call = 40;
    for (uint64_t i = 0; i < 300; i++) {
        clock_epoch++;
        hook_enter_slow(CALLEE, SITE, 100000 - i);
    }
    uint32_t used = units_used(log);
    chunk_write(log);
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)written.chunk;
    check(written.count == 1 && chunk->length == written.bytes && chunk->length % 8 == 0 &&
              chunk->units == used && chunk->calls == 300 && checksum_holds(chunk),
          "a chunk is written whole");
    check(log->live.first_call == 340 && log->thread.sequence == 1, "and is then behind");
    chunk_follow(log, log);
    check(log->chunk->open_depth == 300 && log->chunk->open_calls == FISQL_SNAPSHOT_MAX &&
              log->chunk->first_call == 340 && log->chunk->sequence == 1 &&
              log->chunk->tick_start == clock_epoch,
          "the next begins where it ended");
    const struct fisql_open_call *open = (const struct fisql_open_call *)(log->chunk + 1);
    check(open[0].enter_tick == 1045 && open[255].enter_tick == 1300,
          "with the innermost 256 of the open calls");
    check(fisql_word_depth(log->live.word) == 300 && fisql_word_calls(log->live.word) == 0 &&
              log->live.word >> FISQL_WORD_FLUSH_SHIFT == 1 && units_used(log) == 0,
          "and a word that says so");
    check(log->live.state == FISQL_SLOT_LIVE && pair_is(log, pair_slot(CALLEE, SITE), 0, 0),
          "and an empty dictionary");
    written.error = 28;
    chunk_write(log);
    chunk_follow(log, log);
    check_equal(FISQL_FLAG_LOST | FISQL_FLAG_NO_TIME, log->chunk->flags,
                "after one that could not be written it says so");
}

/* ---- slots ---- */

enum spoil {
    SOUND,
    FREE,
    TAKEN,
    WHOLE,
    MAGIC,
    VERSION,
    KIND,
    RUN,
    SNAPSHOT,
    SNAPSHOT_DEPTH,
    EMPTY,
    NO_HEADER,
    LONG,
    CALLS,
};

static void spoil(struct thread_log *log, enum spoil how)
{
    static const uint32_t states[] = {
        [FREE] = FISQL_SLOT_FREE, [TAKEN] = FISQL_SLOT_TAKEN, [WHOLE] = FISQL_SLOT_WHOLE};
    uint64_t units = fisql_word_units(log->live.word), word = log->live.word - units;
    if (how == FREE || how == TAKEN || how == WHOLE)
        log->live.state = states[how];
    log->chunk->magic += how == MAGIC;
    log->chunk->version = (uint16_t)(log->chunk->version + (how == VERSION));
    log->chunk->kind = how == KIND ? FISQL_CHUNK_THREAD : FISQL_CHUNK_EVENTS;
    log->chunk->run_id += how == RUN;
    if (how == SNAPSHOT)
        log->chunk->open_calls = log->chunk->open_depth = FISQL_SNAPSHOT_MAX + 1;
    if (how == SNAPSHOT_DEPTH)
        log->chunk->open_calls = log->chunk->open_depth + 1;
    if (how == EMPTY)
        log->live.word = word + log->min_units;
    if (how == NO_HEADER)
        log->live.word = word + 3;
    if (how == LONG)
        log->live.word = word + CHUNK_UNITS - 3;
    if (how == CALLS)
        log->live.word += WORD_CALL * 4;
}

static void test_slots(void)
{
    static const char *const what[] = {
        [SOUND] = "",
        [FREE] = "a free slot",
        [TAKEN] = "a slot that is being prepared",
        [WHOLE] = "a slot with a finished chunk",
        [MAGIC] = "no chunk",
        [VERSION] = "a chunk of another version",
        [KIND] = "a chunk of another kind",
        [RUN] = "a chunk of another run",
        [SNAPSHOT] = "a snapshot that is too long",
        [SNAPSHOT_DEPTH] = "a snapshot of more calls than are open",
        [EMPTY] = "a chunk in which nothing happened",
        [NO_HEADER] = "fewer units than the header",
        [LONG] = "units without room for the padding",
        [CALLS] = "more calls than the units have room for",
    };
    struct thread_log *log = OPEN_AT(1000, 900);
    uint32_t used = units_used(log);
    uint32_t length = fisql_slot_finish(&log->live, log->chunk, process.run_id, 5, 6);
    check(length != 0 && length == log->chunk->length && log->chunk->units == used &&
              log->chunk->calls == 2 && log->chunk->clock_tick == 5 && log->chunk->clock_ns == 6 &&
              (log->chunk->flags & FISQL_FLAG_SALVAGED) != 0 && checksum_holds(log->chunk),
          "a sound slot is finished");
    log = OPEN_AT(1000);
    log->live.word += CHUNK_UNITS - 4 - fisql_word_units(log->live.word);
    check_equal(FISQL_LIVE_CHUNK_BYTES - 8,
                fisql_slot_finish(&log->live, log->chunk, process.run_id, 0, 0), "a full one, too");
    for (enum spoil how = FREE; how <= CALLS; how++) {
        static struct fisql_chunk head;
        log = OPEN_AT(1000, 900);
        spoil(log, how);
        head = *log->chunk;
        check(fisql_slot_finish(&log->live, log->chunk, process.run_id, 0, 0) == 0 &&
                  memcmp(&head, log->chunk, sizeof head) == 0,
              "%s is not finished, and left alone", what[how]);
    }
}

/* What a thread does while another one copies its chunk: it begins the next. */
static void begin_meanwhile(int number)
{
    (void)number;
    mprotect(made.slot + 4096, 4096, PROT_READ | PROT_WRITE);
    made.log.live.state = FISQL_SLOT_TAKEN;
    made.log.chunk->sequence++;
}

static void test_copies(void)
{
    struct thread_log *log = OPEN_AT(1000, 900);
    check(thread_log_copy(log) && written.count == 1 && checksum_holds((void *)written.chunk),
          "what a thread has recorded in private memory is copied");
    log->in_area = 1;
    check(!thread_log_copy(log) && written.count == 1, "what the live area has is not");
    log = OPEN_AT(1000, 900);
    signal(SIGSEGV, begin_meanwhile);
    mprotect(made.slot + 4096, 4096, PROT_NONE);
    check(thread_log_copy(log) && written.count == 0,
          "a chunk that is begun meanwhile is not copied with the events of the one before");
    signal(SIGSEGV, SIG_DFL);
}

/* ---- facts ---- */

static void test_facts(void)
{
    static _Alignas(8) unsigned char buffer[sizeof(struct fisql_chunk) + 64];
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)buffer;
    const char *text = (const char *)(chunk + 1);
    struct facts facts;
    log_make();
    memset(buffer, 0xee, sizeof buffer);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_THREAD, 4, 11);
    facts_text(&facts, FISQL_FACT_THREAD_NAME, "main");
    facts_number(&facts, FISQL_FACT_MODULES_TICK, UINT64_MAX);
    facts_hex(&facts, FISQL_FACT_MODULES_END, 0);
    check_equal(0, facts_write(&facts), "facts are written");
    check(chunk->magic == FISQL_CHUNK_MAGIC && chunk->kind == FISQL_CHUNK_THREAD &&
              chunk->thread == 4 && chunk->tid == 11 && chunk->pid == 10 &&
              chunk->process_key == 3 && chunk->run_id == 77,
          "with their header");
    check(memcmp(text, "name\0main\0tick\00018446744073709551615\0end\0000\0\0", 43) == 0,
          "each key and value ends with a NUL");
    check(chunk->length == written.bytes && chunk->length == sizeof *chunk + 48 && text[47] == 0 &&
              checksum_holds(chunk),
          "and the rest up to a multiple of 8 is NULs");
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_RUN, 0, 0);
    facts_text(&facts, FISQL_FACT_RUN_COMMAND,
               "0123456789012345678901234567890123456789012345678901234567");
    check(facts.used_bytes == sizeof buffer && strlen(text + 8) == 55,
          "a value that does not fit loses its end");
    facts_text(&facts, FISQL_FACT_RUN_HOST, "x");
    facts_write(&facts);
    check(chunk->length == sizeof buffer && checksum_holds(chunk), "what follows is left out");
}

/* ---- the rate of the counter, by clocks that may be anything ---- */

static struct {
    uint64_t tick, ns, tick_step, ns_step;
    uint32_t readings;
} fake;

static void fake_pair(enum clock_kind kind, uint64_t *tick, uint64_t *ns)
{
    (void)kind;
    *tick = fake.tick += fake.tick_step;
    *ns = fake.ns += fake.ns_step;
    fake.readings++;
}

#if defined(__x86_64__)
static uint64_t fake_rate(uint64_t tick_step, uint64_t ns_step, uint64_t tick, uint64_t ns)
{
    fake.tick = fake.ns = 1000000000000u;
    fake.tick_step = tick_step;
    fake.ns_step = ns_step;
    fake.readings = 0;
    return clock_rate(fake_pair, CLOCK_COUNTER, tick, ns);
}

static void test_rate(void)
{
    const uint64_t back = (uint64_t)-1000, start = 1000000000000u;
    check_equal(3000000000u, fake_rate(3000, 1000, 0, 0), "a rate is measured");
    check_equal(3000000000u, fake_rate(3000, 1000, start - 3000000, start - 1000000),
                "also since a pair of before");
    check(fake.readings == 1, "without waiting");
    check_equal(3000000000u, fake_rate(3000, 1000, start - 3000000, start + 1000000),
                "and anew where the pair is one of another clock");
    check_equal(0, fake_rate(3000, 50000, 0, 0), "a clock that runs too fast is given up");
    check_equal(0, fake_rate(3000, 10, 0, 0), "one that runs too slowly");
    check_equal(0, fake_rate(3000, 0, 0, 0), "one that stands still");
    check_equal(0, fake_rate(3000, back, 0, 0), "one that runs backwards");
    check_equal(0, fake_rate(0, 1000, 0, 0), "a counter that stands still");
    check_equal(0, fake_rate(back, 1000, 0, 0), "and one that runs backwards");
    check_equal(1000000000u, clock_rate(fake_pair, CLOCK_SYSTEM, 0, 0), "nanoseconds need none");
}
#endif

int main(void)
{
#if defined(__x86_64__)
    test_rate();
#endif
    test_words();
    test_pairs();
    test_event_put();
    test_definitions();
    test_gaps();
    test_calls();
    test_counts();
    test_short_leaves();
    test_interrupted_count();
    test_count_undo();
    test_blind();
    test_calls_gone();
    test_landing();
    test_exit_target();
    test_unwinding();
    test_chunks();
    test_slots();
    test_copies();
    test_facts();
    return check_status();
}
