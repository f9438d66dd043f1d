/* The hooks' cost: see hook_costs.h. */
#include "loader/calls/hook_costs.h"

#include <stdlib.h>

#include "base/wide.h"

#define STRETCH_CHUNKS 16u
#define STRETCH_SAMPLES 512u /* of each of the two hooks */
#define SAMPLES_MIN 32u      /* fewer show nothing */
#define SAMPLE_PER_MILLE 570u
#define SCALE_PER_MILLE_MAX 4000u /* a larger scale: the reference run did other work */

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

static uint64_t writes_ns(const struct log_index *index, uint64_t ticks_per_second)
{
    wide_uint ticks = 0;
    for (size_t i = 0; i < index->chunks_count; i++)
        ticks += fisql_cost_unpack(index->chunks[i].cost).write_ticks;
    return ticks_per_second != 0 ? (uint64_t)(ticks * 1000000000u / ticks_per_second) : 0;
}

static uint64_t limited(wide_uint ps)
{
    return ps < HOOK_COST_PS_MAX ? (uint64_t)ps : HOOK_COST_PS_MAX;
}

static void cost_add(struct fisql_cost *sum, const struct log_chunk *chunk)
{
    struct fisql_cost cost = fisql_cost_unpack(chunk->cost);
    sum->enters += cost.enters;
    sum->exits += cost.exits;
    sum->enter_ticks += cost.enter_ticks;
    sum->exit_ticks += cost.exit_ticks;
}

/* Of the samples of some chunks of a thread, added up. */
static struct hook_cost stretch_cost(const struct fisql_cost *sum, uint64_t ticks_per_second)
{
    const wide_uint ps = (wide_uint)1000000000u * SAMPLE_PER_MILLE; /* of ticks: see the return */
    wide_uint inside = sum->enter_ticks * ps / sum->enters / ticks_per_second;
    wide_uint outside = sum->exit_ticks * ps / sum->exits / ticks_per_second;
    return (struct hook_cost){limited(inside), limited(outside)};
}

/* Divides the chunks of a thread into stretches. Returns whether hooks measured themselves. */
static bool thread_costs(struct hook_costs *costs, const struct log_index *index,
                         const struct log_thread *thread, uint64_t ticks_per_second)
{
    const struct log_chunk *chunks = index->chunks + thread->first_chunk;
    struct hook_cost *out = costs->chunks + thread->first_chunk;
    struct hook_cost cost = costs->calibrated;
    struct fisql_cost sum = {0};
    size_t from = 0;
    bool known = false;
    for (size_t i = 0; i < thread->chunks; i++) {
        cost_add(&sum, &chunks[i]);
        bool last = i + 1 == thread->chunks, enough = i + 1 - from >= STRETCH_CHUNKS &&
                                                      sum.enters >= STRETCH_SAMPLES &&
                                                      sum.exits >= STRETCH_SAMPLES;
        if (!last && !enough)
            continue;
        /* A short rest at the end joins the stretch before it. */
        if (enough || (!known && sum.enters >= SAMPLES_MIN && sum.exits >= SAMPLES_MIN &&
                       ticks_per_second != 0)) {
            cost = stretch_cost(&sum, ticks_per_second);
            known = true;
        }
        for (; from <= i; from++)
            out[from] = cost;
        sum = (struct fisql_cost){0};
    }
    return known;
}

/* Scales all costs to the sum from the reference run. */
static void scale(struct hook_costs *costs, const struct log_index *index, wide_uint sum_ps,
                  uint64_t ticks_per_second)
{
    uint64_t cpu = fact_number(index, FISQL_FACT_RUN_CPU_NS);
    uint64_t reference = fact_number(index, FISQL_FACT_RUN_REFERENCE_CPU_NS);
    uint64_t others = index->facts.setup_ns + writes_ns(index, ticks_per_second); /* not of hooks */
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
    uint64_t both_ps = costs->calibrated.inside_ps + costs->calibrated.outside_ps;
    uint64_t untimed_ps = cost_fact(index, FISQL_FACT_PROCESS_HOOK_UNTIMED_PS);
    if (untimed_ps != 0 && untimed_ps < both_ps)
        costs->spared_per_mille = (both_ps - untimed_ps) * 1000 / both_ps;
    uint64_t leaf_ps = cost_fact(index, FISQL_FACT_PROCESS_HOOK_LEAF_PS);
    costs->leaf_spares =
        leaf_ps != 0 && costs->spared_per_mille != 0 && leaf_ps < untimed_ps
            ? (uint32_t)((both_ps - leaf_ps) * HOOK_SPARES / (both_ps - untimed_ps))
            : HOOK_SPARES;
    costs->mean = costs->calibrated;
    costs->chunks = calloc(index->chunks_count + 1, sizeof *costs->chunks);
    if (costs->chunks == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < index->chunks_count; i++)
        costs->chunks[i] = costs->calibrated;
    uint64_t rate = fact_number(index, FISQL_FACT_PROCESS_TICKS_PER_SECOND);
    /* Samples are of timed calls, through another path than most of them. */
    bool sampled = costs->spared_per_mille != 0;
    for (size_t i = 0; !sampled && rate != 0 && i < index->threads_count; i++)
        if (index->threads[i].id != 0 && thread_costs(costs, index, &index->threads[i], rate))
            costs->source = HOOK_COSTS_SAMPLES;
    scale(costs, index, add_up(costs, index), rate);
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
    static const unsigned percent[] = {40, 20, 15};
    uint64_t of_ns = costs->source == HOOK_COSTS_REFERENCE ? costs->reference_ns : cost_ns;
    return (uint64_t)((wide_uint)of_ns * percent[costs->source] / 100);
}

void hook_costs_release(struct hook_costs *costs)
{
    free(costs->chunks);
    *costs = (struct hook_costs){.chunks = NULL};
}
