/* Links from the caller's frame to the callee's: see links.h. */
#include "loader/calls/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void links_init(struct links *links)
{
    memset(links, 0, sizeof *links);
}

/* The child of a frame, asked of the shared tree once. */
static int find_frame(struct links *links, uint32_t parent, const struct link_callee *callee,
                      struct frames *frames, uint32_t *frame, struct error *error)
{
    uint32_t index, before = links->frame_keys.count;
    if (intern_add(&links->frame_keys, intern_pack(parent, callee->function), callee->site, &index,
                   error) != 0)
        return -1;
    if (index == before && (array_reserve(&links->frame_ids, &links->frame_ids_capacity,
                                          (size_t)index + 1, error) != 0 ||
                            frames_child(frames, parent, callee->function, callee->site,
                                         &links->frame_ids[index], error) != 0))
        return -1;
    *frame = links->frame_ids[index];
    return 0;
}

static int make_link(const struct link_callee *callee, uint32_t frame, struct rollup *rollup,
                     struct link **out, struct error *error)
{
    struct link *link = calloc(1, sizeof *link);
    *out = link;
    if (link == NULL)
        return error_set(error, "out of memory");
    link->frame = frame;
    link->function_id = callee->function;
    link->callee_runs = UINT32_MAX;
    if (rollup_function(rollup, callee->function, &link->function, error) != 0 ||
        rollup_edge(rollup, callee->caller, callee->site, callee->function, &link->edge, error) !=
            0)
        return -1;
    return callee->caller == 0 ? 0
                               : rollup_callee_runs(rollup, callee->caller, callee->function,
                                                    &link->callee_runs, error);
}

int links_find(struct links *links, struct link_key key, const struct link_callee *callee,
               struct frames *frames, struct rollup *rollup, struct link **out, struct error *error)
{
    uint32_t frame = key.frame, index;
    if (frame == 0 && find_frame(links, key.parent, callee, frames, &frame, error) != 0)
        return -1;
    if (intern_add(&links->link_keys, intern_pack(key.has_caller, key.parent), frame, &index,
                   error) != 0 ||
        array_reach(&links->links, &links->links_capacity, index, error) != 0)
        return -1;
    if (links->links[index] == NULL &&
        make_link(callee, frame, rollup, &links->links[index], error) != 0)
        return -1;
    uint32_t slot = link_slot(key);
    links->cache[slot].key = key;
    links->cache[slot].link = *out = links->links[index];
    return 0;
}

void links_forget_pairs(struct links *links)
{
    memset(links->cache, 0, sizeof links->cache);
}

int links_touch(struct links *links, struct link *link, struct error *error)
{
    if (array_reserve(&links->touched, &links->touched_capacity, links->touched_count + 1, error) !=
        0)
        return -1;
    links->touched[links->touched_count++] = link;
    return 0;
}

int links_fold(struct links *links, struct rollup *rollup,
               int (*each)(void *context, const struct link *link, struct error *error),
               void *context, struct error *error)
{
    for (size_t i = 0; i < links->touched_count; i++) {
        struct link *link = links->touched[i];
        struct tally *frame;
        if (each(context, link, error) != 0 ||
            rollup_frame(rollup, link->frame, &frame, error) != 0)
            return -1;
        tally_add(frame, &link->tally);
        rollup_edge_add(&rollup->edges[link->edge], &link->tally);
        link->tally = (struct tally){0};
    }
    links->touched_count = 0;
    return 0;
}

void links_release(struct links *links)
{
    for (size_t i = 0; i < links->links_capacity; i++)
        free(links->links[i]);
    free(links->links);
    free(links->frame_ids);
    free(links->touched);
    intern_release(&links->frame_keys);
    intern_release(&links->link_keys);
    links_init(links);
}
