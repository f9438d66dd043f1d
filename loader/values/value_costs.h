/* Calls' cost by an integer argument: a part of value_counts.h. */
#ifndef FISQL_LOADER_VALUES_VALUE_COSTS_H
#define FISQL_LOADER_VALUES_VALUE_COSTS_H

#include "loader/values/value_counts.h"

void value_costs_free(struct value_costs *costs); /* NULL is allowed */

/* Makes buckets out of counters that have all calls. */
int value_costs_from(struct value_counts *counts, struct error *error);

/* A finished call with the value. */
int value_costs_add(struct value_costs *costs, int64_t value, const struct valued_call *call,
                    struct error *error);

/* Merges two counts of integers whose sum has buckets. */
int value_costs_merge(struct value_counts *into, struct value_counts *from, struct error *error);

/* A finished call. */
static inline void value_costs_sum_add(struct value_costs_sum *sum, const struct valued_call *call)
{
    sum->descendants += call->descendants;
    if (call->descendants > sum->descendants_max)
        sum->descendants_max = call->descendants;
    sum->cpu_ns += call->cpu_ns;
    if (sum->finished++ == 0 || call->cpu_ns > sum->max_ns) {
        sum->max_ns = call->cpu_ns;
        sum->slowest_call = call->call_id;
    }
}

void value_costs_sum_merge(struct value_costs_sum *into, const struct value_costs_sum *from);

#endif
