/* The rows of calls that a database keeps: see kept_rows.h. */
#include "loader/calls/kept_rows.h"

#include "base/array.h"

_Static_assert(sizeof(struct kept_frame) <= 64, "a cache line");

int kept_rows_keep(struct kept_rows *kept, uint64_t id, const struct row *row, struct error *error)
{
    if (array_reach(&kept->frames, &kept->capacity, row->frame, error) != 0)
        return -1;
    struct kept_frame *frame = &kept->frames[row->frame];
    if (frame->first_id == 0 || id < frame->first_id)
        frame->first_id = id;
    if (id > frame->last_id) {
        frame->last_id = id;
        frame->thread = 0;
    }
    return 0;
}

int kept_rows_merge(struct kept_rows *kept, const struct kept_rows *other, struct error *error)
{
    for (size_t i = 0; i < other->capacity; i++) {
        const struct kept_frame *from = &other->frames[i];
        if (from->first_id == 0)
            continue;
        if (array_reach(&kept->frames, &kept->capacity, i, error) != 0)
            return -1;
        struct kept_frame *into = &kept->frames[i];
        uint64_t first_id = into->first_id != 0 && into->first_id < from->first_id ? into->first_id
                                                                                   : from->first_id;
        if (from->last_id > into->last_id)
            *into = *from;
        into->first_id = first_id;
    }
    return 0;
}

int kept_rows_begin(struct kept_rows *kept, uint64_t ring, struct error *error)
{
    kept->wanted = calloc(ring, sizeof *kept->wanted);
    return kept->wanted != NULL ? 0 : error_set(error, "out of memory");
}

void kept_rows_release(struct kept_rows *kept)
{
    free(kept->frames);
    free(kept->wanted);
    *kept = (struct kept_rows){.frames = NULL};
}
