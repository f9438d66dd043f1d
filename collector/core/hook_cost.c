/*
 * The cost of a call's two hooks, measured when a process begins to be recorded: we call the hooks
 * many times on a log that nobody reads. The inside part is the measured time of an empty function
 * (from the enter hook's reading of the clock to the exit hook's); the outside part is the rest,
 * which its caller pays. The fastest round counts: the others were disturbed.
 */
#include "collector/core/hook_cost.h"

#include "collector/core/chunk.h"
#include "collector/core/dictionary.h"
#include "collector/core/filter.h"
#include "collector/core/fork_mark.h"
#include "collector/core/hooks.h"
#include "collector/core/modules.h"
#include "collector/core/sampled.h"
#include "collector/core/thread_choice.h"
#include "collector/process/process.h"

#include <sys/mman.h>

#define CALLS 256u
#define ROUNDS 24
#define ROUNDS_SAMPLED 64 /* with fewer timed calls each */
#define SAMPLED_USUAL_GAP 16u
/* Of what the loop shows, what a timed call's inside part and a call without a time cost where a program is
 * recorded as it is: in fib and in a loop over a leaf, on AMD EPYC (family 25). */
#define STUBS_INSIDE_PERCENT 110u
#define STUBS_PERCENT 110u
#define STUBS_LEAF_PERCENT 55u /* the same of a call that is written as one event (leaf.h) */

static hook_function *volatile enter, *volatile leave;

/* Calls through a pointer that the compiler cannot see through, as a program does. The pointer
 * passes through a register: else gcc 16 calls through the variable, and the loader takes this for
 * a call of the hook by an instrumented function. */
static inline void call(hook_function *volatile *pointer, void *function)
{
    hook_function *loaded = *pointer;
    __asm__ volatile("" : "+r"(loaded));
    loaded(function, function);
}

struct scratch {
    struct thread_log log;
    unsigned char pad[FISQL_SLOT_HEADER - sizeof(struct thread_log)];
    unsigned char chunk[FISQL_LIVE_CHUNK_BYTES];
    struct pair dictionary[DICTIONARY_ENTRIES];
    struct call_time times[DICTIONARY_ENTRIES];
    struct shadow_call shadow[8];
};

/* What the calls of a round measured themselves. */
struct inside {
    uint64_t ticks, calls;
};

/* A round's ticks; 0 if it was disturbed. */
static uint64_t measure_round(struct scratch *scratch, struct inside *inside)
{
    struct thread_log *log = &scratch->log;
    void *function = (void *)(uintptr_t)hook_cost_measure;
    log->live.word = 64;
    log->live.last_tick[0] = clock_counter();
    uint64_t start = clock_counter();
    for (uint32_t i = 0; i < CALLS; i++) {
        call(&enter, function);
        call(&leave, function);
    }
    uint64_t ticks = clock_counter() - start;
    uint64_t word = log->live.word;
    if (fisql_word_calls(word) != CALLS || fisql_word_depth(word) != 0 ||
        fisql_word_units(word) != 64 + 3 * CALLS)
        return 0;
    const uint16_t *units = (const uint16_t *)(const void *)scratch->chunk + 64;
    *inside = (struct inside){0, 0};
    for (uint32_t i = 0; i < CALLS; i++) {
        inside->ticks += units[3 * i + 2] >> 1;
        inside->calls += units[3 * i + 2] != 0;
    }
    return ticks;
}

static uint64_t ps_of(uint64_t ticks, uint64_t calls, uint64_t ticks_per_second)
{
    return calls != 0 ? (uint64_t)((uint128)1000000000000u * ticks / calls / ticks_per_second) : 0;
}

/* One call in `gap` is timed; 1 = all; 0 = none. untimed_ps: of the other calls. By the fastest rounds; its
 * parts are 0 if all were disturbed. */
