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
#include "collector/core/thread_choice.h"
#include "collector/process/process.h"

#include <sys/mman.h>

#define CALLS 256u
#define ROUNDS 24

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
    struct shadow_call shadow[8];
};

/* A round's ticks; *inside: those that its calls measured themselves. 0 if it was disturbed. */
static uint64_t measure_round(struct scratch *scratch, uint64_t *inside)
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
    *inside = 0;
    for (uint32_t i = 0; i < CALLS; i++)
        *inside += units[3 * i + 2] >> 1;
    return ticks;
}

void hook_cost_measure(uint64_t ticks_per_second, uint64_t *inside_ps, uint64_t *outside_ps)
{
    uint64_t best = UINT64_MAX, best_inside = 0, inside = 0;
    if (process.clock != CLOCK_COUNTER)
        return;
    bool patched = !modules_instrumented() && hooks_patched_enter() != NULL;
    enter = patched ? hooks_patched_enter() : __cyg_profile_func_enter;
    leave = patched ? hooks_patched_exit() : __cyg_profile_func_exit;
    struct scratch *scratch =
        mmap(NULL, sizeof *scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED)
        return;
    struct thread_log *log = &scratch->log, *own = current_log;
    uint64_t address = (uint64_t)(uintptr_t)hook_cost_measure;
    const struct filter passing = {.start = address, .size = 1}, *last = filter_last;
    /* A hook that is interrupted for long takes the slow path, which would choose by this function. */
    const struct thread_choice choice = thread_choice;
    log->chunk = (struct fisql_chunk *)(void *)scratch->chunk;
    log->dictionary = scratch->dictionary;
    log->shadow.calls = scratch->shadow + SHADOW_SENTINELS;
    log->shadow.calls[-1].stack = log->shadow.calls[-2].stack = UINT64_MAX;
    log->shadow.depth_max = log->shadow.depth_logged = 4;
    log->thread.units_max = CHUNK_UNITS;
    thread_log_deltas(log);
    log->dictionary[pair_slot(address, address)] = (struct pair){address, address};
    current_log = log;
    filter_last = &passing; /* the hooks ask if functions are filtered */
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t ticks = measure_round(scratch, &inside);
        if (ticks != 0 && ticks < best) {
            best = ticks;
            best_inside = inside;
        }
    }
    current_log = own;
    filter_last = last;
    thread_choice = choice;
    munmap(scratch, sizeof *scratch);
    if (best == UINT64_MAX)
        return;
    uint128 scale = (uint128)1000000000000u;
    uint64_t pair = (uint64_t)(scale * best / CALLS / ticks_per_second);
    *inside_ps = (uint64_t)(scale * best_inside / CALLS / ticks_per_second);
    *outside_ps = pair > *inside_ps ? pair - *inside_ps : 0;
}
