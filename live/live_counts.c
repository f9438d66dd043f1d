/* See live_counts.h. A chunk is sound on its own: its snapshot has the open calls. */
#include "live/live_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "loader/log/events.h"

/* ---- functions ---- */

static size_t place_of(const struct live_counts *counts, uint64_t function)
{
    size_t place = (size_t)(function * 0x9e3779b97f4a7c15u >> 32) & (counts->places_count - 1);
    while (counts->places[place] != 0 &&
           counts->items[counts->places[place] - 1].function != function)
        place = (place + 1) & (counts->places_count - 1);
    return place;
}

/* Keeps half of the places free. */
static int places_grow(struct live_counts *counts, struct error *error)
{
    size_t wanted = counts->places_count == 0 ? 1024 : counts->places_count;
    while (wanted < 2 * (counts->count + 1))
        wanted *= 2;
    if (wanted == counts->places_count)
        return 0;
    uint32_t *places = calloc(wanted, sizeof *places);
    if (places == NULL)
        return error_set(error, "out of memory for counts");
    free(counts->places);
    counts->places = places;
    counts->places_count = wanted;
    for (size_t i = 0; i < counts->count; i++)
        places[place_of(counts, counts->items[i].function)] = (uint32_t)i + 1;
    return 0;
}

/* NULL without memory. */
static struct live_count *count_of(struct live_counts *counts, uint64_t function,
                                   struct error *error)
{
    if (places_grow(counts, error) != 0)
        return NULL;
    size_t place = place_of(counts, function);
    if (counts->places[place] == 0) {
        const struct live_count fresh = {.function = function};
        if (array_add(&counts->items, &counts->count, &counts->capacity, fresh, error) != 0)
            return NULL;
        counts->places[place] = (uint32_t)counts->count;
    }
    return &counts->items[counts->places[place] - 1];
}

/* ---- a chunk ---- */

struct reading {
    struct live_counts *counts;
    size_t depth; /* of the known stack */
    struct error *error;
};

static int function_enter(struct reading *reading, uint64_t function)
{
    struct live_counts *counts = reading->counts;
    struct live_count *count = count_of(counts, function, reading->error);
    if (count == NULL || array_reserve(&counts->stack, &counts->stack_capacity, reading->depth + 1,
                                       reading->error) != 0)
        return -1;
    count->calls++;
    counts->calls++;
    counts->stack[reading->depth++] = function;
    return 0;
}

static int event_take(struct reading *reading, const struct event *event)
{
    struct live_counts *counts = reading->counts;
    if (event_clock(event->type) != FISQL_CLOCK_STILL && reading->depth > 0) {
        struct live_count *top =
            count_of(counts, counts->stack[reading->depth - 1], reading->error);
        if (top == NULL)
            return -1;
        top->self_ticks += event->ticks;
    }
    uint64_t ended = event->type == EVENT_EXIT ? 1 : event->type == EVENT_UNWIND ? event->calls : 0;
    reading->depth -= ended < reading->depth ? (size_t)ended : reading->depth;
    if (event->type == EVENT_ENTER)
        return function_enter(reading, counts->definitions[event->slot]);
    if (event->type == EVENT_ENTER_FULL)
        return function_enter(reading, event->function);
    if (event->type == EVENT_DEFINE)
        counts->definitions[event->slot] = event->function;
    return 0;
}

static int chunk_take(struct live_counts *counts, const struct fisql_chunk *chunk,
                      struct error *error)
{
    const struct fisql_open_call *open = (const void *)(chunk + 1);
    struct reading reading = {.counts = counts, .error = error};
    struct event_cursor cursor = events_begin(chunk);
    struct event event = {.slot = 0};
    int result;
    memset(counts->definitions, 0, FISQL_SLOTS_MAX * sizeof *counts->definitions);
    if (array_reserve(&counts->stack, &counts->stack_capacity, chunk->open_calls + 1u, error) != 0)
        return -1;
    for (; reading.depth < chunk->open_calls; reading.depth++)
        counts->stack[reading.depth] = open[reading.depth].function;
    while ((result = event_next(&cursor, &event)) > 0)
        if (event.slot >= FISQL_SLOTS_MAX)
            return 1;
        else if (event_take(&reading, &event) != 0)
            return -1;
    return result < 0;
}

static int memory_make(struct live_counts *counts, struct error *error)
{
    if (counts->chunk == NULL)
        counts->chunk = malloc(FISQL_LIVE_CHUNK_BYTES);
    if (counts->definitions == NULL)
        counts->definitions = calloc(FISQL_SLOTS_MAX, sizeof *counts->definitions);
    return counts->chunk != NULL && counts->definitions != NULL
               ? 0
               : error_set(error, "out of memory for counts");
}

/* The slot whose chunk the thread of a slot fills. */
static uint32_t chunk_slot(const struct live_source *source, const struct fisql_live_slot *head,
                           uint32_t slot)
{
    return head->chunk_slot != 0 && head->chunk_slot <= source->area.slots ? head->chunk_slot - 1
                                                                           : slot;
}

bool live_filling_read(const struct live_source *source, uint32_t slot,
                       struct live_filling *filling)
{
    struct fisql_live_slot head;
    struct fisql_chunk chunk;
    if (!live_source_slot(source, slot, &head) || head.state != FISQL_SLOT_LIVE ||
        !live_source_chunk(source, chunk_slot(source, &head, slot), 0, &chunk, sizeof chunk))
        return false;
    *filling = (struct live_filling){.process_key = head.process_key,
                                     .pid = head.pid,
                                     .thread = head.thread,
                                     .calls = chunk.first_call + fisql_word_calls(head.word)};
    return true;
}

int live_counts_add(struct live_counts *counts, const struct live_source *source, uint32_t slot,
                    struct error *error)
{
    struct fisql_live_slot head, after;
    if (memory_make(counts, error) != 0)
        return -1;
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)counts->chunk;
    if (!live_source_slot(source, slot, &head))
        return 1;
    uint32_t from = chunk_slot(source, &head, slot), used = fisql_word_units(head.word) * 2;
    if (used < sizeof *chunk || used > FISQL_LIVE_CHUNK_BYTES ||
        !live_source_chunk(source, from, 0, chunk, used) ||
        !live_source_slot(source, slot, &after) ||
        after.word >> FISQL_WORD_FLUSH_SHIFT != head.word >> FISQL_WORD_FLUSH_SHIFT ||
        !fisql_slot_sound(&head, chunk, source->area.run_id))
        return 1;
    chunk->units = (used - fisql_chunk_before(chunk)) / 2;
    int result = chunk_take(counts, chunk, error);
    const struct fisql_cost cost = fisql_cost_unpack(chunk->cost);
    if (result == 0) {
        counts->cost.enters += cost.enters;
        counts->cost.exits += cost.exits;
        counts->cost.enter_ticks += cost.enter_ticks;
        counts->cost.exit_ticks += cost.exit_ticks;
    }
    return result;
}

void live_counts_clear(struct live_counts *counts)
{
    counts->count = 0;
    counts->calls = 0;
    counts->cost = (struct fisql_cost){0};
    if (counts->places != NULL)
        memset(counts->places, 0, counts->places_count * sizeof *counts->places);
}

void live_counts_release(struct live_counts *counts)
{
    free(counts->items);
    free(counts->places);
    free(counts->definitions);
    free(counts->stack);
    free(counts->chunk);
    *counts = (struct live_counts){.count = 0};
}
