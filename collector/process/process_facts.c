/* See process_facts.h. */
#include "collector/process/process_facts.h"

#include "collector/core/facts.h"
#include "collector/core/file.h"
#include "collector/core/hook_cost.h"
#include "collector/core/library.h"
#include "collector/core/live_area.h"
#include "collector/core/usage.h"
#include "collector/process/process.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static void clock_facts(struct facts *facts, uint64_t ticks_per_second)
{
    struct hook_cost cost = hook_cost_measure(ticks_per_second);
    facts_text(facts, FISQL_FACT_PROCESS_CLOCK, clock_name(process.clock));
    facts_number(facts, FISQL_FACT_PROCESS_TICKS_PER_SECOND, ticks_per_second);
    facts_number(facts, FISQL_FACT_PROCESS_HOOK_INSIDE_PS, cost.inside_ps);
    facts_number(facts, FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS, cost.outside_ps);
    if (cost.untimed_ps != 0)
        facts_number(facts, FISQL_FACT_PROCESS_HOOK_UNTIMED_PS, cost.untimed_ps);
    if (cost.leaf_ps != 0)
        facts_number(facts, FISQL_FACT_PROCESS_HOOK_LEAF_PS, cost.leaf_ps);
}

/* Used before there is a second thread; stacks may be small. */
static struct {
    unsigned char facts[16384];
    char path[4096], command[8192];
} scratch;

static void command_fact(struct facts *facts)
{
    char *command = scratch.command;
    int file = file_open("/proc/self/cmdline", O_RDONLY);
    ssize_t length = file >= 0 ? read(file, command, sizeof scratch.command - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        return;
    for (ssize_t i = 0; i < length - 1; i++)
        if (command[i] == 0)
            command[i] = ' ';
    command[length] = 0;
    facts_text(facts, FISQL_FACT_PROCESS_COMMAND, command);
}

void process_facts(const char *origin, uint64_t ticks_per_second, uint64_t setup_from_ns)
{
    uint64_t now_ns;
    char *path = scratch.path;
    struct facts facts;
    facts_begin(&facts, scratch.facts, sizeof scratch.facts, FISQL_CHUNK_PROCESS, 0, process.pid);
    ssize_t length = readlink("/proc/self/exe", path, sizeof scratch.path - 1);
    path[length > 0 ? length : 0] = 0;
    facts_text(&facts, FISQL_FACT_PROCESS_EXECUTABLE, path);
    command_fact(&facts);
    facts_number(&facts, FISQL_FACT_PROCESS_PARENT_PID, (uint64_t)getppid());
    facts_hex(&facts, FISQL_FACT_PROCESS_PARENT_PROCESS, process.parent_key);
    facts_text(&facts, FISQL_FACT_PROCESS_ORIGIN, origin);
    facts_number(&facts, FISQL_FACT_PROCESS_START_TICK, process.start_tick);
    if (process.options.alloc && !library_sees_malloc())
        facts_text(&facts, FISQL_FACT_PROCESS_ALLOC_OWN_MALLOC, path);
    if (process.fork_tick != 0)
        facts_number(&facts, FISQL_FACT_PROCESS_FORK_TICK, process.fork_tick);
    if (process.gap_ticks != UINT64_MAX)
        facts_number(&facts, FISQL_FACT_PROCESS_GAP_TICKS, process.gap_ticks);
    if (ticks_per_second != 0)
        clock_facts(&facts, ticks_per_second);
    if (setup_from_ns != 0 && usage_cpu_of(0, &now_ns))
        facts_number(&facts, FISQL_FACT_PROCESS_SETUP_NS, now_ns - setup_from_ns);
    facts_write(&facts);
}

void run_facts(uint64_t ticks_per_second)
{
    unsigned char buffer[1024];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_RUN, 0, process.pid);
    facts_text(&facts, FISQL_FACT_RUN_VERSION, FISQL_VERSION);
    facts_number(&facts, FISQL_FACT_RUN_STARTED, (uint64_t)time(NULL));
    facts_number(&facts, FISQL_FACT_RUN_TICKS_PER_SECOND, ticks_per_second);
    facts_write(&facts);
}

void process_identify(void)
{
    process.pid = (uint32_t)getpid();
    process.owner_start = live_owner_start();
    process.key = __atomic_fetch_add(&process.area->process_next, 1, __ATOMIC_RELAXED);
}

void process_forked(uint64_t fork_tick)
{
    process.parent_key = process.key;
    process.start_tick = clock_read(process.clock);
    process.fork_tick = fork_tick;
    process_identify();
    process_facts(FISQL_ORIGIN_FORK, 0, 0);
}
