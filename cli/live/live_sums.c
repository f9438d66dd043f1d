/* Sums by function of a running program: see live_sums.h. */
#include "cli/live/live_sums.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "live/live_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 65536u
#define NONE UINT32_MAX

/* A thread of live_tail.h, whose `own` is its index here plus 1. */
struct live_sums_thread {
    uint64_t tick;      /* up to which its time is summed up; 0 = not begun */
    uint64_t base_tick; /* when its processor time was ... */
    uint64_t base_cpu_ns;
    uint64_t now_cpu_ns;  /* at the settlement; UINT64_MAX = not known */
    uint64_t gap_cpu_ns;  /* a reading that belongs to the next event; UINT64_MAX = none */
    uint32_t gap_reading; /* ticks between the two */
    uint32_t tid;
};

/* ---- clocks ---- */

static uint64_t now_tick(const struct live_clock *clock)
{
    return clock->area_tick != 0 ? clock->now_tick : clock->now_ns;
}

/* Nanoseconds of a span of ticks; 0 if the clock is off or not known. */
static uint64_t ns_of(const struct live_sums *sums, uint64_t ticks)
{
    return (uint64_t)((double)ticks * sums->ns_per_tick);
}

static void clock_set(struct live_sums *sums, const struct live_clock *clock)
{
    const uint64_t span_ns_min = 1000000;
    sums->ns_per_tick = 1;
    if (clock->area_tick == 0)
        return;
    uint64_t ticks = clock->now_tick - clock->area_tick, ns = clock->now_ns - clock->area_ns;
    sums->ns_per_tick = ticks > 0 && ns >= span_ns_min ? (double)ns / (double)ticks : 0;
}

/* ---- threads ---- */

static struct live_sums_thread *thread_of(struct live_sums *sums, struct live_tail_thread *thread)
{
    if (thread->own != 0)
        return &sums->threads[thread->own - 1];
    const struct live_sums_thread fresh = {
        .now_cpu_ns = UINT64_MAX, .gap_cpu_ns = UINT64_MAX, .tid = thread->tid};
    if (array_add(&sums->threads, &sums->threads_count, &sums->threads_capacity, fresh, NULL) != 0)
        return NULL;
    thread->own = sums->threads_count;
    return &sums->threads[sums->threads_count - 1];
}

/* Forgets what we know of threads if there were very many, and of functions. */
static void trim(struct live_sums *sums)
{
    struct live_tail_thread *thread;
    size_t functions = sums->names.count;
    trace_names_trim(&sums->names);
    if (sums->names.count < functions)
        memset(sums->items, 0, sums->items_capacity * sizeof *sums->items);
    bool all = sums->threads_count > THREADS_MAX;
    if (!all && sums->names.count == functions)
        return;
    for (size_t i = 0; (thread = live_tail_thread(sums->tail, i)) != NULL; i++) {
        thread->own = all ? 0 : thread->own;
        for (size_t k = 0; k < thread->open_count; k++)
            thread->open[k].mark = 0;
    }
    sums->threads_count = all ? 0 : sums->threads_count;
}

/* The processor time of a thread so far; UINT64_MAX = not known. */
static uint64_t cpu_read(uint32_t pid, uint32_t tid)
{
    char path[64];
    uint64_t ran_ns = UINT64_MAX;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/schedstat", pid, tid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &ran_ns) != 1)
        ran_ns = UINT64_MAX;
    fclose(file);
    return ran_ns;
}

/* ---- sums ---- */

/* The sum of an open call's function, whose index the call keeps as its mark; NULL without memory. */
static struct live_sum *sum_of(struct live_sums *sums, const struct live_tail_thread *thread,
                               uint64_t address, uint32_t *mark)
{
    uint32_t index =
        *mark != 0 ? *mark - 1
                   : trace_names_find(&sums->names, thread->process_key, thread->pid, address);
    if (index == NONE || array_reach(&sums->items, &sums->items_capacity, index, NULL) != 0)
        return NULL;
    *mark = index + 1;
    return &sums->items[index].now;
}

/* How much of a time is processor time, by a reading of the thread's clock at its end. */
static uint64_t cpu_part(const struct live_sums *sums, const struct live_sums_thread *own,
                         uint64_t cpu_ns, uint64_t ns)
{
    uint64_t known = own->base_cpu_ns + ns_of(sums, own->tick - own->base_tick);
    uint64_t part = cpu_ns > known ? cpu_ns - known : 0;
    return part < ns ? part : ns;
}

/* The thread's time up to this tick belongs to the call: the innermost one until then. */
static void belongs(struct live_sums *sums, struct live_tail_thread *thread,
                    struct live_tail_call *call, uint64_t tick)
{
    struct live_sums_thread *own = thread_of(sums, thread);
    if (own == NULL)
        return;
    if (own->tick == 0) {
        own->tick = own->base_tick = tick;
        own->base_cpu_ns = own->now_cpu_ns != UINT64_MAX ? own->now_cpu_ns : 0;
    }
    if (tick > own->tick) {
        uint64_t ns = ns_of(sums, tick - own->tick), cpu_ns = ns;
        bool gap = own->gap_cpu_ns != UINT64_MAX;
        if (gap)
            cpu_ns = cpu_part(sums, own, own->gap_cpu_ns, ns);
        struct live_sum *sum =
            call != NULL ? sum_of(sums, thread, call->function, &call->mark) : NULL;
        if (sum != NULL) {
            sum->cpu_ns += cpu_ns;
            sum->wait_ns += ns - cpu_ns;
        }
        own->tick = tick;
        if (gap) {
            own->base_tick = tick + own->gap_reading;
            own->base_cpu_ns = own->gap_cpu_ns;
        }
    }
    own->gap_cpu_ns = UINT64_MAX;
}

