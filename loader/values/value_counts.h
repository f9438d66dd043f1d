/*
 * Counts of a parameter or result: how many calls had which value, and their cost.
 *
 * We count up to 64 values each by itself, of numbers and texts up to 256. Beyond that, the
 * counters are those of Space-Saving (Metwally, Agrawal, El Abbadi: "Efficient computation of
 * frequent and top-k elements in data streams", 2005): a new value replaces the one seen least. The
 * old count becomes its error: so many of its calls we may have missed before. What we count since
 * then (calls, time) is true of the value. To merge two sets of counters, we add those of a value;
 * a set without the value may have missed it as often as it saw its least one (Agarwal et al.,
 * "Mergeable summaries", 2012).
 *
 * Up to 64 values, the counters have the cost by an integer argument; beyond that, the eighths of
 * powers of two have it.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_COUNTS_H
#define FISQL_LOADER_VALUES_VALUE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/values/value_form.h"

#define VALUE_COUNTERS_EXACT 64u /* each parameter may have so many */
#define VALUE_COUNTERS_MAX 256u
#define COUNTER_NONE UINT16_MAX

/* An ended call. */
struct valued_call {
    uint64_t call_id, cpu_ns, descendants;
    bool finished; /* it returned, or was unwound */
};

struct value_costs_sum {
    uint64_t finished, descendants, descendants_max, cpu_ns, max_ns, slowest_call;
};

struct value_counter {
    uint64_t bits; /* as in the form */
    char *text;    /* NULL = it has none */
    uint32_t text_bytes;
    uint8_t type;
    uint16_t next; /* in its chain, COUNTER_NONE = the last */
    uint64_t calls, error, first_call;
    struct value_costs_sum cost;
};

/* Values low .. high. */
struct cost_bucket {
    uint64_t calls;
    double values_sum;
    struct value_costs_sum cost;
};

#define COST_GROUPS 31u /* 16 values, then eight buckets for each power of two from 2^4 to 2^62 */
#define COST_GROUP 16u
struct value_costs {
    struct cost_bucket *groups[2][COST_GROUPS]; /* [1]: of -1 - value. NULL = empty */
};

struct value_range { /* of numbers */
    bool has_integer, has_real, has_unsigned;
    int64_t integer_min, integer_max;
    int64_t positive_sum; /* of the integers above 0, INT64_MAX if it is more */
    double real_min, real_max;
    uint64_t unsigned_min, unsigned_max;
};

struct value_counts {
    uint64_t calls, absent, unreadable, no_room, cut, cpu_ns, text_bytes_max;
    bool has_text, has_pointer;
    bool counted;      /* every value has its counter, and no error */
    uint64_t unplaced; /* calls without a counter: their text had no room */
    struct value_range range;
    struct value_counter *counters;
    uint16_t *heads;          /* of the chains; as many as counters have room, */
    size_t counters_capacity; /* which is a power of two */
    uint32_t counters_count;
    uint32_t last;             /* the counter used last */
    uint64_t least;            /* we saw no counter less often, */
    uint32_t hand;             /* and those before it more often */
    bool wants_costs;          /* an argument with only integers so far */
    struct value_costs *costs; /* NULL = the counters have them */
};

/* Memory for all counters together; atomic. */
struct value_room {
    int64_t bytes;
};

/* argument: not of a result. */
struct value_counts *value_counts_new(bool argument, struct error *error);
void value_counts_free(struct value_counts *counts); /* NULL is allowed */

int value_counts_add(struct value_counts *counts, const struct value_form *form,
                     const struct valued_call *call, struct value_room *room, struct error *error);

/* `from` is spent then. */
int value_counts_merge(struct value_counts *into, struct value_counts *from, struct error *error);

/* Sorts the counters, the commonest first. Nothing can be added then. */
void value_counts_sort(struct value_counts *counts);

/* Of the values low .. high. */
typedef int cost_visitor(void *context, int64_t low, int64_t high, const struct cost_bucket *bucket,
                         struct error *error);
/* Calls for each bucket that has calls, by value ascending. */
int value_costs_each(const struct value_counts *counts, cost_visitor *each, void *context,
                     struct error *error);

static inline bool value_room_take(struct value_room *room, size_t bytes)
{
    if (__atomic_sub_fetch(&room->bytes, (int64_t)bytes, __ATOMIC_RELAXED) >= 0)
        return true;
    __atomic_fetch_add(&room->bytes, (int64_t)bytes, __ATOMIC_RELAXED);
    return false;
}

static inline void value_room_give(struct value_room *room, size_t bytes)
{
    __atomic_fetch_add(&room->bytes, (int64_t)bytes, __ATOMIC_RELAXED);
}

#endif
