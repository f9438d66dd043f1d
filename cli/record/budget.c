/* See budget.h. */
#include "cli/record/budget.h"

#include "base/array.h"
#include "base/parts.h"
#include "cli/out/cache_folder.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "debuginfo/patch/patch_symbols.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_NS 60000000  /* between measurements, at the beginning */
#define USUAL_NS 200000000 /* later */
#define FIRST_ROUNDS 20    /* so many are quick */
#define CPU_LEAST_NS 1e7   /* processor time that a measurement needs */
#define SAMPLED_MAX 4      /* threads whose chunks are counted at once */
#define COST_NS 40.0       /* of a call's hooks, where none was sampled */
/* What samples miss: the stub, and the hooks' instructions before their ticks; and for each function that
 * a thread calls, what its stub and its hooks' memory displace of the program's in the caches. A call of
 * fib() costs 21 ns in all, one of PostgreSQL's, which goes through hundreds of functions, 100 and more. */
#define COST_MORE_NS 10.0
#define COST_FUNCTION_NS 0.25
#define COST_FUNCTIONS_MAX 200
#define OWN_LEAST 0.02    /* of the processor time */
#define TARGET 0.7        /* we go so far below the budget, so that it is kept */
#define SHARE_LEAST 0.002 /* of all calls: a rarer function is not worth a choice */

void budget_begin(struct budget *budget, struct live *live, double part)
{
    struct error error;
    *budget = (struct budget){.part = part, .live = live};
    if (part <= 0)
        return;
    if (live_source_open(&budget->source, live->memory, "the live area", &error) != 0)
        budget->part = 0;
    budget->next_ns = clock_now_ns(CLOCK_MONOTONIC) + FIRST_NS;
}

static void functions_clear(struct budget_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->items[i].path);
    functions->count = 0;
}

bool budget_is_due(const struct budget *budget)
{
    return budget->part > 0 && clock_now_ns(CLOCK_MONOTONIC) >= budget->next_ns;
}

/* ---- measuring ---- */

