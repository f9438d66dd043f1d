/*
 * Losses that decoding a thread found, and calls that were not lost after all. They stay with the
 * thread until all threads are decoded, because the log's index must not change meanwhile.
 *
 * A loss has a *number*: in the index, its position + 1; those found here follow; 0 is what a
 * flight recorder dropped.
 */
#ifndef FISQL_LOADER_CALLS_DECODE_LOSSES_H
#define FISQL_LOADER_CALLS_DECODE_LOSSES_H

#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"

/* What the chunk behind a loss shows of it. */
struct loss_found {
    uint32_t number;
    uint64_t calls;              /* with rows: they are not lost */
    uint64_t from_tick, to_tick; /* the loss lies between them; TICK_UNKNOWN */
};

struct decode_losses {
    uint32_t first;         /* number of items[0]: losses of the index + 1 */
    struct log_loss *items; /* details are owned, reasons are literals */
    size_t count, capacity;
    uint64_t left_out;        /* beyond LOSSES_MAX */
    struct loss_found *found; /* of losses of the index */
    size_t found_count, found_capacity;
};

void decode_losses_init(struct decode_losses *losses, const struct log_index *index);
void decode_losses_release(struct decode_losses *losses);

/* Adds a loss, copying its detail. If there are too many, it is only counted and *number is
 * LOSS_NONE. */
#define LOSS_NONE UINT32_MAX
int decode_losses_add(struct decode_losses *losses, const struct log_loss *loss, uint32_t *number,
                      struct error *error);

/* Adds what a chunk shows of a loss. */
int decode_losses_found(struct decode_losses *losses, const struct loss_found *found,
                        struct error *error);

/* Adds them to the index. */
int decode_losses_merge(const struct decode_losses *losses, struct log_index *index,
                        struct error *error);

#endif
