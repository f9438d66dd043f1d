/* What hooks cost, by stretch of the log: see hook_costs.h. */
#include "loader/calls/hook_costs.h"

#include <stdlib.h>

#include "base/wide.h"

#define STRETCH_CHUNKS 16u
#define STRETCH_SAMPLES 512u /* of each of the two hooks */
#define SAMPLES_MIN 32u      /* fewer tell nothing */
#define SAMPLE_PER_MILLE 620u
#define SCALE_PER_MILLE_MAX 4000u /* a reference run that says more was not the same work */

static uint64_t fact_number(const struct log_index *index, enum fisql_fact fact)
{
    const char *value = log_index_fact(index, fact);
    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

static uint64_t cost_fact(const struct log_index *index, enum fisql_fact fact)
{
    uint64_t cost = fact_number(index, fact);
    return cost <= HOOK_COST_PS_MAX ? cost : 0;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Ticks that writing these chunks took: as many times the median as there are, for in some the
 * thread was put aside. */
static uint64_t write_ticks(const struct log_chunk *chunks, size_t count)
{
    uint64_t ticks[STRETCH_CHUNKS];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t written = fisql_cost_unpack(chunks[i].cost).write_ticks;
        if (written != 0)
            ticks[found++ % STRETCH_CHUNKS] = written;
    }
    if (found == 0)
        return 0;
    size_t kept = found < STRETCH_CHUNKS ? found : STRETCH_CHUNKS;
    qsort(ticks, kept, sizeof ticks[0], by_value);
    return ticks[kept / 2] * found;
}

static uint64_t limited(wide_uint ps)
{
    return ps < HOOK_COST_PS_MAX ? (uint64_t)ps : HOOK_COST_PS_MAX;
}

/* The samples of some chunks of a thread, added up. */
struct stretch {
    struct fisql_cost sum;
    uint64_t calls;
};

static void stretch_add(struct stretch *stretch, const struct log_chunk *chunk)
{
    struct fisql_cost cost = fisql_cost_unpack(chunk->cost);
    stretch->sum.enters += cost.enters;
    stretch->sum.exits += cost.exits;
    stretch->sum.enter_ticks += cost.enter_ticks;
    stretch->sum.exit_ticks += cost.exit_ticks;
    stretch->calls += chunk->calls;
}

static struct hook_cost stretch_cost(const struct stretch *stretch, const struct log_chunk *chunks,
                                     size_t count, uint64_t ticks_per_second)
{
    const struct fisql_cost *sum = &stretch->sum;
    const wide_uint ps = (wide_uint)1000000000u * SAMPLE_PER_MILLE; /* of ticks: see the return */
    wide_uint inside = sum->enter_ticks * ps / sum->enters / ticks_per_second;
    wide_uint outside = sum->exit_ticks * ps / sum->exits / ticks_per_second;
    outside += write_ticks(chunks, count) * (wide_uint)1000000000000u / ticks_per_second /
               (stretch->calls + 1);
    return (struct hook_cost){limited(inside), limited(outside)};
}

/* Divides the chunks of a thread into stretches. Returns whether hooks measured themselves. */
static bool thread_costs(struct hook_costs *costs, const struct log_index *index,
                         const struct log_thread *thread, uint64_t ticks_per_second)
{
    const struct log_chunk *chunks = index->chunks + thread->first_chunk;
    struct hook_cost *out = costs->chunks + thread->first_chunk;
    struct hook_cost cost = costs->calibrated;
    struct stretch stretch = {.calls = 0};
    size_t from = 0;
    bool known = false;
    for (size_t i = 0; i < thread->chunks; i++) {
        stretch_add(&stretch, &chunks[i]);
        bool last = i + 1 == thread->chunks, enough = i + 1 - from >= STRETCH_CHUNKS &&
                                                      stretch.sum.enters >= STRETCH_SAMPLES &&
                                                      stretch.sum.exits >= STRETCH_SAMPLES;
        if (!last && !enough)
            continue;
        /* A short rest at the end is as what was before it. */
        if (enough || (!known && stretch.sum.enters >= SAMPLES_MIN &&
                       stretch.sum.exits >= SAMPLES_MIN && ticks_per_second != 0)) {
            cost = stretch_cost(&stretch, chunks + from, i + 1 - from, ticks_per_second);
            known = true;
        }
        for (; from <= i; from++)
            out[from] = cost;
        stretch = (struct stretch){.calls = 0};
    }
    return known;
}

/* Scales all costs to what the reference run says they sum up to. */
static void scale(struct hook_costs *costs, const struct log_index *index, wide_uint sum_ps)
{
    uint64_t cpu = fact_number(index, FISQL_FACT_RUN_CPU_NS);
    uint64_t reference = fact_number(index, FISQL_FACT_RUN_REFERENCE_CPU_NS);
    uint64_t others = index->facts.setup_ns; /* not the hooks' */
    if (reference == 0 || cpu <= reference || cpu - reference <= others || sum_ps == 0)
        return;
    wide_uint per_mille = (wide_uint)(cpu - reference - others) * 1000000u / sum_ps;
    if (per_mille > SCALE_PER_MILLE_MAX)
        return;
    for (size_t i = 0; i < index->chunks_count; i++) {
        struct hook_cost *cost = &costs->chunks[i];
        cost->inside_ps = limited(cost->inside_ps * per_mille / 1000);
        cost->outside_ps = limited(cost->outside_ps * per_mille / 1000);
    }
    costs->source = HOOK_COSTS_REFERENCE;
    costs->reference_ns = reference;
}

/* The sum over all calls, inside and outside. */
static wide_uint add_up(struct hook_costs *costs, const struct log_index *index)
{
    wide_uint inside = 0, outside = 0, calls = 0;
    for (size_t i = 0; i < index->chunks_count; i++) {
        calls += index->chunks[i].calls;
        inside += (wide_uint)costs->chunks[i].inside_ps * index->chunks[i].calls;
        outside += (wide_uint)costs->chunks[i].outside_ps * index->chunks[i].calls;
    }
    if (calls != 0)
        costs->mean = (struct hook_cost){(uint64_t)(inside / calls), (uint64_t)(outside / calls)};
    return inside + outside;
}

int hook_costs_make(struct hook_costs *costs, const struct log_index *index, struct error *error)
{
    *costs =
        (struct hook_costs){.calibrated = {cost_fact(index, FISQL_FACT_PROCESS_HOOK_INSIDE_PS),
                                           cost_fact(index, FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS)}};
    costs->mean = costs->calibrated;
    costs->chunks = calloc(index->chunks_count + 1, sizeof *costs->chunks);
    if (costs->chunks == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < index->chunks_count; i++)
        costs->chunks[i] = costs->calibrated;
    uint64_t rate = fact_number(index, FISQL_FACT_PROCESS_TICKS_PER_SECOND);
    for (size_t i = 0; rate != 0 && i < index->threads_count; i++)
        if (index->threads[i].id != 0 && thread_costs(costs, index, &index->threads[i], rate))
            costs->source = HOOK_COSTS_SAMPLES;
    scale(costs, index, add_up(costs, index));
    add_up(costs, index);
    return 0;
}

const char *hook_costs_source_name(enum hook_costs_source source)
{
    static const char *const names[] = {"loop", "samples", "reference"};
    return names[source];
}

uint64_t hook_costs_error_ns(const struct hook_costs *costs, uint64_t cost_ns)
{
    /* hook_costs.h says where these are from. */
    static const unsigned percent[] = {70, 25, 15};
    uint64_t of_ns = costs->source == HOOK_COSTS_REFERENCE ? costs->reference_ns : cost_ns;
    return (uint64_t)((wide_uint)of_ns * percent[costs->source] / 100);
}

void hook_costs_release(struct hook_costs *costs)
{
    free(costs->chunks);
    *costs = (struct hook_costs){.chunks = NULL};
}
