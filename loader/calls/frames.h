/*
 * The calling context tree (Ammons, Ball & Larus 1997): a frame is a function called from a site
 * under a parent frame. All threads of all processes share one tree. Ids are dense, from 1; a
 * parent's id is less than its children's. The decoder chooses a call's frame and folds recursion
 * (hot_loop.c).
 *
 * Any thread may call frames_child. Decoders cache the frames, so they take the lock once for each
 * frame and thread, not once for each call.
 */
#ifndef FISQL_LOADER_CALLS_FRAMES_H
#define FISQL_LOADER_CALLS_FRAMES_H

#include <pthread.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slots.h"

struct frame {
    uint32_t parent; /* frames.id, 0 = none */
    uint32_t function_id;
    uint32_t site_id; /* 0 = not known */
    uint32_t depth;   /* 0 for a root */
};

struct frames {
    pthread_mutex_t lock;
    struct slots slots;  /* to items */
    struct frame *items; /* items[id - 1] */
    size_t capacity;
};

int frames_init(struct frames *frames, struct error *error);
void frames_release(struct frames *frames);

/* Finds or makes the child of `parent` (0 = a root) for this function and site. */
int frames_child(struct frames *frames, uint32_t parent, uint32_t function_id, uint32_t site_id,
                 uint32_t *id, struct error *error);

static inline uint32_t frames_count(const struct frames *frames)
{
    return frames->slots.count;
}

#endif
