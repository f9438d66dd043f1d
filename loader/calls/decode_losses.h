/*
 * What decoding a thread found to be lost, and what to be there after all. It is kept with the
 * thread and told to the log's index when all threads are decoded: the index does not change while
 * they are.
 *
 * Losses are known by their *number*: those of the index are index + 1 there, those found here go
 * on after them, 0 is what a flight recorder dropped.
 */
#ifndef FISQL_LOADER_CALLS_DECODE_LOSSES_H
#define FISQL_LOADER_CALLS_DECODE_LOSSES_H

#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"

/* What the chunk behind a loss says of it. */
struct loss_found {
    uint32_t number;
    uint64_t calls;              /* that have rows: they are not lost */
    uint64_t from_tick, to_tick; /* what is lost lay between them; TICK_UNKNOWN */
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

/* Adds a loss, copying its detail. *number is its number. Where there are too many it is only
 * counted, and *number is that of none. */
#define LOSS_NONE UINT32_MAX
int decode_losses_add(struct decode_losses *losses, const struct log_loss *loss, uint32_t *number,
                      struct error *error);

/* More is known of a loss. */
int decode_losses_found(struct decode_losses *losses, const struct loss_found *found,
                        struct error *error);

/* Tells the index. */
int decode_losses_merge(const struct decode_losses *losses, struct log_index *index,
                        struct error *error);

#endif
