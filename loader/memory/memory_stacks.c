/* What was allocated at each place: see memory_stacks.h. */
#include "loader/memory/memory_stacks.h"

#include <stdlib.h>

#include "base/array.h"

int memory_stacks_find(struct memory_stacks *stacks, const struct memory_place *place,
                       uint32_t *index, struct error *error)
{
    uint32_t before = stacks->keys.count;
    if (intern_add(&stacks->keys, intern_pack(place->frame, place->site), place->kind, index,
                   error) < 0 ||
        array_reach(&stacks->items, &stacks->capacity, *index, error) < 0)
        return -1;
    if (*index == before)
        stacks->items[*index] = (struct alloc_stack){.frame = place->frame,
                                                     .site = place->site,
                                                     .kind = place->kind,
                                                     .function = place->function,
                                                     .min_size = UINT64_MAX};
    return 0;
}

void memory_stack_count_alloc(struct alloc_stack *stack, const struct memory_block *block)
{
    if (stack->blocks++ == 0) {
        stack->first_ns = block->alloc_ns;
        stack->first_alloc = block->id;
    }
    stack->bytes += block->size;
    stack->last_ns = block->alloc_ns;
    stack->last_alloc = block->id;
    if (block->size < stack->min_size)
        stack->min_size = block->size;
    if (block->size > stack->max_size)
        stack->max_size = block->size;
}

void memory_stack_count_free(struct alloc_stack *stack, const struct memory_block *block,
                             const struct memory_block_free *freed)
{
    uint64_t lifetime_ns = freed->ns - block->alloc_ns;
    stack->freed_blocks++;
    stack->freed_bytes += block->size;
    stack->lifetime_ns += lifetime_ns;
    if (lifetime_ns > stack->lifetime_max_ns)
        stack->lifetime_max_ns = lifetime_ns;
    stack->cross_thread_frees += !freed->same_thread;
}

void memory_stack_note_live(struct alloc_stack *stack, const struct memory_block *block)
{
    if (stack->first_live == 0 || block->id < stack->first_live)
        stack->first_live = block->id;
    if (block->id > stack->last_live)
        stack->last_live = block->id;
}

void memory_stacks_release(struct memory_stacks *stacks)
{
    intern_release(&stacks->keys);
    free(stacks->items);
    *stacks = (struct memory_stacks){0};
}