/* The processor time that a process has taken since it was asked last. */
static double process_cpu(struct budget *budget, const struct live_filling *filling)
{
    struct error error;
    struct timespec now;
    clockid_t clock;
    size_t at = 0;
    if (clock_getcpuclockid((pid_t)filling->pid, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 0;
    uint64_t cpu_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    while (at < budget->processes_count && budget->processes[at].key != filling->process_key)
        at++;
    const struct budget_process fresh = {filling->process_key, cpu_ns, (pid_t)filling->pid};
    if (at == budget->processes_count) {
        if (array_add(&budget->processes, &budget->processes_count, &budget->processes_capacity,
                      fresh, &error) != 0)
            return 0;
        return (double)cpu_ns;
    }
    double taken = (double)(cpu_ns - budget->processes[at].cpu_ns);
    budget->processes[at] = fresh;
    return taken > 0 ? taken : 0;
}

static void thread_measure(struct budget *budget, uint32_t slot)
{
    struct error error;
    struct live_filling filling;
    if (array_reach(&budget->threads, &budget->threads_capacity, slot, &error) != 0)
        return;
    struct budget_thread *thread = &budget->threads[slot];
    thread->fresh = 0;
    if (!live_source_taken(&budget->source, slot) ||
        !live_filling_read(&budget->source, slot, &filling))
        return;
    bool same = thread->process_key == filling.process_key && thread->thread == filling.thread &&
                filling.calls >= thread->calls;
    *thread = (struct budget_thread){.process_key = filling.process_key,
                                     .calls = filling.calls,
                                     .fresh = filling.calls - (same ? thread->calls : 0),
                                     .thread = filling.thread,
                                     .pid = filling.pid};
    budget->measured.calls += (double)thread->fresh;
    budget->measured.cpu_ns += process_cpu(budget, &filling);
}

static void clock_measure(struct budget *budget)
{
#if defined(__x86_64__)
    const struct fisql_live_area *area = budget->live->area;
    double ticks = (double)(__builtin_ia32_rdtsc() - area->clock_tick);
    double ns = (double)(clock_now_ns(CLOCK_MONOTONIC) - (int64_t)area->clock_ns);
    budget->measured.ns_per_tick = ticks > 0 && ns > 0 ? ns / ticks : 0;
#else
    (void)budget;
#endif
}

/* What the hooks of a call cost, by all samples so far. Of patched functions only exits are sampled. */
static double call_cost(const struct budget *budget)
{
    const struct fisql_cost *cost = &budget->measured.cost;
    if (cost->exits == 0 || budget->measured.ns_per_tick <= 0)
        return COST_NS;
    double exit_ticks = (double)cost->exit_ticks / cost->exits;
    double enter_ticks = cost->enters > 0 ? (double)cost->enter_ticks / cost->enters : exit_ticks;
    return COST_MORE_NS + COST_FUNCTION_NS * (double)budget->measured.distinct +
           budget->measured.ns_per_tick * (enter_ticks + exit_ticks);
}

/* What recording takes, as a part of what the program takes without it. The cost is estimated: that a
 * program takes next to nothing of its own is its error. */
static double part_of(double cost_ns, double cpu_ns)
{
    double own_ns = cpu_ns - cost_ns;
    return cost_ns / (own_ns > OWN_LEAST * cpu_ns ? own_ns : OWN_LEAST * cpu_ns);
}

bool budget_measure(struct budget *budget)
{
    struct error error;
    budget->next_ns =
        clock_now_ns(CLOCK_MONOTONIC) + (budget->rounds < FIRST_ROUNDS ? FIRST_NS : USUAL_NS);
    if (live_source_refresh(&budget->source, &error) != 0)
        return false;
    clock_measure(budget);
    for (uint32_t slot = 0; slot < budget->source.slots; slot++)
        thread_measure(budget, slot);
    if (budget->changed)
        budget->measured.calls = budget->measured.cpu_ns = 0;
    budget->changed = false;
    if (budget->measured.cpu_ns < CPU_LEAST_NS)
        return false; /* the next measurement goes on adding */
    budget->rounds++;
    double cost = call_cost(budget);
    bool exceeds = part_of(budget->measured.calls * cost, budget->measured.cpu_ns) > budget->part;
    if (exceeds)
        budget->rounds = 0; /* soon again, as long as there is something to do */
    else
        budget->measured.calls = budget->measured.cpu_ns = 0;
    return exceeds;
}

/* ---- counting ---- */

static struct budget_function *function_of(struct budget *budget, const struct budget_where *where)
{
    struct error error;
    struct budget_functions *functions = &budget->functions;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i].address == where->address &&
            strcmp(functions->items[i].path, where->path) == 0)
            return &functions->items[i];
    const struct budget_function fresh = {
        .path = strdup(where->path), .address = where->address, .kind = where->kind};
    if (fresh.path == NULL ||
        array_add(&functions->items, &functions->count, &functions->capacity, fresh, &error) != 0) {
        free(fresh.path);
        return NULL;
    }
    return &functions->items[functions->count - 1];
}

/* Where the function lies; false: it cannot be left out, or has been already. A chunk may still have
 * calls of such. */
static bool where_of(const struct budget *budget, const struct live_count *count, pid_t pid,
                     budget_place *place, void *context, struct budget_where *where)
{
    if (count->function == 0 || !place(context, pid, count->function, where))
        return false;
    const struct function_set *left = function_sets_of(&budget->left, where->path);
    return left == NULL || !function_set_has(left, where->address);
}

/* Adds what a thread calls, of which `fresh` calls are new. Returns whether anything was. */
static bool counts_take(struct budget *budget, pid_t pid, double fresh, budget_place *place,
                        void *context)
{
    const struct live_counts *counts = &budget->counts;
    struct budget_where where;
    double calls = 0;
    for (size_t i = 0; i < counts->count; i++)
        if (where_of(budget, &counts->items[i], pid, place, context, &where))
            calls += (double)counts->items[i].calls;
    for (size_t i = 0; i < counts->count; i++) {
        const struct live_count *count = &counts->items[i];
        if ((double)count->calls < SHARE_LEAST * calls ||
            !where_of(budget, count, pid, place, context, &where))
            continue;
        struct budget_function *function = function_of(budget, &where);
        if (function == NULL)
            return false;
        function->calls += fresh / calls * (double)count->calls;
        function->self_ns +=
            fresh / calls * (double)count->self_ticks * budget->measured.ns_per_tick;
    }
    return calls > 0;
}

