/* Time off the processor between two events: see gaps.h. */
#include "loader/calls/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NO_ENTRY UINT32_MAX

void gaps_init(struct gaps *gaps)
{
    memset(gaps, 0, sizeof *gaps);
    gaps->depth = NO_ENTRY;
}

void gaps_release(struct gaps *gaps)
{
    free(gaps->entries);
    gaps_init(gaps);
}

/* ---- readings ---- */

static void base_set(struct gaps *gaps, const struct gap_reading *reading)
{
    if (!gaps->has_first)
        gaps->first_cpu_ns = reading->cpu_ns;
    else if (reading->cpu_ns >= gaps->first_cpu_ns) {
        gaps->out->cpu_ns = reading->cpu_ns - gaps->first_cpu_ns;
        gaps->out->has_cpu = true;
    }
    gaps->base = *reading;
    gaps->held_ns = 0;
    gaps->has_first = gaps->has_base = true;
}

static struct gap_reading reading_of(const struct gaps *gaps, const struct log_reading *reading)
{
    return (struct gap_reading){
        .ns = clock_ns(gaps->line, reading->tick),
        .cpu_ns = reading->cpu_ns,
        .waits = reading->waits,
        .preemptions = reading->preemptions,
        .minor_faults = reading->no_faults ? gaps->base.minor_faults : reading->minor_faults,
        .major_faults = reading->no_faults ? gaps->base.major_faults : reading->major_faults,
        .counted = reading->counted};
}

void gaps_begin(struct gaps *gaps, const struct log_thread *thread, const struct clock_line *line,
                struct thread_gaps *out)
{
    gaps->out = out;
    gaps->line = line;
    gaps->has_first = gaps->has_base = gaps->pending = false;
    gaps->entries_count = 0;
    gaps->depth = NO_ENTRY;
    if (thread->at_start.tick != TICK_UNKNOWN) {
        struct gap_reading reading = reading_of(gaps, &thread->at_start);
        base_set(gaps, &reading);
    }
}

void gaps_interrupt(struct gaps *gaps)
{
    gaps->has_base = gaps->pending = false;
}

void gaps_held(struct gaps *gaps, uint64_t ns)
{
    uint64_t sum = gaps->held_ns + ns;
    gaps->held_ns = sum < CLOCK_NS_MAX ? sum : CLOCK_NS_MAX;
}

void gaps_read(struct gaps *gaps, const struct event_gap *event, const struct thread_clock *clock)
{
    gaps->pending = true;
    gaps->event = *event;
    gaps->start_tick = clock->tick;
    gaps->start_ns = clock->now_ns;
}

/* Counters are modulo 2^32. */
static bool is_behind(uint32_t counter, uint32_t before)
{
    return (int32_t)(counter - before) < 0;
}

static bool runs_backwards(const struct gap_reading *reading, const struct gap_reading *before)
{
    if (reading->ns < before->ns || reading->cpu_ns < before->cpu_ns)
        return true;
    return reading->counted && before->counted &&
           (is_behind(reading->waits, before->waits) ||
            is_behind(reading->preemptions, before->preemptions) ||
            is_behind(reading->minor_faults, before->minor_faults) ||
            is_behind(reading->major_faults, before->major_faults));
}

/* ---- where the time goes ---- */

struct gap_entry *gaps_entry(struct gaps *gaps, uint32_t depth, struct error *error)
{
    if (gaps->depth != depth) {
        if (array_reserve(&gaps->entries, &gaps->entries_capacity, gaps->entries_count + 1,
                          error) != 0)
            return NULL;
        gaps->entries[gaps->entries_count++] = (struct gap_entry){.depth = depth};
        gaps->depth = depth;
    }
    return &gaps->entries[gaps->entries_count - 1];
}

/* Adds the gap's time to the entry of its call. */
static int place_gap(struct gaps *gaps, const struct gap *gap, uint32_t depth, struct error *error)
{
    struct gap_entry *entry = gaps_entry(gaps, depth, error);
    if (entry == NULL)
        return -1;
    struct off_sums *off = &entry->off;
    off_time_add(&off->total, gap_off(gap));
    if (entry->paused)
        return 0;
    off_time_add(&off->self, gap_off(gap));
    off->self_waits += gap_off(gap).wait_ns > 0;
    return 0;
}

struct off_sums gaps_leave(struct gaps *gaps, bool has_caller)
{
    struct gap_entry *entry = &gaps->entries[gaps->entries_count - 1];
    struct off_sums off = entry->off;
    bool caller_has_entry = gaps->entries_count > 1 && entry[-1].depth == entry->depth - 1;
    if (has_caller && !caller_has_entry) {
        *entry = (struct gap_entry){.depth = entry->depth - 1, .off.total = off.total};
        gaps->depth = entry->depth;
        return off;
    }
    gaps->entries_count--;
    gaps->depth = gaps->entries_count > 0 ? entry[-1].depth : NO_ENTRY;
    if (has_caller)
        off_time_add(&entry[-1].off.total, off.total);
    return off;
}

