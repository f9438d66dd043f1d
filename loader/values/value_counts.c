/* Counters of values: see value_counts.h. */
#include "loader/values/value_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/values/value_costs.h"

struct value_counts *value_counts_new(bool argument, struct error *error)
{
    struct value_counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL) {
        error_set(error, "out of memory");
        return NULL;
    }
    counts->counted = true;
    counts->wants_costs = argument;
    return counts;
}

void value_counts_free(struct value_counts *counts)
{
    if (counts == NULL)
        return;
    for (uint32_t i = 0; i < counts->counters_count; i++)
        free(counts->counters[i].text);
    free(counts->counters);
    free(counts->heads);
    value_costs_free(counts->costs);
    free(counts);
}

/* ---- counters ---- */

static uint16_t *chain(const struct value_counts *counts, uint64_t bits)
{
    return &counts->heads[bits * UINT64_C(0x9e3779b97f4a7c15) >> 40 &
                          (counts->counters_capacity - 1)];
}

static void link_counter(struct value_counts *counts, uint32_t index)
{
    uint16_t *head = chain(counts, counts->counters[index].bits);
    counts->counters[index].next = *head;
    *head = (uint16_t)index;
}

static void unlink_counter(struct value_counts *counts, uint32_t index)
{
    uint16_t *link = chain(counts, counts->counters[index].bits);
    while (*link != index)
        link = &counts->counters[*link].next;
    *link = counts->counters[index].next;
}

/* As in the database: a pointer is an INTEGER, all texts are TEXT. */
static uint8_t type_of(const struct value_form *form)
{
    return form->type == FORM_POINTER ? FORM_INTEGER
           : form->type > FORM_TEXT   ? FORM_TEXT
                                      : form->type;
}

static bool is_of(const struct value_counter *counter, const struct value_form *form)
{
    return counter->bits == form->bits && counter->type == type_of(form) &&
           counter->text_bytes == form->text_bytes &&
           (form->text_bytes == 0 || memcmp(counter->text, form->text, form->text_bytes) == 0);
}

/* COUNTER_NONE: it has none. */
static uint32_t find(const struct value_counts *counts, const struct value_form *form)
{
    if (counts->counters_count == 0)
        return COUNTER_NONE;
    if (is_of(&counts->counters[counts->last], form))
        return counts->last;
    uint32_t index = *chain(counts, form->bits);
    while (index != COUNTER_NONE && !is_of(&counts->counters[index], form))
        index = counts->counters[index].next;
    return index;
}

/* Makes room for more counters, if more are allowed. */
static int grow(struct value_counts *counts, const struct value_form *form, struct value_room *room,
                struct error *error)
{
    size_t most = form->type == FORM_POINTER ? VALUE_COUNTERS_EXACT : VALUE_COUNTERS_MAX;
    size_t capacity = counts->counters_capacity, each = sizeof *counts->counters + 2;
    if (capacity >= most || (!value_room_take(room, capacity * each) && capacity > 0))
        return 0;
    if (array_reserve(&counts->counters, &counts->counters_capacity, capacity + 1, error) != 0)
        return -1;
    free(counts->heads);
    counts->heads = malloc(counts->counters_capacity * sizeof *counts->heads);
    if (counts->heads == NULL)
        return error_set(error, "out of memory");
    memset(counts->heads, 0xff, counts->counters_capacity * sizeof *counts->heads);
    for (uint32_t i = 0; i < counts->counters_count; i++)
        link_counter(counts, i);
    return 0;
}

static uint64_t seen(const struct value_counter *counter)
{
    return counter->calls + counter->error;
}

/* A counter that was seen least. */
static uint32_t least_seen(struct value_counts *counts)
{
    for (;;) {
        for (; counts->hand < counts->counters_count; counts->hand++)
            if (seen(&counts->counters[counts->hand]) <= counts->least)
                return counts->hand;
        counts->least = UINT64_MAX;
        counts->hand = 0;
        for (uint32_t i = 0; i < counts->counters_count; i++)
            if (seen(&counts->counters[i]) < counts->least)
                counts->least = seen(&counts->counters[i]);
    }
}

/* Gives a value a counter, if need be another value's. COUNTER_NONE: its text has no room. */
static int make(struct value_counts *counts, const struct value_form *form, struct value_room *room,
                uint32_t *index, struct error *error)
{
    char *text = NULL;
    *index = COUNTER_NONE;
    if (counts->counters_count == counts->counters_capacity && grow(counts, form, room, error) != 0)
        return -1;
    bool full = counts->counters_count == counts->counters_capacity;
    if (full && counts->wants_costs && counts->costs == NULL &&
        value_costs_from(counts, error) != 0)
        return -1;
    if (form->text_bytes > 0) {
        if (!value_room_take(room, form->text_bytes)) {
            counts->unplaced++;
            counts->counted = false;
            return 0;
        }
        text = malloc(form->text_bytes);
        if (text == NULL)
            return error_set(error, "out of memory");
        memcpy(text, form->text, form->text_bytes);
    }
    uint64_t missed = counts->unplaced;
    if (!full) {
        *index = counts->counters_count++;
    } else {
        *index = least_seen(counts);
        struct value_counter *taken = &counts->counters[*index];
        missed += seen(taken);
        unlink_counter(counts, *index);
        value_room_give(room, taken->text_bytes);
        free(taken->text);
        counts->counted = false;
    }
    counts->counters[*index] = (struct value_counter){.bits = form->bits,
                                                      .text = text,
                                                      .text_bytes = form->text_bytes,
                                                      .type = type_of(form),
                                                      .error = missed,
                                                      .first_call = UINT64_MAX};
    link_counter(counts, *index);
    return 0;
}