static struct hook_cost measure(struct scratch *scratch, uint32_t gap, uint64_t address,
                                uint64_t ticks_per_second, uint64_t untimed_ps)
{
    struct inside inside;
    uint64_t pair_ps = UINT64_MAX, inside_ps = UINT64_MAX;
    struct call_time *time = &scratch->times[pair_slot(address, address)];
    for (int round = 0; round < (gap > 1 ? ROUNDS_SAMPLED : ROUNDS); round++) {
        *time = (struct call_time){.left = gap != 0 ? 1 : UINT32_MAX,
                                   .gap = gap,
                                   .timed = 1,
                                   .tag = sampled_tag(address, address)};
        uint64_t ticks = measure_round(scratch, &inside);
        /* A coarse clock may show no time at all of a timed call. */
        uint64_t calls = gap > 1 ? inside.calls : CALLS;
        if (ticks == 0 || calls == 0)
            continue;
        uint64_t all_ps = ps_of(ticks, 1, ticks_per_second);
        uint64_t others_ps = (CALLS - calls) * untimed_ps;
        uint64_t of_pair_ps = all_ps > others_ps ? (all_ps - others_ps) / calls : 0;
        uint64_t of_inside_ps = ps_of(inside.ticks, calls, ticks_per_second);
        pair_ps = of_pair_ps < pair_ps ? of_pair_ps : pair_ps;
        inside_ps = of_inside_ps < inside_ps ? of_inside_ps : inside_ps;
    }
    if (pair_ps == UINT64_MAX)
        return (struct hook_cost){.inside_ps = 0};
    return (struct hook_cost){.inside_ps = inside_ps,
                              .outside_ps = pair_ps > inside_ps ? pair_ps - inside_ps : 0};
}

/* A timed call among others finds its path mispredicted: it costs more than where all are timed. */
static struct hook_cost measure_sampled(struct scratch *scratch, uint64_t address,
                                        uint64_t ticks_per_second)
{
    struct hook_cost none = measure(scratch, 0, address, ticks_per_second, 0);
    uint64_t untimed_ps = none.inside_ps + none.outside_ps;
    struct hook_cost cost =
        measure(scratch, SAMPLED_USUAL_GAP, address, ticks_per_second, untimed_ps);
    cost.untimed_ps = untimed_ps;
    if (!modules_instrumented()) { /* the stubs are not in the loop */
        cost.inside_ps = cost.inside_ps * STUBS_INSIDE_PERCENT / 100;
        cost.leaf_ps = cost.untimed_ps * STUBS_LEAF_PERCENT / 100;
        cost.untimed_ps = cost.untimed_ps * STUBS_PERCENT / 100;
    }
    return cost;
}

struct hook_cost hook_cost_measure(uint64_t ticks_per_second)
{
    struct hook_cost cost = {.inside_ps = 0};
    if (!clock_is_counter(process.clock))
        return cost;
    bool patched = !modules_instrumented() && hooks_patched_enter() != NULL;
    enter = patched ? hooks_patched_enter() : __cyg_profile_func_enter;
    leave = patched ? hooks_patched_exit() : __cyg_profile_func_exit;
    struct scratch *scratch =
        mmap(NULL, sizeof *scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED)
        return cost;
    struct thread_log *log = &scratch->log, *own = current_log;
    uint64_t address = (uint64_t)(uintptr_t)hook_cost_measure;
    const struct filter passing = {.start = address, .size = 1}, *last = filter_last;
    /* A hook that is interrupted for long takes the slow path, which would choose by this function. */
    const struct thread_choice choice = thread_choice;
    log->chunk = (struct fisql_chunk *)(void *)scratch->chunk;
    log->dictionary = scratch->dictionary;
    log->times = scratch->times;
    log->shadow.calls = scratch->shadow + SHADOW_SENTINELS;
    log->shadow.calls[-1].stack = log->shadow.calls[-2].stack = UINT64_MAX;
    log->shadow.depth_max = log->shadow.depth_logged = 4;
    log->live.units_max = CHUNK_UNITS;
    thread_log_deltas(log);
    log->dictionary[pair_slot(address, address)] = (struct pair){address, address};
    current_log = log;
    filter_last = &passing; /* the hooks ask if functions are filtered */
    cost = sampled() ? measure_sampled(scratch, address, ticks_per_second)
                     : measure(scratch, 1, address, ticks_per_second, 0);
    current_log = own;
    filter_last = last;
    thread_choice = choice;
    munmap(scratch, sizeof *scratch);
    return cost;
}
