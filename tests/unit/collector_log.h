/*
 * A thread log made by hand, for the unit tests of the collector's pure parts. What these stand on
 * (the process, the log file, the C library's side) is stood in for here. Time is what the test
 * says: `clock_epoch`.
 */
#ifndef FISQL_TESTS_UNIT_COLLECTOR_LOG_H
#define FISQL_TESTS_UNIT_COLLECTOR_LOG_H

#include "collector/core/thread_choice.h"
#include "collector/incidents/incident.h"
#include "collector/core/chunk.h"
#include "collector/core/control.h"
#include "collector/core/event.h"
#include "collector/core/filter_passes.h"
#include "collector/process/fork.h"
#include "collector/core/hooks_slow.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/ring.h"
#include "collector/core/thread_memory.h"
#include "collector/core/usage.h"
#include "tests/unit/check.h"

#include <stdlib.h>

/* ---- what the parts stand on ---- */

struct process process = {
    .clock = CLOCK_SWITCHED_OFF, .active = PROCESS_RECORDING, .pid = 10, .key = 3, .run_id = 77};
THREAD_LOCAL struct thread_log *current_log;
THREAD_LOCAL int collector_inside;
union fork_mark fork_mark = {.mine = 1};
static const uint32_t nothing_asked;
struct control_mark control_mark = {&nothing_asked, 0};
uint32_t silence;
THREAD_LOCAL struct thread_choice thread_choice; /* all threads are recorded */
uint32_t thread_choices;
THREAD_LOCAL const struct filter *filter_last;

static struct {
    unsigned char chunk[FISQL_LIVE_CHUNK_BYTES]; /* the last that was written */
    size_t bytes;
    unsigned count;
    int error;
} written;
static bool stacks_differ;         /* what stack_is_one() answers */
static void (*interruption)(void); /* comes in the middle of a change of the counts */

int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls)
{
    (void)calls;
    memcpy(written.chunk, chunk, size_bytes);
    written.bytes = size_bytes;
    written.count++;
    return written.error;
}

void modules_learn(uint64_t function)
{
    (void)function;
    if (interruption != NULL)
        interruption();
}

bool stack_is_one(struct stack_bounds *bounds, uint64_t a, uint64_t b)
{
    (void)bounds, (void)a, (void)b;
    return !stacks_differ;
}

uint32_t log_file_room(const void *writer)
{
    (void)writer;
    return FISQL_LIVE_CHUNK_BYTES;
}

/* Takes three ticks. */
void usage_read(enum clock_kind clock, struct usage *usage)
{
    (void)clock;
    clock_epoch += 3;
    *usage = (struct usage){.tick = clock_epoch,
                            .cpu_ns = 0x500000004,
                            .waits = 0x10002,
                            .preemptions = 3,
                            .minor_faults = 4,
                            .major_faults = 5};
}

void quiet_begin(struct quiet *quiet)
{
    (void)quiet;
}

void quiet_end(const struct quiet *quiet)
{
    (void)quiet;
}

void log_file_room_used(const void *writer)
{
    (void)writer;
}

/* None of these should come into it. */
#define NEVER(declaration)                                                                         \
    declaration                                                                                    \
    {                                                                                              \
        printf("not ok - %s is not called\n", __func__);                                           \
        exit(1);                                                                                   \
    }
NEVER(struct thread_log *thread_log_start(void))
NEVER(struct thread_log *thread_log_nested(__attribute__((unused)) struct thread_log *log))
NEVER(void thread_log_flush(__attribute__((unused)) struct thread_log *log))
NEVER(void control_take(void))
NEVER(bool thread_choice_make(void))
NEVER(bool thread_choice_ask(void))
NEVER(void memory_limit_depth(__attribute__((unused)) struct thread_log *log))
NEVER(void thread_log_pause(__attribute__((unused)) struct thread_log *log))
NEVER(void ring_dump(__attribute__((unused)) struct thread_log *log))
NEVER(void fork_notice(void))
void stack_ask(struct stack_bounds *bounds) /* they are not known: no exit is strange */
{
    bounds->low = 1;
}
const struct feature *const features[] = {NULL};
NEVER(bool filter_passes_elsewhere(__attribute__((unused)) uint64_t function))
NEVER(bool process_activate(__attribute__((unused)) bool by_hook))
NEVER(bool memory_deepen(__attribute__((unused)) struct thread_log *log))
NEVER(struct thread_log *live_slot_take(void))
NEVER(void live_slot_release(__attribute__((unused)) struct thread_log *log))
NEVER(void live_slot_own(__attribute__((unused)) struct thread_log *log))

/* ---- a log made by hand ---- */

#define MAIN 0x401000u
#define CALLEE 0x402000u
#define SITE 0x401100u
#define CALLS_MAX 400u

static _Alignas(4096) struct {
    union {
        struct thread_log log;
        unsigned char slot[FISQL_LIVE_SLOT_BYTES];
    };
    struct pair dictionary[DICTIONARY_ENTRIES];
    uint32_t counted[DICTIONARY_ENTRIES + 8];
    struct shadow_call calls[SHADOW_SENTINELS + CALLS_MAX];
} made;

static struct thread_log *log_make(void)
{
    struct thread_log *log = &made.log;
    memset(&made, 0, sizeof made);
    log->chunk = (struct fisql_chunk *)(void *)(made.slot + FISQL_SLOT_HEADER);
    log->live.process_key = process.key;
    log->dictionary = made.dictionary;
    log->counts.of_slot = made.counted;
    log->shadow.calls = made.calls + SHADOW_SENTINELS;
    log->shadow.calls[-1].stack = log->shadow.calls[-2].stack = UINT64_MAX;
    log->shadow.depth_max = log->shadow.depth_logged = CALLS_MAX;
    log->room_units = CHUNK_UNITS;
    log->live.units_max = units_max_of(log);
    clock_epoch = 1000;
    process.options = (struct options){.alloc = true};
    process.gap_ticks = UINT64_MAX;
    stacks_differ = false;
    interruption = NULL;
    memset(&written, 0, sizeof written);
    chunk_begin(log, clock_epoch, 0, 0);
    current_log = log;
    return log;
}

/* A log with calls open at these frame addresses, 0 ends them; all of one function and site. */
static struct thread_log *log_open_at(const uint64_t *stacks)
{
    struct thread_log *log = log_make();
    for (; *stacks != 0; stacks++)
        hook_enter_slow(CALLEE, SITE, *stacks);
    return log;
}
#define OPEN_AT(...) log_open_at((const uint64_t[]){__VA_ARGS__, 0})

static uint32_t units_used(const struct thread_log *log)
{
    return fisql_word_units(log->live.word) - log->min_units;
}

/* The unit `at` of the events. */
static uint16_t unit(struct thread_log *log, uint32_t at)
{
    return log_units(log, log->min_units + at)[0];
}

/* Compares events, from unit `at` on, with what is expected. */
static void check_units(struct thread_log *log, uint32_t at, const uint16_t *expected,
                        uint32_t count, const char *what)
{
    uint32_t same = 0;
    while (same < count && unit(log, at + same) == expected[same])
        same++;
    check(same == count && units_used(log) == at + count, "%s", what);
    if (same < count)
        printf("    unit %u: expected %#x, got %#x\n", same, expected[same], unit(log, at + same));
}
#define CHECK_UNITS(log, at, what, ...)                                                            \
    check_units(log, at, (const uint16_t[]){__VA_ARGS__},                                          \
                sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t), what)
#define CODE(code) (uint16_t)((code) << 1 | 1u)

#endif
