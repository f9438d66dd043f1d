/* The calling context tree: see frames.h. */
#include "loader/calls/frames.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/must.h"

int frames_init(struct frames *frames, struct error *error)
{
    *frames = (struct frames){.items = NULL};
    if (pthread_mutex_init(&frames->lock, NULL) != 0)
        return error_set(error, "cannot make a lock");
    return 0;
}

void frames_release(struct frames *frames)
{
    pthread_mutex_destroy(&frames->lock);
    slots_release(&frames->slots);
    free(frames->items);
    frames->items = NULL;
}

static int child(struct frames *frames, const struct frame *frame, uint32_t *id,
                 struct error *error)
{
    uint32_t hash = slots_hash((uint64_t)frame->parent << 32 | frame->function_id, frame->site_id);
    for (uint32_t at = hash, index;
         (index = slots_next(&frames->slots, hash, &at)) != SLOTS_NONE;) {
        const struct frame *known = &frames->items[index];
        *id = index + 1;
        if (known->parent == frame->parent && known->function_id == frame->function_id &&
            known->site_id == frame->site_id)
            return 0;
    }
    uint32_t count = frames_count(frames);
    if (array_reserve(&frames->items, &frames->capacity, (size_t)count + 1, error) != 0 ||
        slots_add(&frames->slots, hash, count, error) != 0)
        return -1;
    frames->items[count] = *frame;
    *id = count + 1;
    return 0;
}

int frames_child(struct frames *frames, uint32_t parent, uint32_t function_id, uint32_t site_id,
                 uint32_t *id, struct error *error)
{
    struct frame frame = {.parent = parent, .function_id = function_id, .site_id = site_id};
    pthread_mutex_lock(&frames->lock);
    must(parent <= frames_count(frames)); /* so a parent's id is less than its child's */
    if (parent != 0)
        frame.depth = frames->items[parent - 1].depth + 1;
    int failed = child(frames, &frame, id, error);
    pthread_mutex_unlock(&frames->lock);
    return failed;
}