/* The slot of the thread with most calls that has not been taken; false: none had any. */
static bool busiest(struct budget *budget, uint32_t *slot)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < budget->source.slots && i < budget->threads_capacity; i++)
        if (budget->threads[i].fresh > most) {
            most = budget->threads[i].fresh;
            *slot = i;
        }
    return most > 0;
}

static void functions_count(struct budget *budget, budget_place *place, void *context)
{
    struct error error;
    double seen = 0;
    size_t distinct = 0;
    uint32_t slot = 0;
    functions_clear(&budget->functions);
    for (int i = 0; i < SAMPLED_MAX && busiest(budget, &slot); i++) {
        struct budget_thread *thread = &budget->threads[slot];
        double fresh = (double)thread->fresh;
        thread->fresh = 0;
        live_counts_clear(&budget->counts);
        if (live_counts_add(&budget->counts, &budget->source, slot, &error) != 0 ||
            !counts_take(budget, (pid_t)thread->pid, fresh, place, context))
            continue;
        seen += fresh;
        distinct = budget->counts.count > distinct ? budget->counts.count : distinct;
        budget->measured.cost.enters += budget->counts.cost.enters;
        budget->measured.cost.exits += budget->counts.cost.exits;
        budget->measured.cost.enter_ticks += budget->counts.cost.enter_ticks;
        budget->measured.cost.exit_ticks += budget->counts.cost.exit_ticks;
    }
    /* The other threads are taken to do the same. */
    for (size_t i = 0; seen > 0 && i < budget->functions.count; i++) {
        budget->functions.items[i].calls *= budget->measured.calls / seen;
        budget->functions.items[i].self_ns *= budget->measured.calls / seen;
    }
    if (seen > 0)
        budget->measured.distinct = distinct < COST_FUNCTIONS_MAX ? distinct : COST_FUNCTIONS_MAX;
    budget->measured.cost_ns = call_cost(budget);
}

/* ---- choosing ---- */

/* By calls a microsecond of their own, the most first. A call takes a nanosecond at least. */
static int by_worth(const void *left, const void *right)
{
    const struct budget_function *one = left, *other = right;
    double first = one->calls * (other->self_ns + other->calls);
    double second = other->calls * (one->self_ns + one->calls);
    if (first == second) /* without times */
        return (one->calls < other->calls) - (one->calls > other->calls);
    return (first < second) - (first > second);
}

struct budget_module {
    char *path;
    struct symbols symbols;
};

/* The module's names, read once; NULL without memory. */
static struct budget_module *module_of(struct budget *budget, const struct budget_left *left)
{
    struct error error;
    char cache[PATH_MAX];
    const struct symbols_options options = {.cache_dir = cache_folder(cache, sizeof cache),
                                            .as_is = left->kind == BUDGET_PATCHED,
                                            .all_modules = true,
                                            .names_only = left->kind == BUDGET_LINKED};
    for (size_t i = 0; i < budget->modules_count; i++)
        if (strcmp(budget->modules[i].path, left->path) == 0)
            return &budget->modules[i];
    if (array_reserve(&budget->modules, &budget->modules_capacity, budget->modules_count + 1,
                      &error) != 0)
        return NULL;
    struct budget_module *module = &budget->modules[budget->modules_count];
    *module = (struct budget_module){.path = strdup(left->path)};
    if (module->path == NULL)
        return NULL;
    budget->modules_count++;
    if (patch_symbols_open(&module->symbols, left->path, NULL, &options, &error) != 0) {
        symbols_release(&module->symbols);
        module->symbols = (struct symbols){.problem = "they cannot be read"};
    }
    return module;
}

static void modules_release(struct budget *budget)
{
    for (size_t i = 0; i < budget->modules_count; i++) {
        symbols_release(&budget->modules[i].symbols);
        free(budget->modules[i].path);
    }
    free(budget->modules);
    budget->modules = NULL;
}

static void name_of(struct budget *budget, const struct budget_left *left, char *name, size_t size)
{
    const struct budget_module *module = module_of(budget, left);
    snprintf(name, size, "%.100s+0x%" PRIx64, last_part(left->path), left->address);
    for (size_t i = 0; module != NULL && i < module->symbols.ranges_count; i++) {
        const struct symbol_range *range = &module->symbols.ranges[i];
        if (range->start == left->address)
            snprintf(name, size, "%s", module->symbols.functions[range->function].name);
    }
}