static int add_row(struct gaps *gaps, const struct gap *gap, uint32_t depth, struct error *error)
{
    struct thread_gaps *out = gaps->out;
    if (array_reserve(&out->items, &out->capacity, out->count + 1, error) != 0)
        return -1;
    out->items[out->count] = *gap;
    out->items[out->count++].paused =
        gap->call_id != 0 && gaps->depth == depth && gaps->entries[gaps->entries_count - 1].paused;
    off_time_add(&out->off, gap_off(gap));
    return gap->call_id == 0 || gap->off_ns == 0 ? 0 : place_gap(gaps, gap, depth, error);
}

/* A gap with its place and wall time ends with a reading. */
static int measure(struct gaps *gaps, struct gap *gap, uint32_t depth,
                   const struct gap_reading *reading, struct error *error)
{
    const struct gap_reading before = gaps->base;
    uint64_t held_ns = gaps->held_ns;
    bool comparable = gaps->has_base && !runs_backwards(reading, &before);
    base_set(gaps, reading);
    if (!comparable)
        return 0;
    uint64_t wall_ns = reading->ns - before.ns, cpu_ns = reading->cpu_ns - before.cpu_ns;
    uint64_t off_ns = wall_ns > cpu_ns ? wall_ns - cpu_ns : 0;
    held_ns = held_ns < off_ns ? held_ns : off_ns;
    off_ns -= held_ns;
    gap->off_ns = off_ns < gap->wall_ns ? off_ns : gap->wall_ns;
    gap->counted = reading->counted && before.counted;
    if (gap->counted) {
        gap->waits = reading->waits - before.waits;
        gap->waits -= held_ns > 0 && gap->waits > 0; /* at least one was for the disk */
        gap->preemptions = reading->preemptions - before.preemptions;
        gap->minor_faults = reading->minor_faults - before.minor_faults;
        gap->major_faults = reading->major_faults - before.major_faults;
    }
    bool has_row = gap->off_ns > GAP_OFF_NS_MIN || gap->major_faults > 0;
    uint64_t unplaced_ns = gaps->out->unplaced_ns + off_ns - (has_row ? gap->off_ns : 0);
    gaps->out->unplaced_ns = unplaced_ns < INT64_MAX ? unplaced_ns : INT64_MAX;
    return has_row ? add_row(gaps, gap, depth, error) : 0;
}

int gaps_end(struct gaps *gaps, const struct thread_clock *clock, struct gap_place place,
             struct error *error)
{
    uint64_t end_tick = gaps->start_tick + gaps->event.ticks;
    uint64_t end_ns =
        clock_ns(gaps->line, end_tick); /* later than the event in a hostile log only */
    if (end_ns > clock->now_ns)
        end_ns = clock->now_ns;
    struct gap gap = {.call_id = place.call_id,
                      .frame = place.frame,
                      .start_ns = gaps->start_ns,
                      .wall_ns = end_ns > gaps->start_ns ? end_ns - gaps->start_ns : 0};
    struct gap_reading reading = {.ns = clock_ns(gaps->line, end_tick + gaps->event.reading),
                                  .cpu_ns = gaps->event.cpu_ns,
                                  .waits = gaps->event.waits,
                                  .preemptions = gaps->event.preemptions,
                                  .minor_faults = gaps->event.minor_faults,
                                  .major_faults = gaps->event.major_faults,
                                  .counted = true};
    gaps->pending = false;
    return measure(gaps, &gap, place.depth, &reading, error);
}

int gaps_end_thread(struct gaps *gaps, uint64_t start_ns, uint64_t end_ns,
                    const struct log_reading *reading, bool waits, struct gap_place place,
                    struct error *error)
{
    struct gap gap = {.call_id = place.call_id,
                      .frame = place.frame,
                      .start_ns = start_ns,
                      .wall_ns = end_ns - start_ns};
    gaps->pending = false;
    if (reading->tick != TICK_UNKNOWN) {
        struct gap_reading last = reading_of(gaps, reading);
        uint64_t before_ns = gaps->out->off.preempted_ns;
        gap.has_queued = reading->has_queued;
        gap.queued_ns = reading->queued_ns > before_ns ? reading->queued_ns - before_ns : 0;
        return measure(gaps, &gap, place.depth, &last, error);
    }
    gap.off_ns = gap.wall_ns;
    return waits && gap.off_ns > GAP_OFF_NS_MIN ? add_row(gaps, &gap, place.depth, error) : 0;
}
