/*
 * Links: what is added up over calls is added up once, by the link that the call went through: from
 * the caller's frame to the call's own frame. A link belongs to one frame, one function, one edge
 * and one pair of caller and callee, so the figures of all of these are sums over links, made when
 * a thread ends (links_fold). A call therefore touches one set of sums and not five.
 *
 * A link is known by the caller's frame, by function and site, and by the frame that these are
 * already open in (0 = they are not: a new frame under the caller's): frames fold recursion, so the
 * caller's frame alone does not tell the callee's. Whether its calls are outermost activations
 * belongs to it, too, so that no call has to count its time twice. Several links may lead from one
 * frame to the same one; nobody minds.
 *
 * Programs have up to millions of links, of which a call needs one and hardly ever the last one. So a
 * look-up is to touch nothing else. As functions mostly make the same calls in the same order, a link
 * says which two followed it last, and the caller's which two came first; where both are wrong a table
 * of numbers leads to the right one (slots.h). Decoding a call touches one cache line of its
 * link, adding up its row the two others (row_sums.h).
 *
 * One worker's, but that another thread may add to the sums of links that it has pointers to, and that a helper
 * makes the next block (spare_block.h).
 */
#ifndef FISQL_LOADER_CALLS_LINKS_H
#define FISQL_LOADER_CALLS_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slots.h"
#include "loader/calls/call_sums.h"
#include "loader/calls/frames.h"
#include "loader/calls/rollup.h"
#include "loader/calls/spare_block.h"

/* What a call is besides function and site, in the upper bits of link_key.callee. */
#define LINK_HAS_CALLER                                                                            \
    (1u << 31) /* else it may still lie under a frame: that of a call which a
                                              forked child inherited */
#define LINK_OUTERMOST_IN_FRAME (1u << 30) /* no call of its frame is open in the thread */
#define LINK_OUTERMOST (1u << 29)          /* no call of its function is */
#define LINK_CALLEES_MAX (1u << 29)

struct link_key {
    uint32_t parent; /* the frame it lies under: the caller's, if there is one */
    uint32_t callee; /* what stands for function and site (pair.callee), and the bits above */
    uint32_t frame;  /* that these are open in, 0 = they are not */
};

struct link {
    struct link_key key;
    uint32_t frame;
    uint32_t callee_runs; /* index in rollup.callee_runs; UINT32_MAX: not known yet, or no caller */
    /* Numbers + 1 of links, the one that was right last before the one that was right before; 0 = none: */
    uint32_t first[2]; /* of those that were taken first from here */
    uint32_t after[2]; /* of those that were taken from the caller's after this one */
    uint32_t edge;     /* index in rollup.edges */
    struct function_rollup *function; /* of the callee */
    /* What its calls hit upon last, and mostly will again: the transition from the callee run
     * `previous`, and the sequence that they ended with. They and callee_runs belong to who adds
     * up rows (callee_history.h), and hardly ever change. */
    uint32_t previous, transition; /* index in rollup.transitions + 1; 0 = none */
    uint32_t shape;                /* index in rollup.shapes + 1; 0 = none */
    bool touched;                  /* it is in links.touched */
    /* Of the thread that is being decoded. */
    struct call_sums sums __attribute__((aligned(64)));
};

struct links {
    struct slots slots;   /* keys to numbers */
    struct link **blocks; /* number / LINKS_A_BLOCK, number % LINKS_A_BLOCK */
    size_t blocks_capacity;
    uint32_t count;
    struct spare_block spare, spare_slots; /* the next block, and a larger table */
    struct link **touched;                 /* those whose sums are not empty */
    size_t touched_count, touched_capacity;
};

#define LINKS_A_BLOCK 32768u /* 6 MiB, three huge pages */

/* What a call means in the program. */
struct link_callee {
    uint32_t caller; /* functions.id, 0 = no caller */
    uint32_t function, site;
};

static inline struct outermost link_outermost(const struct link *link)
{
    return (struct outermost){(link->key.callee & LINK_OUTERMOST_IN_FRAME) != 0,
                              (link->key.callee & LINK_OUTERMOST) != 0};
}

static inline struct link *links_at(const struct links *links, uint32_t number)
{
    return &links->blocks[number / LINKS_A_BLOCK][number % LINKS_A_BLOCK];
}

/* Where the numbers of two links are kept that a call of `from` may take next: behind the one that it
 * took last, NULL = it is its first. */
static inline uint32_t *links_next(struct link *from, struct link *last)
{
    return last != NULL ? last->after : from->first;
}

static inline struct link *links_try(const struct links *links, uint32_t next, struct link_key key)
{
    struct link *link = next != 0 ? links_at(links, next - 1) : NULL;
    bool same = link != NULL && link->key.callee == key.callee && link->key.frame == key.frame;
    return same ? link : NULL; /* both lie under the same frame */
}

/* The same as links_find where it is one of the two kept at `next`; NULL where not. */
static inline struct link *links_guess(const struct links *links, uint32_t *next,
                                       struct link_key key)
{
    struct link *link = links_try(links, next[0], key);
    if (link != NULL)
        return link;
    uint32_t other = next[1];
    next[1] = next[0];
    next[0] = other;
    return links_try(links, other, key);
}

/* A call through the link begins: asks for the links that come next as a rule, from it and after it. */
static inline void links_expect(const struct links *links, const struct link *link)
{
    if (link->first[0] != 0)
        __builtin_prefetch(links_at(links, link->first[0] - 1), 1);
    if (link->after[0] != 0)
        __builtin_prefetch(links_at(links, link->after[0] - 1), 1);
}

/* helpers: may make room for links before it is needed; NULL = there are none. */
void links_init(struct links *links, struct helpers *helpers);

/* The link with this key; NULL = it was never made. *next: its number + 1. */
struct link *links_find(const struct links *links, struct link_key key, uint32_t *next);
/* Makes it, with its frame where that is new. Valid until links_release. */
int links_make(struct links *links, struct link_key key, const struct link_callee *callee,
               struct frames *frames, struct rollup *rollup, struct link **out,
               struct error *error);

/* To be called before the first of the thread's calls is added to a link's sums. */
int links_touch_new(struct links *links, struct link *link, struct error *error);
static inline int links_touch(struct links *links, struct link *link, struct error *error)
{
    return link->touched ? 0 : links_touch_new(links, link, error);
}

/* Adds the sums of all links to those of frames, functions and edges, calling `each` for each link with
 * what they say; they are empty then. */
int links_fold(struct links *links, struct rollup *rollup,
               int (*each)(void *context, const struct link *link, const struct tally *tally,
                           struct error *error),
               void *context, struct error *error);

/* No helper is at it when this returns. */
void links_release(struct links *links);

#endif
