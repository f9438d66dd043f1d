/* What a log lacks, in its index: see log_index.h. */
#include "loader/log/log_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/log_index_parts.h"

struct log_loss log_loss_of(const char *reason)
{
    return (struct log_loss){
        .reason = (char *)(uintptr_t)reason,
        .offset = UINT64_MAX,
        .bytes = UINT64_MAX,
        .chunks = UINT64_MAX,
        .calls = UINT64_MAX,
        .from_tick = TICK_UNKNOWN,
        .to_tick = TICK_UNKNOWN,
    };
}

int log_index_add_loss(struct log_index *index, const struct log_loss *loss, struct error *error)
{
    if (index->losses_count >= LOSSES_MAX) {
        index->losses_left_out++;
        return 0;
    }
    if (array_reserve(&index->losses, &index->losses_capacity, index->losses_count + 1, error) != 0)
        return -1;
    struct log_loss *copy = &index->losses[index->losses_count];
    *copy = *loss;
    copy->reason = strdup(loss->reason);
    copy->detail = loss->detail == NULL ? NULL : strdup(loss->detail);
    index->losses_count++;
    if (copy->reason == NULL || (loss->detail != NULL && copy->detail == NULL))
        return error_set(error, "out of memory");
    return 0;
}

void log_index_take_torn(struct log_index *index, const char *value)
{
    char *rest;
    uint64_t offset = strtoull(value, &rest, 10), bytes = strtoull(rest, NULL, 10);
    for (size_t i = 0; i < index->losses_count; i++) {
        struct log_loss *loss = &index->losses[i];
        if (loss->offset != offset || loss->bytes != bytes)
            continue;
        free(loss->reason);
        free(loss->detail);
        index->losses_count--;
        memmove(loss, loss + 1, (index->losses_count - i) * sizeof *loss);
        return;
    }
}
