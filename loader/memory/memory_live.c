/*
 * What lives while memory_pair goes through the run: for each stack, function and thread and for
 * all together; the most of each; and the timeline.
 *
 * How much of a stack lived at the run's peak is known only when no higher peak follows. Each peak
 * has a number. Before a stack changes it is brought up to date: if there was a peak since its last
 * change, what lives now is what lived then. So a peak costs nothing.
 */
#include "loader/memory/memory_pairing.h"

static void note_peak(const struct pairing *pairing, struct alloc_stack *stack)
{
    if (stack->peak == pairing->peak)
        return;
    stack->peak = pairing->peak;
    stack->peak_blocks = stack->live_blocks;
    stack->peak_bytes = stack->live_bytes;
}

static int add_row(struct pairing *pairing, const struct timeline_row *row)
{
    struct memory *memory = pairing->memory;
    if (array_reserve(&memory->timeline, &memory->timeline_capacity, memory->timeline_count + 1,
                      pairing->error) < 0)
        return -1;
    memory->timeline[memory->timeline_count] = *row;
    memory->timeline[memory->timeline_count++].step = pairing->step;
    return 0;
}

/* Ends the present step: a row for all, and one for each thread with a change. */
static int end_step(struct pairing *pairing)
{
    pairing->step_all.live_bytes = pairing->live_bytes;
    pairing->step_all.live_blocks = pairing->live_blocks;
    pairing->step_all.max_live_bytes = pairing->step_bytes_max;
    if (add_row(pairing, &pairing->step_all) < 0)
        return -1;
    for (size_t i = 0; i < pairing->changed_count; i++) {
        struct pair_thread *thread = &pairing->threads[pairing->changed_threads[i]];
        thread->step.thread = thread->spool->id;
        thread->step.live_bytes = thread->step.max_live_bytes = thread->live_bytes;
        thread->step.live_blocks = thread->live_blocks;
        if (add_row(pairing, &thread->step) < 0)
            return -1;
        thread->step = (struct timeline_row){0};
        thread->changed = false;
    }
    pairing->changed_count = 0;
    pairing->step_all = (struct timeline_row){0};
    pairing->step_bytes_max = pairing->live_bytes;
    pairing->step++;
    return 0;
}

static uint64_t last_step(const struct memory *memory)
{
    return memory->end_ns / memory->step_ns;
}

int live_advance(struct pairing *pairing, uint64_t ns)
{
    const struct memory *memory = pairing->memory;
    uint64_t step = ns / memory->step_ns;
    if (step > last_step(memory))
        step = last_step(memory);
    while (pairing->step < step)
        if (end_step(pairing) < 0)
            return -1;
    return 0;
}

int live_end(struct pairing *pairing)
{
    struct memory *memory = pairing->memory;
    for (uint32_t i = 0; i < memory->stack_keys.count; i++)
        note_peak(pairing, &memory->stacks[i]);
    if (memory->rows == 0)
        return 0;
    if (live_advance(pairing, memory->end_ns) < 0)
        return -1;
    return end_step(pairing);
}

static void change(struct pairing *pairing, uint32_t index)
{
    struct pair_thread *thread = &pairing->threads[index];
    if (!thread->changed)
        pairing->changed_threads[pairing->changed_count++] = index;
    thread->changed = true;
}

static void count_max(uint64_t value, uint64_t *max)
{
    if (value > *max)
        *max = value;
}

int live_add(struct pairing *pairing, const struct memory_block *block)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks[block->stack];
    struct pair_thread *thread = &pairing->threads[block->thread];
    if (array_reach(&pairing->functions, &pairing->functions_capacity, stack->function,
                    pairing->error) < 0 ||
        array_reach(&memory->functions, &memory->functions_capacity, stack->function,
                    pairing->error) < 0)
        return -1;
    note_peak(pairing, stack);
    count_max(++stack->live_blocks, &stack->live_blocks_max);
    count_max(stack->live_bytes += block->size, &stack->live_bytes_max);
    struct pair_live *live = &pairing->functions[stack->function];
    struct memory_function *function = &memory->functions[stack->function];
    count_max(++live->blocks, &function->live_blocks_max);
    count_max(live->bytes += block->size, &function->live_bytes_max);

    thread->live_blocks++;
    thread->live_bytes += block->size;
    thread->step.allocs++;
    thread->step.alloc_bytes += block->size;
    change(pairing, block->thread);

    pairing->live_blocks++;
    pairing->live_bytes += block->size;
    pairing->step_all.allocs++;
    pairing->step_all.alloc_bytes += block->size;
    count_max(pairing->live_bytes, &pairing->step_bytes_max);
    if (pairing->live_bytes > memory->peak_bytes) {
        memory->peak_bytes = pairing->live_bytes;
        memory->peak_blocks = pairing->live_blocks;
        memory->peak_ns = block->alloc_ns;
        pairing->peak++;
    }
    return 0;
}

void live_remove(struct pairing *pairing, const struct memory_block *block, bool freed)
{
    struct alloc_stack *stack = &pairing->memory->stacks[block->stack];
    struct pair_thread *thread = &pairing->threads[block->thread];
    struct pair_live *live = &pairing->functions[stack->function];
    note_peak(pairing, stack);
    stack->live_blocks--;
    stack->live_bytes -= block->size;
    live->blocks--;
    live->bytes -= block->size;
    thread->live_blocks--;
    thread->live_bytes -= block->size;
    pairing->live_blocks--;
    pairing->live_bytes -= block->size;
    if (freed) {
        thread->step.frees++;
        thread->step.free_bytes += block->size;
        pairing->step_all.frees++;
        pairing->step_all.free_bytes += block->size;
    }
    change(pairing, block->thread);
}