/* ---- adding ---- */

static void add_positive(struct value_range *range, int64_t value)
{
    if (value > 0 && __builtin_add_overflow(range->positive_sum, value, &range->positive_sum))
        range->positive_sum = INT64_MAX;
}

static void add_integer(struct value_range *range, int64_t value)
{
    if (!range->has_integer || value < range->integer_min)
        range->integer_min = value;
    if (!range->has_integer || value > range->integer_max)
        range->integer_max = value;
    range->has_integer = true;
}

static void add_real(struct value_range *range, double value)
{
    if (!range->has_real || value < range->real_min)
        range->real_min = value;
    if (!range->has_real || value > range->real_max)
        range->real_max = value;
    range->has_real = true;
}

static void add_unsigned(struct value_range *range, uint64_t value)
{
    if (!range->has_unsigned || value < range->unsigned_min)
        range->unsigned_min = value;
    if (!range->has_unsigned || value > range->unsigned_max)
        range->unsigned_max = value;
    range->has_unsigned = true;
}

static void add_to_range(struct value_counts *counts, const struct value_form *form)
{
    double real;
    if (form->type == FORM_INTEGER) {
        add_integer(&counts->range, (int64_t)form->bits);
        add_positive(&counts->range, (int64_t)form->bits);
    } else if (form->type == FORM_REAL) {
        memcpy(&real, &form->bits, sizeof real);
        add_real(&counts->range, real);
    } else if (form->type == FORM_TEXT || form->type == FORM_CUT) {
        counts->has_text = true;
        counts->cut += form->type == FORM_CUT;
        if (form->text_bytes > counts->text_bytes_max)
            counts->text_bytes_max = form->text_bytes;
    } else if (form->type == FORM_POINTER) {
        counts->has_pointer = true;
    } else if (form->type == FORM_WORDS && form->class == VALUE_CLASS_POSITIVE &&
               form->text_bytes <= 20) {
        char text[24];
        memcpy(text, form->text, form->text_bytes);
        text[form->text_bytes] = 0;
        add_unsigned(&counts->range, strtoull(text, NULL, 10));
    }
}

static void add_missing(struct value_counts *counts, const struct value_form *form)
{
    counts->absent += form->type == FORM_ABSENT;
    counts->unreadable += form->type == FORM_UNREADABLE;
    counts->no_room += form->type == FORM_NO_ROOM;
}

/* Adds a call's cost to its integer's bucket, if there are buckets. */
static int add_cost(struct value_counts *counts, const struct value_form *form,
                    const struct valued_call *call, struct error *error)
{
    if (form->type != FORM_INTEGER && counts->wants_costs) {
        counts->wants_costs = false;
        value_costs_free(counts->costs);
        counts->costs = NULL;
    }
    if (!counts->wants_costs ||
        (counts->costs == NULL && counts->counters_count <= VALUE_COUNTERS_EXACT))
        return 0;
    /* The counters have all calls but this one. */
    if (counts->costs == NULL && value_costs_from(counts, error) != 0)
        return -1;
    return call->finished ? value_costs_add(counts->costs, (int64_t)form->bits, call, error) : 0;
}

int value_counts_add(struct value_counts *counts, const struct value_form *form,
                     const struct valued_call *call, struct value_room *room, struct error *error)
{
    if (!value_form_is_known(form)) {
        add_missing(counts, form);
        return 0;
    }
    counts->calls++;
    if (call->finished)
        counts->cpu_ns += call->cpu_ns;
    add_to_range(counts, form);
    uint32_t index = find(counts, form);
    if (index == COUNTER_NONE && make(counts, form, room, &index, error) != 0)
        return -1;
    if (index == COUNTER_NONE)
        return 0;
    if (add_cost(counts, form, call, error) != 0)
        return -1;
    struct value_counter *counter = &counts->counters[index];
    counts->last = index;
    counter->calls++;
    if (call->call_id < counter->first_call)
        counter->first_call = call->call_id;
    if (call->finished)
        value_costs_sum_add(&counter->cost, call);
    return 0;
}

/* ---- at the end ---- */

