/*
 * The process as a whole: whether and how it is recorded, its start, and the public functions. The
 * environment holds the orders: FISQL_LOG (the log's path; without it nothing is recorded),
 * FISQL_LIVE (the live area, see live_area.c), FISQL_OPTIONS (words separated by commas, see
 * options_parse()). `fisql record` sets them; without it a run's first process sets the first two
 * for the processes that it starts.
 */
#include "collector/process/process.h"

#include "collector/core/feature.h"
#include "collector/memory/alloc.h"
#include "collector/memory/alloc_events.h"
#include "collector/memory/freed_twice.h"
#include "collector/core/changes.h"
#include "collector/process/children.h"
#include "collector/core/control.h"
#include "collector/core/event.h"
#include "collector/fisql.h"
#include "collector/process/fork.h"
#include "collector/process/process_end.h"
#include "collector/process/process_facts.h"
#include "collector/core/library.h"
#include "collector/core/hooks.h"
#include "collector/core/live_area.h"
#include "collector/core/live_salvage.h"
#include "collector/core/log_file.h"
#include "collector/core/mapped.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/sampled.h"
#include "collector/core/reserve.h"
#include "collector/process/seccomp.h"
#include "collector/core/stack.h"
#include "collector/core/thread_log.h"
#include "collector/core/thread_memory.h"
#include "collector/process/unrecorded.h"
#include "collector/core/usage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct process process;

/* ---- options ---- */

static uint64_t number_at(const char *digit)
{
    uint64_t value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        value = value * 10 + (uint64_t)(*digit - '0');
    return value;
}

/* The option of a word; *value: the text behind its name. */
static enum fisql_option option_of(const char *text, const char **value)
{
    enum fisql_option option = 0;
    for (; option < FISQL_OPTIONS_COUNT; option++) {
        const char *word = fisql_option(option);
        size_t length = strlen(word);
        *value = text + length;
        if (strncmp(text, word, length) == 0 && (word[length - 1] == '=' || **value == 0))
            break;
    }
    return option;
}

/* fisql record asks an emulator so: the collector that was started in the emulator's own process is
 * of fisql record's kind of machine and patches nothing. The one in what it runs is of another. */
static uint32_t as_is_of(uint64_t number)
{
#if defined(__x86_64__)
    const uint32_t guest = 0;
#else
    const uint32_t guest = 1;
#endif
    return number == FISQL_AS_IS_GUEST ? guest : (uint32_t)number;
}

static void option_parse(const char *text, enum clock_kind *clock)
{
    struct options *options = &process.options;
    const char *value;
    switch (option_of(text, &value)) {
    case FISQL_OPTION_NO_ALLOC:
        options->alloc = false;
        break;
    case FISQL_OPTION_NO_TIME:
        *clock = CLOCK_SWITCHED_OFF;
        break;
    case FISQL_OPTION_SAMPLED:
        if (*clock == CLOCK_COUNTER)
            *clock = CLOCK_SAMPLED;
        break;
    case FISQL_OPTION_START_OFF:
        options->start_off = true;
        break;
    case FISQL_OPTION_DEPTH:
        options->depth = (uint32_t)number_at(value);
        break;
    case FISQL_OPTION_MIN_DURATION:
        options->min_ns = number_at(value);
        break;
    case FISQL_OPTION_RING:
        options->ring_chunks = (uint32_t)number_at(value);
        break;
    case FISQL_OPTION_NO_WAITS:
        options->no_waits = true;
        break;
    case FISQL_OPTION_SAY:
        options->says = true;
        break;
    case FISQL_OPTION_ON_ASSERT:
        options->on_assert = (uint32_t)number_at(value);
        break;
    case FISQL_OPTION_LOCKS:
        options->locks = (uint32_t)number_at(value);
        break;
    case FISQL_OPTION_VALUES_WAIT:
        options->values_wait_ms = (uint32_t)number_at(value);
        break;
    case FISQL_OPTION_AS_IS:
        options->as_is = as_is_of(number_at(value));
        break;
    case FISQL_OPTION_PLUGIN:
        options->plugin = true;
        break;
    case FISQL_OPTION_LIBRARY_CALLS:
        options->library_calls = true;
        break;
    case FISQL_OPTION_ROTATE:
        options->rotates = true;
        break;
    case FISQL_OPTION_FILTER: /* the live area has them */
    case FISQL_OPTION_THREADS:
    case FISQL_OPTION_VALUES:
    case FISQL_OPTION_FAULTS:
    case FISQL_OPTIONS_COUNT:
        break;
    }
}

