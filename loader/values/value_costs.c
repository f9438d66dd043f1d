/*
 * Cost by an integer argument: see value_costs.h. Buckets 0 to 15 are these values; then each power
 * of two 2^e (e from 4 to 62) has eight buckets of 2^(e-3) values. Negative values have buckets of
 * their own: that of -1 - value.
 */
#include "loader/values/value_costs.h"

#include <stdlib.h>

static uint32_t bucket_of(uint64_t value)
{
    if (value < 16)
        return (uint32_t)value;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(value);
    return 16 + (power - 4) * 8 + ((uint32_t)(value >> (power - 3)) & 7);
}

static uint64_t bucket_low(uint32_t bucket)
{
    if (bucket < 16)
        return bucket;
    uint32_t power = 4 + (bucket - 16) / 8;
    return (UINT64_C(8) + (bucket - 16) % 8) << (power - 3);
}

void value_costs_free(struct value_costs *costs)
{
    for (uint32_t i = 0; costs != NULL && i < 2 * COST_GROUPS; i++)
        free(costs->groups[i / COST_GROUPS][i % COST_GROUPS]);
    free(costs);
}

static struct cost_bucket *reach(struct value_costs *costs, int64_t value, struct error *error)
{
    bool negative = value < 0;
    uint32_t bucket = bucket_of(negative ? (uint64_t)(-1 - value) : (uint64_t)value);
    struct cost_bucket **group = &costs->groups[negative][bucket / COST_GROUP];
    if (*group == NULL && (*group = calloc(COST_GROUP, sizeof **group)) == NULL) {
        error_set(error, "out of memory");
        return NULL;
    }
    return &(*group)[bucket % COST_GROUP];
}

int value_costs_add(struct value_costs *costs, int64_t value, const struct valued_call *call,
                    struct error *error)
{
    struct cost_bucket *bucket = reach(costs, value, error);
    if (bucket == NULL)
        return -1;
    bucket->calls++;
    bucket->values_sum += (double)value;
    value_costs_sum_add(&bucket->cost, call);
    return 0;
}

void value_costs_sum_merge(struct value_costs_sum *into, const struct value_costs_sum *from)
{
    if (from->finished > 0 &&
        (into->finished == 0 || from->max_ns > into->max_ns ||
         (from->max_ns == into->max_ns && from->slowest_call < into->slowest_call))) {
        into->max_ns = from->max_ns;
        into->slowest_call = from->slowest_call;
    }
    into->finished += from->finished;
    into->descendants += from->descendants;
    if (from->descendants_max > into->descendants_max)
        into->descendants_max = from->descendants_max;
    into->cpu_ns += from->cpu_ns;
}

static int add_sum(struct value_costs *costs, int64_t value, double values_sum,
                   const struct value_costs_sum *sum, struct error *error)
{
    struct cost_bucket *bucket = sum->finished > 0 ? reach(costs, value, error) : NULL;
    if (bucket == NULL)
        return sum->finished > 0 ? -1 : 0;
    bucket->calls += sum->finished;
    bucket->values_sum += values_sum;
    value_costs_sum_merge(&bucket->cost, sum);
    return 0;
}

int value_costs_from(struct value_counts *counts, struct error *error)
{
    counts->costs = calloc(1, sizeof *counts->costs);
    if (counts->costs == NULL)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < counts->counters_count; i++) {
        const struct value_counter *counter = &counts->counters[i];
        double sum = (double)(int64_t)counter->bits * (double)counter->cost.finished;
        if (add_sum(counts->costs, (int64_t)counter->bits, sum, &counter->cost, error) != 0)
            return -1;
    }
    return 0;
}

int value_costs_merge(struct value_counts *into, struct value_counts *from, struct error *error)
{
    if ((into->costs == NULL && value_costs_from(into, error) != 0) ||
        (from->costs == NULL && value_costs_from(from, error) != 0))
        return -1;
    for (uint32_t i = 0; i < 2 * COST_GROUPS * COST_GROUP; i++) {
        bool negative = i >= COST_GROUPS * COST_GROUP;
        uint32_t bucket = i % (COST_GROUPS * COST_GROUP);
        const struct cost_bucket *group = from->costs->groups[negative][bucket / COST_GROUP];
        if (group == NULL || group[bucket % COST_GROUP].calls == 0)
            continue;
        const struct cost_bucket *of = &group[bucket % COST_GROUP];
        int64_t low = (int64_t)bucket_low(bucket);
        if (add_sum(into->costs, negative ? -1 - low : low, of->values_sum, &of->cost, error) != 0)
            return -1;
    }
    return 0;
}

/* ---- reading ---- */

static int by_value(const void *left, const void *right)
{
    const struct value_counter *const *a = left, *const *b = right;
    int64_t x = (int64_t)(*a)->bits, y = (int64_t)(*b)->bits;
    return x < y ? -1 : x > y;
}

static int each_counter(const struct value_counts *counts, cost_visitor *each, void *context,
                        struct error *error)
{
    const struct value_counter **sorted = malloc((counts->counters_count + 1) * sizeof(void *));
    if (sorted == NULL)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < counts->counters_count; i++)
        sorted[i] = &counts->counters[i];
    if (counts->counters_count > 0)
        qsort(sorted, counts->counters_count, sizeof *sorted, by_value);
    int result = 0;
    for (uint32_t i = 0; i < counts->counters_count && result == 0; i++) {
        int64_t value = (int64_t)sorted[i]->bits;
        struct cost_bucket bucket = {.calls = sorted[i]->cost.finished,
                                     .values_sum = (double)value * (double)sorted[i]->cost.finished,
                                     .cost = sorted[i]->cost};
        if (bucket.calls > 0)
            result = each(context, value, value, &bucket, error);
    }
    free(sorted);
    return result;
}

int value_costs_each(const struct value_counts *counts, cost_visitor *each, void *context,
                     struct error *error)
{
    int result = 0;
    if (!counts->wants_costs)
        return 0;
    if (counts->costs == NULL)
        return each_counter(counts, each, context, error);
    uint32_t all = COST_GROUPS * COST_GROUP;
    for (uint32_t i = 0; i < 2 * all && result == 0; i++) {
        bool negative = i < all;
        uint32_t bucket = negative ? all - 1 - i : i - all;
        const struct cost_bucket *group = counts->costs->groups[negative][bucket / COST_GROUP];
        if (group == NULL || group[bucket % COST_GROUP].calls == 0)
            continue;
        int64_t low = (int64_t)bucket_low(bucket), high = (int64_t)(bucket_low(bucket + 1) - 1);
        result = negative ? each(context, -1 - high, -1 - low, &group[bucket % COST_GROUP], error)
                          : each(context, low, high, &group[bucket % COST_GROUP], error);
    }
    return result;
}