/* How often a value without a counter may have come. */
static uint64_t may_be_missed(const struct value_counts *counts)
{
    uint64_t least = UINT64_MAX;
    if (counts->counted)
        return 0;
    for (uint32_t i = 0; i < counts->counters_count; i++)
        if (seen(&counts->counters[i]) < least)
            least = seen(&counts->counters[i]);
    return (least == UINT64_MAX ? 0 : least) + counts->unplaced;
}

static int commonest_first(const void *left, const void *right)
{
    const struct value_counter *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return a->first_call < b->first_call ? -1 : a->first_call > b->first_call;
}

void value_counts_sort(struct value_counts *counts)
{
    if (counts->counters_count > 0)
        qsort(counts->counters, counts->counters_count, sizeof *counts->counters, commonest_first);
    free(counts->heads); /* their order is gone */
    counts->heads = NULL;
    counts->last = 0;
}

static void merge_range(struct value_range *into, const struct value_range *from)
{
    if (from->has_integer) {
        add_integer(into, from->integer_min);
        add_integer(into, from->integer_max);
        add_positive(into, from->positive_sum);
    }
    if (from->has_real) {
        add_real(into, from->real_min);
        add_real(into, from->real_max);
    }
    if (from->has_unsigned) {
        add_unsigned(into, from->unsigned_min);
        add_unsigned(into, from->unsigned_max);
    }
}

/* Joins the counters of both by value. *_missed: how often either may have missed a value. */
static uint32_t join(struct value_counter *all, struct value_counts *into,
                     struct value_counts *from, uint64_t into_missed, uint64_t from_missed)
{
    uint32_t count = into->counters_count;
    if (count > 0)
        memcpy(all, into->counters, count * sizeof *all);
    for (uint32_t i = 0; i < count; i++)
        all[i].error += from_missed;
    for (uint32_t i = 0; i < from->counters_count; i++) {
        struct value_counter *counter = &from->counters[i];
        uint32_t k = 0;
        while (k < into->counters_count &&
               !(all[k].bits == counter->bits && all[k].type == counter->type &&
                 all[k].text_bytes == counter->text_bytes &&
                 (counter->text_bytes == 0 ||
                  memcmp(all[k].text, counter->text, counter->text_bytes) == 0)))
            k++;
        if (k == into->counters_count) {
            all[count] = *counter;
            all[count++].error += into_missed;
            counter->text = NULL;
            continue;
        }
        all[k].calls += counter->calls;
        all[k].error += counter->error - from_missed;
        if (counter->first_call < all[k].first_call)
            all[k].first_call = counter->first_call;
        value_costs_sum_merge(&all[k].cost, &counter->cost);
    }
    return count;
}

static int by_seen(const void *left, const void *right)
{
    uint64_t a = seen(left), b = seen(right);
    return a != b ? (a > b ? -1 : 1) : commonest_first(left, right);
}

static int merge_counters(struct value_counts *into, struct value_counts *from, struct error *error)
{
    size_t room = (size_t)into->counters_count + from->counters_count;
    struct value_counter *all = malloc((room + 1) * sizeof *all);
    if (all == NULL)
        return error_set(error, "out of memory");
    uint64_t into_missed = may_be_missed(into), from_missed = may_be_missed(from);
    uint32_t count = 0;
    if (room > 0)
        count = join(all, into, from, into_missed, from_missed);
    into->counted = into->counted && from->counted && count <= VALUE_COUNTERS_MAX;
    if (count > VALUE_COUNTERS_MAX) {
        qsort(all, count, sizeof *all, by_seen);
        while (count > VALUE_COUNTERS_MAX)
            free(all[--count].text);
    }
    into->unplaced += from->unplaced;
    free(into->counters);
    free(into->heads);
    into->counters = all;
    into->heads = NULL;
    into->counters_count = count;
    into->counters_capacity = 0; /* we look nothing up in it any more */
    into->last = 0;
    return 0;
}

int value_counts_merge(struct value_counts *into, struct value_counts *from, struct error *error)
{
    into->wants_costs = into->wants_costs && from->wants_costs;
    if (!into->wants_costs) {
        value_costs_free(into->costs);
        into->costs = NULL;
    } else if ((into->costs != NULL || from->costs != NULL) &&
               value_costs_merge(into, from, error) != 0) {
        return -1;
    }
    into->calls += from->calls;
    into->absent += from->absent;
    into->unreadable += from->unreadable;
    into->no_room += from->no_room;
    into->cut += from->cut;
    into->cpu_ns += from->cpu_ns;
    into->has_text |= from->has_text;
    into->has_pointer |= from->has_pointer;
    if (from->text_bytes_max > into->text_bytes_max)
        into->text_bytes_max = from->text_bytes_max;
    merge_range(&into->range, &from->range);
    if (merge_counters(into, from, error) != 0)
        return -1;
    bool buckets = into->wants_costs && into->costs == NULL;
    return buckets && into->counters_count > VALUE_COUNTERS_EXACT ? value_costs_from(into, error)
                                                                  : 0;
}