static void options_parse(void)
{
    char words[4096 + 256];
    const char *text = process_variable(FISQL_VARIABLE_OPTIONS);
    process.options = (struct options){.alloc = process.orders == NULL};
    process.clock = clock_choose();
    if (text == NULL || strlen(text) >= sizeof words)
        return;
    strcpy(words, text);
    for (char *word = words, *next; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = 0;
        option_parse(word, &process.clock);
    }
    if (process.clock == CLOCK_SWITCHED_OFF)
        process.options.min_ns = 0;
}

/* ---- switching on and off ---- */

static void switch_recording(bool on)
{
    struct quiet quiet;
    if (!process_recording() || (silent() && collector_inside != 0))
        return; /* silence blocks no signals: a handler would wait for our own lock */
    quiet_begin(&quiet);
    if (__atomic_exchange_n(&process.paused, on ? 0 : 1, __ATOMIC_SEQ_CST) == on)
        changes_switched(on);
    fork_mark_paused();
    if (!on)
        thread_logs_poke();
    quiet_end(&quiet);
}

/* The thread may be blocked forever: it writes its ring here, the others at their next events. */
static void dump_now(void)
{
    fisql_dump();
    if (collector_inside != 0 || current_log == NULL || !process_active())
        return;
    struct thread_log *log = log_open(FRAME_ADDRESS());
    if (log != NULL)
        log_leave(log, log->live.word);
}

static void on_switch_signal(int number)
{
    (void)number;
    if (process.options.ring_chunks != 0)
        dump_now();
    else
        switch_recording(__atomic_load_n(&process.paused, __ATOMIC_ACQUIRE) != 0);
}

