/* What lives: see memory_live.h. */
#include "loader/memory/memory_live.h"

#include <stdlib.h>

#include "base/array.h"

enum {
    STEPS_MAX = 1000,
    ROWS_MAX = 1000000, /* very many threads get fewer steps */
};

int memory_live_begin(struct memory_live *live, struct memory_stacks *stacks,
                      struct memory_sums *sums, struct memory_timeline *timeline,
                      struct memory_thread *const *threads, size_t threads_count,
                      struct error *error)
{
    *live = (struct memory_live){.stacks = stacks, .sums = sums, .timeline = timeline};
    live->threads = calloc(threads_count + 1, sizeof *live->threads);
    live->changed = calloc(threads_count + 1, sizeof *live->changed);
    if (live->threads == NULL || live->changed == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < threads_count; i++)
        live->threads[i].id = threads[i]->id;
    return 0;
}

void memory_live_release(struct memory_live *live)
{
    free(live->functions);
    free(live->threads);
    free(live->changed);
    *live = (struct memory_live){0};
}

struct memory_timeline memory_timeline_of(uint64_t end_ns, size_t threads_count)
{
    uint64_t steps = ROWS_MAX / (threads_count + 1) + 1;
    if (steps > STEPS_MAX)
        steps = STEPS_MAX;
    return (struct memory_timeline){.end_ns = end_ns, .step_ns = end_ns / steps + 1};
}

void memory_timeline_release(struct memory_timeline *timeline)
{
    free(timeline->steps);
    *timeline = (struct memory_timeline){0};
}

static void note_peak(const struct memory_live *live, struct memory_stack_live *stack)
{
    if (stack->peak == live->peaks)
        return;
    stack->peak = live->peaks;
    stack->peak_blocks = stack->blocks;
    stack->peak_bytes = stack->bytes;
}

static int add_row(struct memory_live *live, const struct memory_step *row, struct error *error)
{
    struct memory_timeline *timeline = live->timeline;
    if (array_reserve(&timeline->steps, &timeline->capacity, timeline->count + 1, error) < 0)
        return -1;
    timeline->steps[timeline->count++] = *row;
    return 0;
}

/* Ends the step: a row for all threads together, and one for each thread with a change. */
static int end_step(struct memory_live *live, struct error *error)
{
    struct memory_step all = {.step = live->step,
                              .live_bytes = live->all.bytes,
                              .live_blocks = live->all.blocks,
                              .max_live_bytes = live->step_bytes_max,
                              .totals = live->step_totals};
    if (add_row(live, &all, error) < 0)
        return -1;
    for (size_t i = 0; i < live->changed_count; i++) {
        struct memory_live_thread *thread = &live->threads[live->changed[i]];
        struct memory_step row = {.step = live->step,
                                  .thread = thread->id,
                                  .live_bytes = thread->live.bytes,
                                  .live_blocks = thread->live.blocks,
                                  .max_live_bytes = thread->live.bytes,
                                  .totals = thread->totals};
        if (add_row(live, &row, error) < 0)
            return -1;
        thread->totals = (struct memory_totals){0};
        thread->changed = false;
    }
    live->changed_count = 0;
    live->step_totals = (struct memory_totals){0};
    live->step_bytes_max = live->all.bytes;
    live->step++;
    return 0;
}

int memory_live_advance(struct memory_live *live, uint64_t ns, struct error *error)
{
    const struct memory_timeline *timeline = live->timeline;
    uint64_t step = (ns < timeline->end_ns ? ns : timeline->end_ns) / timeline->step_ns;
    while (live->step < step)
        if (end_step(live, error) < 0)
            return -1;
    return 0;
}

int memory_live_end(struct memory_live *live, bool any, struct error *error)
{
    for (uint32_t i = 0; i < memory_stacks_count(live->stacks); i++)
        note_peak(live, &live->stacks->items[i].live);
    if (!any)
        return 0;
    if (memory_live_advance(live, live->timeline->end_ns, error) < 0)
        return -1;
    return end_step(live, error);
}

static void count_max(uint64_t value, uint64_t *max)
{
    if (value > *max)
        *max = value;
}

static struct memory_live_thread *change(struct memory_live *live, uint32_t index)
{
    struct memory_live_thread *thread = &live->threads[index];
    if (!thread->changed)
        live->changed[live->changed_count++] = index;
    thread->changed = true;
    return thread;
}

static void add_amount(struct memory_amount_live *amount, uint64_t bytes)
{
    amount->blocks++;
    amount->bytes += bytes;
}

static void remove_amount(struct memory_amount_live *amount, uint64_t bytes)
{
    amount->blocks--;
    amount->bytes -= bytes;
}

int memory_live_add(struct memory_live *live, const struct memory_block *block, struct error *error)
{
    struct alloc_stack *stack = &live->stacks->items[block->stack];
    if (array_reach(&live->functions, &live->functions_capacity, stack->function, error) < 0 ||
        memory_sums_reach_function(live->sums, stack->function, error) < 0)
        return -1;
    note_peak(live, &stack->live);
    count_max(++stack->live.blocks, &stack->live.blocks_max);
    count_max(stack->live.bytes += block->size, &stack->live.bytes_max);
    struct memory_amount_live *function = &live->functions[stack->function];
    add_amount(function, block->size);
    count_max(function->blocks, &live->sums->functions[stack->function].live_blocks_max);
    count_max(function->bytes, &live->sums->functions[stack->function].live_bytes_max);

    struct memory_live_thread *thread = change(live, block->thread);
    add_amount(&thread->live, block->size);
    add_amount(&live->all, block->size);
    const struct memory_totals more = {.allocs = 1, .alloc_bytes = block->size};
    memory_totals_add(&thread->totals, &more);
    memory_totals_add(&live->step_totals, &more);
    count_max(live->all.bytes, &live->step_bytes_max);
    if (live->all.bytes > live->timeline->peak.bytes) {
        live->timeline->peak =
            (struct memory_peak){block->alloc_ns, live->all.bytes, live->all.blocks};
        live->peaks++;
    }
    return 0;
}

void memory_live_remove(struct memory_live *live, const struct memory_block *block, bool freed)
{
    struct alloc_stack *stack = &live->stacks->items[block->stack];
    struct memory_live_thread *thread = change(live, block->thread);
    note_peak(live, &stack->live);
    stack->live.blocks--;
    stack->live.bytes -= block->size;
    remove_amount(&live->functions[stack->function], block->size);
    remove_amount(&thread->live, block->size);
    remove_amount(&live->all, block->size);
    const struct memory_totals more = {.frees = freed, .free_bytes = freed ? block->size : 0};
    memory_totals_add(&thread->totals, &more);
    memory_totals_add(&live->step_totals, &more);
}