static bool wants(void *context, const struct live_tail_thread *thread)
{
    const struct live_sums *sums = context;
    return sums->options.pid == 0 || thread->pid == (uint32_t)sums->options.pid;
}

static void enter(void *context, struct live_tail_thread *thread, struct live_tail_call *call)
{
    struct live_sums *sums = context;
    struct live_tail_call *caller = call > thread->open ? call - 1 : NULL;
    belongs(sums, thread, caller, call->enter_tick);
    struct live_sum *sum = sum_of(sums, thread, call->function, &call->mark);
    sums->now.calls++;
    if (sum != NULL)
        sum->calls++;
}

static void leave(void *context, struct live_tail_thread *thread, const struct live_tail_call *call,
                  uint64_t tick, bool unwound)
{
    struct live_tail_call left = *call;
    (void)unwound;
    belongs(context, thread, &left, tick);
}

static void reach(void *context, struct live_tail_thread *thread, uint32_t point,
                  const unsigned char *values, size_t values_bytes, uint64_t tick)
{
    (void)context;
    (void)thread;
    (void)point;
    (void)values;
    (void)values_bytes;
    (void)tick;
}

static void on_note(void *context, struct live_tail_thread *thread, const char *text, size_t bytes,
                    uint64_t tick)
{
    (void)context;
    (void)thread;
    (void)text;
    (void)bytes;
    (void)tick;
}

static void gap(void *context, struct live_tail_thread *thread, uint64_t cpu_ns,
                uint32_t reading_ticks)
{
    struct live_sums_thread *own = thread_of(context, thread);
    if (own == NULL)
        return;
    own->gap_cpu_ns = cpu_ns;
    own->gap_reading = reading_ticks;
}

/* ---- looking ---- */

int live_sums_look(struct live_sums *sums, bool last)
{
    struct error error;
    struct live_tail_thread *thread;
    int result = live_tail_poll(sums->tail, last, &error);
    int log = result == 0 ? live_run_next_log(sums->run) : -1;
    if (log >= 0) {
        result = live_tail_next_log(sums->tail, sums->run->log_file, &error);
        dup2(log, sums->run->log_file); /* the tail knows it by its number */
        close(log);
    }
    for (size_t i = 0; (thread = live_tail_thread(sums->tail, i)) != NULL; i++) {
        sums->now.calls += thread->left_out;
        sums->now.left_out += thread->left_out;
    }
    return result == 0 ? 0 : fail("%s", error.text);
}

/* A thread's time from its last event until now. */
static void settle_thread(struct live_sums *sums, struct live_tail_thread *thread, uint64_t tick)
{
    struct live_sums_thread *own = thread_of(sums, thread);
    if (own == NULL || own->now_cpu_ns == UINT64_MAX)
        return;
    if (own->tick == 0) {
        own->tick = own->base_tick = tick;
        own->base_cpu_ns = own->now_cpu_ns;
        return;
    }
    if (tick <= own->tick)
        return;
    struct live_tail_call *call =
        thread->open_count > 0 ? &thread->open[thread->open_count - 1] : NULL;
    own->gap_cpu_ns = own->now_cpu_ns;
    own->gap_reading = 0;
    belongs(sums, thread, call, tick);
}

int live_sums_settle(struct live_sums *sums, bool last)
{
    struct live_tail_thread *thread;
    trim(sums);
    for (size_t i = 0; (thread = live_tail_thread(sums->tail, i)) != NULL; i++) {
        struct live_sums_thread *own =
            thread->at.slot && wants(sums, thread) ? thread_of(sums, thread) : NULL;
        if (own != NULL)
            own->now_cpu_ns = cpu_read(thread->pid, thread->tid);
    }
    /* All events before this instant are in what we read now. */
    const struct live_clock clock = live_clock_now(&sums->run->source.area);
    clock_set(sums, &clock);
    int status = live_sums_look(sums, last);
    sums->begin_ns = sums->end_ns;
    sums->end_ns = clock.now_ns;
    sums->running = 0;
    for (size_t i = 0; (thread = live_tail_thread(sums->tail, i)) != NULL; i++) {
        if (!thread->at.slot || !wants(sums, thread))
            continue;
        settle_thread(sums, thread, now_tick(&clock));
        sums->running++;
    }
    sums->last = sums->now;
    sums->now = (struct live_sums_time){0};
    for (size_t i = 0; i < sums->items_capacity; i++) {
        sums->items[i].last = sums->items[i].now;
        sums->items[i].now = (struct live_sum){0};
        sums->items[i].all_calls += sums->items[i].last.calls;
    }
    return status;
}

int live_sums_open(struct live_sums *sums, struct live_run *run, pid_t pid, enum name_style style)
{
    static const struct live_tail_reader functions = {NULL,  wants,   enter, leave,
                                                      reach, on_note, gap};
    char log[32];
    struct error error;
    *sums = (struct live_sums){.run = run, .options = {.pid = pid, .style = style}};
    snprintf(log, sizeof log, "/proc/self/fd/%d", run->log_file);
    int status = trace_names_open(&sums->names, &sums->options, run->log_file >= 0 ? log : NULL,
                                  run->source.area.run_id);
    if (status != 0)
        return status;
    sums->reader = functions;
    sums->reader.context = sums;
    sums->tail = live_tail_open(&run->source, run->log_file, &sums->reader, &error);
    if (sums->tail == NULL)
        return fail("%s", error.text);
    status = live_sums_settle(sums, false); /* what came since live_tail_open() */
    for (size_t i = 0; i < sums->items_capacity; i++)
        sums->items[i].all_calls = 0;
    return status;
}

void live_sums_close(struct live_sums *sums)
{
    live_tail_close(sums->tail);
    trace_names_close(&sums->names);
    free(sums->items);
    free(sums->threads);
}