/* We take SIGUSR2 only if the user asked for it, and never from a handler of the program's. */
static void switch_setup(void)
{
    struct sigaction old;
    if (!process.options.start_off && process.options.ring_chunks == 0)
        return;
    if (sigaction(SIGUSR2, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
        return;
    struct sigaction action = {.sa_handler = on_switch_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
}

EXPORT void fisql_start(void)
{
    switch_recording(true);
}

EXPORT void fisql_stop(void)
{
    switch_recording(false);
}

EXPORT void fisql_dump(void)
{
    struct quiet quiet;
    if (!process_recording() || process.options.ring_chunks == 0)
        return;
    quiet_begin(&quiet);
    thread_logs_poke();
    quiet_end(&quiet);
}

EXPORT void fisql_note(const char *text)
{
    if (text != NULL && collector_inside == 0 && process_active())
        record_note(text, strlen(text));
}

/* ---- start ---- */

static bool log_path_set(void)
{
    const char *path = process_variable(FISQL_VARIABLE_LOG);
    if (path == NULL || path[0] == 0)
        return false;
    size_t length = strlen(path);
    if (path[0] == '/') {
        if (length >= sizeof process.log_path - 16)
            return false;
        strcpy(process.log_path, path);
    } else {
        if (getcwd(process.log_path, sizeof process.log_path - length - 16) == NULL)
            return false;
        strcat(strcat(process.log_path, "/"), path);
    }
    return true;
}

static bool log_opened(bool first)
{
    uint64_t run_id;
    if (process.orders != NULL) /* it may not be let to open them by their paths */
        return live_area_adopt(process.orders->live, &run_id) &&
               log_file_adopt(process.orders->log, run_id);
    return first ? log_file_create() : log_file_open(process.log_path);
}

/* Opens log and live area. *first: this is the first process of a run without fisql record. */
static bool outputs_open(bool *first)
{
    *first = process_variable(FISQL_VARIABLE_LIVE) == NULL;
    if (!log_path_set() || !log_opened(*first))
        return false;
    strcpy(process.live_path, process.log_path);
    strcat(process.live_path, ".live");
    if (!live_area_open())
        return false;
    if (*first) {
        setenv(fisql_variable(FISQL_VARIABLE_LOG), process.log_path, 1);
        setenv(fisql_variable(FISQL_VARIABLE_LIVE), process.live_path, 1);
    }
    return true;
}

/* Runs once, with signals blocked. */
static bool activate(void)
{
    bool first;
    uint64_t setup_from_ns = 0;
    if (!process.options.no_waits && process.clock != CLOCK_SWITCHED_OFF)
        usage_cpu_of(0, &setup_from_ns);
    bool memory = memory_hold(), opened = outputs_open(&first);
    memory_unhold();
    if (!opened)
        return false;
    for (const struct feature *const *at = features; *at != NULL; at++)
        memory &= (*at)->without_memory == NULL || !(*at)->without_memory();
    if (!memory || clock_forbidden()) {
        char name[UNRECORDED_NAME_BYTES];
        unrecorded_name(name);
        unrecorded_count(process.area, memory ? FISQL_UNRECORDED_CLOCK : FISQL_UNRECORDED_MEMORY,
                         name, 1);
        return false;
    }
    process_identify();
    process.start_tick = clock_read(process.clock);
    uint64_t ticks_per_second =
        clock_rate(clock_pair, process.clock, process.area->clock_tick, process.area->clock_ns);
    if (ticks_per_second == 0) {
        process.clock = CLOCK_SYSTEM;
        process.start_tick = clock_read(process.clock);
        ticks_per_second = clock_rate(clock_pair, process.clock, 0, 0);
    }
    process.options.min_ticks =
        (uint64_t)((uint128)process.options.min_ns * ticks_per_second / 1000000000u);
    process.gap_ticks = process.options.no_waits || process.clock == CLOCK_SWITCHED_OFF
                            ? UINT64_MAX
                            : usage_gap_ticks(ticks_per_second);
    process.ticks_per_us =
        clock_is_counter(process.clock) ? (uint32_t)(ticks_per_second / 1000000u) : 0;
    hooks_choose();
    process.sampled_ticks_max = process.ticks_per_us * (SAMPLED_NS_MAX / 1000);
    process.parent_key = live_salvage_exec();
    stack_setup();
    changes_setup();
    control_begin();
    fork_setup();
    thread_log_setup();
    if (process.options.alloc)
        freed_twice_setup();
    FEATURES_CALL(begins)();
    if (first)
        run_facts(ticks_per_second);
    process_facts(process.orders != NULL    ? FISQL_ORIGIN_ATTACH
                  : process.parent_key != 0 ? FISQL_ORIGIN_EXEC
                                            : FISQL_ORIGIN_START,
                  ticks_per_second, setup_from_ns);
    modules_refresh();
    if (!__atomic_load_n(&process.area->recording, __ATOMIC_RELAXED))
        process.paused = 1;
    fork_mark_paused();
    process.options.start_off = process.paused != 0 || process.options.start_off;
    if (process.orders == NULL) { /* else nothing of ours may stay when we leave */
        switch_setup();
        process_end_setup();
    }
    return true;
}

/* Is there nothing to record but what a library may bring later? */
static bool is_dormant(void)
{
    bool patches = process.options.as_is != 0 && library_has_hooks();
    return !patches && !modules_instrumented();
}

bool process_activate(bool by_hook)
{
    uint32_t state = __atomic_load_n(&process.active, __ATOMIC_ACQUIRE);
    if (environ == NULL || collector_inside != 0 || (!by_hook && library_sanitizer_starting) ||
        (state != PROCESS_UNDECIDED && !(by_hook && state == PROCESS_DORMANT)))
        return state == PROCESS_RECORDING;
    if (!__atomic_compare_exchange_n(&process.active, &state, PROCESS_DECIDING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    struct quiet quiet;
    quiet_begin(&quiet);
    collector_inside++;
    uint32_t next = PROCESS_NEVER;
    alloc_setup();
    FEATURES_CALL(deciding)(state == PROCESS_UNDECIDED);
    if (getauxval(AT_SECURE) == 0 && alloc_is_ours() && !library_is_brought_in()) {
        options_parse();
        children_take();
        next = !by_hook && is_dormant() ? PROCESS_DORMANT
               : activate()             ? PROCESS_RECORDING
                                        : PROCESS_NEVER;
        if (next != PROCESS_NEVER)
            children_setup();
    }
    __atomic_store_n(&process.active, next, __ATOMIC_RELEASE);
    if (process.area != NULL)
        live_area_starting(false);
    collector_inside--;
    quiet_end(&quiet);
    /* Not in the hook of a library that came later: a hook never waits. Signals are not blocked. */
    if (next == PROCESS_RECORDING && state == PROCESS_UNDECIDED)
        FEATURES_CALL(starts)();
    return next == PROCESS_RECORDING;
}

/* Keeps the orders, in memory of which the list of what is mapped knows. */
static bool orders_keep(const struct fisql_attach_orders *orders)
{
    process.orders = orders;
    if (!mapped_begin())
        return false;
    struct fisql_attach_orders *kept =
        mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED)
        return false;
    *kept = *orders;
    process.orders = kept;
    return true;
}

bool process_attach(const struct fisql_attach_orders *orders)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    collector_inside++;
    reserve_taken = mapped_add;
    bool kept = orders_keep(orders);
    __atomic_store_n(&process.active, PROCESS_DECIDING, __ATOMIC_RELEASE);
    FEATURES_CALL(deciding)(false);
    options_parse();
    bool recording = kept && activate();
    __atomic_store_n(&process.active, recording ? PROCESS_RECORDING : PROCESS_NEVER,
                     __ATOMIC_RELEASE);
    collector_inside--;
    quiet_end(&quiet);
    return recording;
}

static __attribute__((constructor)) void process_constructor(void)
{
    library_sanitizer_starting = false;
    process_active();
}
