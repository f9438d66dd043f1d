/* From ticks to nanoseconds: see clock.h. */
#include "loader/log/clock.h"

#include <stdlib.h>

/* Two pairs that lie this far apart give the rate better than the collector's own measurement: each
 * is read within some 100 ns, so the rate is good to 2e-7 here and to more later on. */
#define SPAN_NS 1000000000u
#define TICKS_PER_SECOND_MIN 1000u
#define TICKS_PER_SECOND_MAX 100000000000u

uint64_t clock_ns_far(const struct clock_line *line, uint64_t tick)
{
    /* Signed distance from the anchor; a tick before it is near it in any sound log. */
    int64_t distance = (int64_t)(tick - line->tick);
    wide_int ns = (((wide_int)distance * (wide_int)line->rate) >> CLOCK_SHIFT) + line->ns;
    if (ns < 0)
        return 0;
    return ns > CLOCK_NS_MAX ? CLOCK_NS_MAX : (uint64_t)ns;
}

struct span {
    struct log_clock_pair first, last;
    bool any;
};

static void span_add(struct span *span, struct log_clock_pair pair)
{
    if (!span->any || pair.tick < span->first.tick)
        span->first = pair;
    if (!span->any || pair.tick > span->last.tick)
        span->last = pair;
    span->any = true;
}

static uint64_t rate_of_span(const struct span *span)
{
    uint64_t ticks = span->last.tick - span->first.tick;
    if (!span->any || ticks == 0 || span->last.ns <= span->first.ns)
        return 0;
    wide_uint ns = span->last.ns - span->first.ns;
    wide_uint rate = ((ns << CLOCK_SHIFT) + ticks / 2) / ticks;
    return rate > UINT64_MAX ? 0 : (uint64_t)rate;
}

static uint64_t rate_told(uint64_t ticks_per_second)
{
    if (ticks_per_second < TICKS_PER_SECOND_MIN || ticks_per_second > TICKS_PER_SECOND_MAX)
        return 0;
    wide_uint ns = 1000000000u;
    return (uint64_t)(((ns << CLOCK_SHIFT) + ticks_per_second / 2) / ticks_per_second);
}

/* The rate of one kind of clock. The pairs' rate wins over the log's only if they are far apart and
 * agree with it within a tenth: a damaged machine clock or a hostile log gives absurd pairs. */
static uint64_t choose_rate(const struct span *span, uint64_t ticks_per_second, bool monotonic)
{
    if (monotonic)
        return UINT64_C(1) << CLOCK_SHIFT;
    uint64_t told = rate_told(ticks_per_second);
    uint64_t measured = rate_of_span(span);
    if (told == 0)
        return measured != 0 ? measured : UINT64_C(1) << CLOCK_SHIFT;
    bool far = span->any && span->last.ns - span->first.ns >= SPAN_NS;
    bool agrees = measured > told - told / 10 && measured < told + told / 10;
    return far && agrees ? measured : told;
}

/* The smallest tick that a process has left, TICK_UNKNOWN if none. */
static uint64_t *first_ticks(const struct log_index *index)
{
    uint64_t *ticks = calloc(index->processes_count + 1, sizeof *ticks);
    if (ticks == NULL)
        return NULL;
    for (size_t i = 0; i < index->processes_count; i++) {
        ticks[i] = index->processes[i].start_tick;
        if (index->processes[i].has_pair && index->processes[i].first_pair.tick < ticks[i])
            ticks[i] = index->processes[i].first_pair.tick;
    }
    for (size_t i = 0; i < index->threads_count; i++) {
        const struct log_thread *thread = &index->threads[i];
        if (thread->start_tick < ticks[thread->process])
            ticks[thread->process] = thread->start_tick;
    }
    for (size_t i = 0; i < index->chunks_count; i++) {
        uint32_t process = index->threads[index->chunks[i].thread].process;
        if (index->chunks[i].tick_start < ticks[process])
            ticks[process] = index->chunks[i].tick_start;
    }
    return ticks;
}

