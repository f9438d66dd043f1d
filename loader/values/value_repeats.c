/* Repeated arguments: see value_repeats.h. */
#include "loader/values/value_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void value_repeats_release(struct value_repeats *repeats)
{
    free(repeats->items);
    slots_release(&repeats->slots);
    *repeats = (struct value_repeats){.items = NULL};
}

static bool is_sampled(const struct value_repeats *repeats, uint64_t hash)
{
    return (hash >> 44 & ((UINT64_C(1) << repeats->halvings) - 1)) == 0;
}

static struct repeated *find(const struct value_repeats *repeats, uint64_t hash)
{
    uint32_t index, at = (uint32_t)hash;
    while ((index = slots_next(&repeats->slots, (uint32_t)hash, &at)) != SLOTS_NONE)
        if (repeats->items[index].hash == hash)
            return &repeats->items[index];
    return NULL;
}

/* Drops one half of the table. */
static int halve(struct value_repeats *repeats, struct error *error)
{
    uint32_t kept = 0;
    repeats->halvings++;
    for (uint32_t i = 0; i < repeats->count; i++)
        if (is_sampled(repeats, repeats->items[i].hash))
            repeats->items[kept++] = repeats->items[i];
    repeats->count = kept;
    slots_clear(&repeats->slots);
    for (uint32_t i = 0; i < kept; i++)
        if (slots_add(&repeats->slots, (uint32_t)repeats->items[i].hash, i, error) != 0)
            return -1;
    return 0;
}

/* Makes room for one more, or drops some. */
static int make_room(struct value_repeats *repeats, struct value_room *room, struct error *error)
{
    if (repeats->count < repeats->capacity)
        return 0;
    size_t capacity = repeats->capacity;
    size_t bytes = capacity * (sizeof *repeats->items + 16);
    if (capacity >= REPEATS_MAX || (!value_room_take(room, bytes) && capacity > 0))
        return repeats->halvings < 20 ? halve(repeats, error) : 0;
    return array_reserve(&repeats->items, &repeats->capacity, capacity + 1, error);
}

int value_repeats_enter(struct value_repeats *repeats, uint64_t hash, uint64_t call_id,
                        struct value_room *room, struct repeats_call *call, struct error *error)
{
    *call = (struct repeats_call){.hash = 0};
    repeats->calls++;
    if (!is_sampled(repeats, hash))
        return 0;
    struct repeated *item = find(repeats, hash);
    if (item == NULL) {
        while (repeats->count >= repeats->capacity && is_sampled(repeats, hash)) {
            uint32_t before = repeats->halvings;
            size_t capacity = repeats->capacity;
            if (make_room(repeats, room, error) != 0)
                return -1;
            if (before == repeats->halvings && capacity == repeats->capacity)
                return 0; /* a millionth does not fit: somebody chose these hashes */
        }
        if (!is_sampled(repeats, hash))
            return 0;
        if (slots_add(&repeats->slots, (uint32_t)hash, repeats->count, error) != 0)
            return -1;
        item = &repeats->items[repeats->count++];
        *item = (struct repeated){.hash = hash, .first_call = call_id};
    }
    call->hash = hash;
    call->repeated = item->calls++ > 0;
    if (call->repeated)
        call->outermost = repeats->open++ == 0;
    return 0;
}

void value_repeats_leave(struct value_repeats *repeats, const struct repeats_call *call,
                         const struct valued_call *ended, uint64_t result)
{
    if (call->hash == 0)
        return;
    repeats->open -= call->repeated;
    struct repeated *item = find(repeats, call->hash);
    if (item == NULL || result == 0)
        return; /* we dropped it meanwhile */
    if (call->repeated && item->result != 0) {
        bool same = item->result == result;
        item->same += same;
        item->different += !same;
        if (same && call->outermost) {
            item->saved_calls += ended->descendants;
            item->saved_ns += ended->finished ? ended->cpu_ns : 0;
        }
    }
    item->result = result;
}

/* Extrapolates a count of the sample to all calls. If the sample has the commonest arguments, it
 * may have more than its share of the calls: then we divide all calls in the sample's
 * proportions. */
static uint64_t estimate(uint64_t counted, const struct repeats_sum *of, uint64_t calls_in_sample)
{
    if (calls_in_sample <= of->calls / of->sampled)
        return counted * of->sampled;
    return (uint64_t)((double)counted * (double)of->calls / (double)calls_in_sample);
}

void value_repeats_fold(struct value_repeats *repeats, struct repeats_sum *sum,
                        struct value_room *room)
{
    struct repeats_sum of = {.calls = repeats->calls, .sampled = UINT64_C(1) << repeats->halvings};
    for (uint32_t i = 0; i < repeats->count; i++) {
        const struct repeated *item = &repeats->items[i];
        of.repeated += item->calls - 1;
        of.same += item->same;
        of.different += item->different;
        of.saved_calls += item->saved_calls;
        of.saved_ns += item->saved_ns;
        if (item->calls > of.commonest_calls ||
            (item->calls == of.commonest_calls && item->first_call < of.example_call)) {
            of.commonest_calls = item->calls;
            of.example_call = item->first_call;
        }
    }
    uint64_t in_sample = of.repeated + repeats->count;
    of.tuples = repeats->count * of.sampled;
    if (of.sampled > 1) {
        of.repeated = estimate(of.repeated, &of, in_sample);
        of.same = estimate(of.same, &of, in_sample);
        of.different = estimate(of.different, &of, in_sample);
        of.saved_calls = estimate(of.saved_calls, &of, in_sample);
        of.saved_ns = estimate(of.saved_ns, &of, in_sample);
    }
    repeats_sum_merge(sum, &of);
    value_room_give(room, repeats->capacity * (sizeof *repeats->items + 16));
    value_repeats_release(repeats);
}

void repeats_sum_merge(struct repeats_sum *into, const struct repeats_sum *from)
{
    into->calls += from->calls;
    into->unknown += from->unknown;
    if (from->sampled > into->sampled)
        into->sampled = from->sampled;
    into->tuples += from->tuples;
    into->repeated += from->repeated;
    into->same += from->same;
    into->different += from->different;
    into->saved_calls += from->saved_calls;
    into->saved_ns += from->saved_ns;
    if (from->commonest_calls > into->commonest_calls ||
        (from->commonest_calls == into->commonest_calls && from->commonest_calls > 0 &&
         from->example_call < into->example_call)) {
        into->commonest_calls = from->commonest_calls;
        into->example_call = from->example_call;
    }
}