static void leave_out(struct budget *budget, const struct budget_function *function, uint64_t ns)
{
    struct error error;
    const struct budget_left left = {
        .path = strdup(function->path), function->address, ns, function->kind};
    if (left.path == NULL ||
        function_sets_add(&budget->left, function->path, function->address, &error) != 0 ||
        array_add(&budget->chosen, &budget->left_count, &budget->left_capacity, left, &error) != 0)
        free(left.path);
}

/* Libraries of the system lie in /usr/lib, which the dynamic linker may know as /lib. */
static bool is_merged(const char *path)
{
    return strncmp(path, "/usr/lib", 8) == 0;
}

char *budget_counts_text(const struct budget *budget, size_t *size_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size_bytes);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < budget->left_count; i++) {
        const struct budget_left *left = &budget->chosen[i];
        if (left->kind != BUDGET_HOOKED)
            continue;
        fprintf(out, "module %s\n%" PRIx64 "\n", left->path, left->address);
        if (is_merged(left->path))
            fprintf(out, "module %s\n%" PRIx64 "\n", left->path + 4, left->address);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void budget_write(struct budget *budget)
{
    for (; budget->written_count < budget->left_count; budget->written_count++) {
        const struct budget_left *left = &budget->chosen[budget->written_count];
        bool counted = left->kind == BUDGET_HOOKED;
        struct fisql_change change = {.what = counted ? FISQL_CHANGE_COUNTED : FISQL_CHANGE_BUDGET,
                                      .ns = left->ns};
        struct budget_said *said = &budget->said[counted];
        char text[FISQL_CHANGE_TEXT];
        size_t used = strlen(said->names);
        name_of(budget, left, change.detail, sizeof change.detail);
        if (fisql_change_text(&change, text))
            live_append_fact(budget->live, FISQL_FACT_RUN_CONTROL, text);
        if (said->count++ < 8)
            snprintf(said->names + used, sizeof said->names - used, "%s%.60s", used > 0 ? ", " : "",
                     change.detail);
    }
}

size_t budget_choose(struct budget *budget, budget_place *place, void *context)
{
    functions_count(budget, place, context);
    struct budget_functions *functions = &budget->functions;
    double cost = budget->measured.calls * budget->measured.cost_ns,
           least = SHARE_LEAST * budget->measured.calls;
    /* What hooks may take: of the program's own time, which stays. */
    double may = TARGET * budget->part * (budget->measured.cpu_ns - cost);
    double own = budget->measured.cpu_ns - cost;
    uint64_t now_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
    size_t chosen = 0;
    if (own < budget->measured.cpu_ns / 50)
        may = TARGET * budget->part * budget->measured.cpu_ns / 50;
    array_sort(functions->items, functions->count, by_worth);
    for (size_t i = 0; i < functions->count && cost > may; i++) {
        if (functions->items[i].calls < least)
            continue;
        cost -= functions->items[i].calls * budget->measured.cost_ns;
        leave_out(budget, &functions->items[i], now_ns);
        chosen++;
    }
    budget->measured.calls = budget->measured.cpu_ns = 0;
    budget->changed = true;
    return chosen;
}

void budget_say(const struct budget *budget)
{
    for (int i = 0; i < 2; i++) {
        const struct budget_said *said = &budget->said[i];
        if (said->count > 0)
            note("--budget: %zu function%s %s while it ran: %s%s (fisql query completeness)",
                 said->count, said->count == 1 ? " was" : "s were",
                 i == 0 ? "left out" : "only counted", said->names, said->count > 8 ? ", ..." : "");
    }
}

void budget_end(struct budget *budget)
{
    live_counts_release(&budget->counts);
    functions_clear(&budget->functions);
    function_sets_release(&budget->left);
    modules_release(budget);
    for (size_t i = 0; i < budget->left_count; i++)
        free(budget->chosen[i].path);
    free(budget->chosen);
    free(budget->functions.items);
    free(budget->threads);
    free(budget->processes);
    budget->functions = (struct budget_functions){.count = 0};
    budget->chosen = NULL;
    budget->threads = NULL;
    budget->processes = NULL;
}