int clock_map_make(struct clock_map *map, const struct log_index *index, struct error *error)
{
    *map = (struct clock_map){.count = index->processes_count};
    map->lines = calloc(map->count + 1, sizeof *map->lines);
    uint64_t *first = first_ticks(index);
    if (map->lines == NULL || first == NULL) {
        free(first);
        return error_set(error, "out of memory");
    }
    struct span spans[2] = {{.any = false}, {.any = false}};
    uint64_t told = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct log_process *process = &index->processes[i];
        if (process->has_pair) {
            span_add(&spans[process->monotonic], process->first_pair);
            span_add(&spans[process->monotonic], process->last_pair);
        }
        if (told == 0)
            told = process->ticks_per_second;
    }
    int64_t start_ns = INT64_MAX;
    for (size_t i = 0; i < map->count; i++) {
        const struct log_process *process = &index->processes[i];
        const struct span *span = &spans[process->monotonic];
        struct clock_line *line = &map->lines[i];
        line->rate = process->timeless ? 0 : choose_rate(span, told, process->monotonic);
        line->tick = span->any ? span->first.tick : first[i] == TICK_UNKNOWN ? 0 : first[i];
        line->ns = span->any && span->first.ns < CLOCK_NS_MAX ? (int64_t)span->first.ns : 0;
        /* Here the lines still give CLOCK_MONOTONIC. */
        if (first[i] != TICK_UNKNOWN) {
            int64_t ns = (int64_t)clock_ns(line, first[i]);
            start_ns = ns < start_ns ? ns : start_ns;
        }
    }
    if (start_ns == INT64_MAX)
        start_ns = 0;
    map->start_ns = (uint64_t)start_ns;
    for (size_t i = 0; i < map->count; i++)
        map->lines[i].ns -= start_ns;
    free(first);
    return 0;
}

void clock_map_release(struct clock_map *map)
{
    free(map->lines);
    map->lines = NULL;
}

/* The tick of an instant of CLOCK_MONOTONIC; TICK_UNKNOWN where the line does not reach it. */
static uint64_t tick_at(const struct clock_map *map, const struct clock_line *line, uint64_t ns)
{
    wide_int since_ns = (wide_int)ns - (wide_int)map->start_ns - line->ns;
    if (line->rate == 0 || ns > CLOCK_NS_MAX)
        return TICK_UNKNOWN;
    /* Multiplied, not shifted: it may lie before the anchor. */
    wide_int scaled = since_ns * ((wide_int)1 << CLOCK_SHIFT);
    wide_int tick = scaled / (wide_int)line->rate + (wide_int)line->tick;
    return tick > 0 && tick < INT64_MAX ? (uint64_t)tick : TICK_UNKNOWN;
}

void clock_map_end_killed(const struct clock_map *map, struct log_index *index)
{
    for (size_t i = 0; i < index->processes_count; i++) {
        struct log_process *process = &index->processes[i];
        if (process->end_tick == TICK_UNKNOWN && process->killed.ns != TICK_UNKNOWN)
            process->end_tick = tick_at(map, &map->lines[i], process->killed.ns);
    }
    for (size_t i = 0; i < index->threads_count; i++) {
        struct log_thread *thread = &index->threads[i];
        const struct log_process *process = &index->processes[thread->process];
        const struct log_killed *killed = &process->killed;
        if (thread->tid != process->pid || thread->at_end.tick != TICK_UNKNOWN ||
            killed->ns == TICK_UNKNOWN || killed->cpu_ns == TICK_UNKNOWN)
            continue;
        thread->at_end = (struct log_reading){.tick = process->end_tick,
                                              .cpu_ns = killed->cpu_ns,
                                              .waits = (uint32_t)killed->waits,
                                              .preemptions = (uint32_t)killed->preemptions,
                                              .counted = killed->waits != TICK_UNKNOWN &&
                                                         killed->preemptions != TICK_UNKNOWN,
                                              .has_queued = killed->queued_ns != TICK_UNKNOWN,
                                              .queued_ns = killed->queued_ns,
                                              .no_faults = true};
    }
}
