/*
 * Links: what is added up over calls is added up once, by the link that the call went through: from
 * the caller's frame to the call's own frame. A link belongs to one frame, one function, one edge
 * and one pair of caller and callee, so the figures of all of these are sums over links, made when
 * a thread ends (links_fold). A call therefore touches one tally and not five.
 *
 * A link is found through a direct-mapped table by the caller's frame, the pair of function and
 * site, and the frame that the pair is already open in (0 = it is not: a new frame under the
 * caller's). Frames fold recursion, so the caller's frame alone does not tell the callee's.
 *
 * One worker's; not for several threads.
 */
#ifndef FISQL_LOADER_LINKS_H
#define FISQL_LOADER_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/frames.h"
#include "base/intern.h"
#include "loader/calls/rollup.h"
#include "loader/calls/tally.h"

struct link {
    struct tally tally;               /* of the thread that is being decoded */
    struct function_rollup *function; /* of the callee */
    uint32_t frame, function_id;
    uint32_t edge;        /* index in rollup.edges */
    uint32_t callee_runs; /* index in rollup.callee_runs; UINT32_MAX where there is no caller */
};

#define LINKS_CACHED 4096u

struct link_key {
    uint32_t parent; /* the frame it lies under: the caller's, if there is one */
    uint32_t pair;   /* index in pairs.items */
    uint32_t frame;  /* that the pair is open in, 0 = it is not open */
    /* A call without a caller may lie under a frame, too: a forked child's calls lie under frames
     * of its parent's. */
    bool has_caller;
};

struct links {
    struct {
        struct link_key key;
        struct link *link; /* NULL = empty */
    } cache[LINKS_CACHED];
    struct intern frame_keys; /* (parent frame, function), site: to frame_ids */
    uint32_t *frame_ids;
    size_t frame_ids_capacity;
    struct intern link_keys; /* (has caller, parent), frame: to links */
    struct link **links;
    size_t links_capacity;
    struct link **touched; /* those whose tally is not empty */
    size_t touched_count, touched_capacity;
};

/* What a call means in the program. */
struct link_callee {
    uint32_t caller; /* functions.id, 0 = no caller */
    uint32_t function, site;
};

static inline uint32_t link_slot(struct link_key key)
{
    uint32_t mixed = key.parent * 0x9e3779b1u ^ key.pair * 0x85ebca6bu ^ key.frame * 0xc2b2ae35u;
    return (mixed ^ mixed >> 15) & (LINKS_CACHED - 1);
}

/* The same as links_find where it has been asked before; NULL where not. */
static inline struct link *links_cached(const struct links *links, struct link_key key)
{
    uint32_t slot = link_slot(key);
    const struct link_key *held = &links->cache[slot].key;
    bool same = held->parent == key.parent && held->pair == key.pair && held->frame == key.frame &&
                held->has_caller == key.has_caller;
    return __builtin_expect(same, 1) ? links->cache[slot].link : NULL;
}

void links_init(struct links *links);

/* The link of a call, made with its frame where it is new. Valid until links_release. */
int links_find(struct links *links, struct link_key key, const struct link_callee *callee,
               struct frames *frames, struct rollup *rollup, struct link **out,
               struct error *error);

/* Forgets the numbers of pairs: those of another process follow. */
void links_forget_pairs(struct links *links);

/* To be called before a link's tally is changed from empty. */
int links_touch(struct links *links, struct link *link, struct error *error);

/* Adds the tallies of all links to those of frames and edges, calling `each` for each link before
 * its tally is emptied. */
int links_fold(struct links *links, struct rollup *rollup,
               int (*each)(void *context, const struct link *link, struct error *error),
               void *context, struct error *error);

void links_release(struct links *links);

#endif
