/* Losses found by decoding: see decode_losses.h. */
#include "loader/calls/decode_losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void decode_losses_init(struct decode_losses *losses, const struct log_index *index)
{
    *losses = (struct decode_losses){.first = (uint32_t)index->losses_count + 1};
}

void decode_losses_release(struct decode_losses *losses)
{
    for (size_t i = 0; i < losses->count; i++)
        free(losses->items[i].detail);
    free(losses->items);
    free(losses->found);
    *losses = (struct decode_losses){.first = losses->first};
}

int decode_losses_add(struct decode_losses *losses, const struct log_loss *loss, uint32_t *number,
                      struct error *error)
{
    *number = LOSS_NONE;
    if (losses->count >= LOSSES_MAX) {
        losses->left_out++;
        return 0;
    }
    if (array_reserve(&losses->items, &losses->capacity, losses->count + 1, error) != 0)
        return -1;
    char *detail = loss->detail != NULL ? strdup(loss->detail) : NULL;
    if (loss->detail != NULL && detail == NULL)
        return error_set(error, "out of memory");
    *number = losses->first + (uint32_t)losses->count;
    losses->items[losses->count] = *loss;
    losses->items[losses->count++].detail = detail;
    return 0;
}

/* Not below 0: a hostile log may show more calls than it lost. */
static void take_out(uint64_t *lost, uint64_t calls)
{
    *lost -= *lost < calls ? *lost : calls;
}

static void apply(struct log_loss *loss, const struct loss_found *found)
{
    take_out(&loss->calls, found->calls);
    if (found->from_tick != TICK_UNKNOWN)
        loss->from_tick = found->from_tick;
    if (found->to_tick != TICK_UNKNOWN)
        loss->to_tick = found->to_tick;
}

int decode_losses_found(struct decode_losses *losses, const struct loss_found *found,
                        struct error *error)
{
    if (found->number == LOSS_NONE)
        return 0;
    if (found->number >= losses->first) {
        apply(&losses->items[found->number - losses->first], found);
        return 0;
    }
    if (array_reserve(&losses->found, &losses->found_capacity, losses->found_count + 1, error) != 0)
        return -1;
    losses->found[losses->found_count++] = *found;
    return 0;
}

int decode_losses_merge(const struct decode_losses *losses, struct log_index *index,
                        struct error *error)
{
    for (size_t i = 0; i < losses->found_count; i++) {
        const struct loss_found *found = &losses->found[i];
        if (found->number == 0)
            take_out(&index->ring_calls, found->calls);
        else
            apply(&index->losses[found->number - 1], found);
    }
    for (size_t i = 0; i < losses->count; i++)
        if (log_index_add_loss(index, &losses->items[i], error) != 0)
            return -1;
    index->losses_left_out += losses->left_out;
    return 0;
}
