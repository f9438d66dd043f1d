/*
 * Links: a call's figures are added up once, in the link from the caller's frame to the call's
 * frame. A link belongs to one frame, one function, one edge and one pair of caller and callee. So
 * the figures of these are sums over links, made when a thread ends (links_fold), and a call
 * touches one set of sums, not five.
 *
 * A link's key is the caller's frame, function and site, and the frame in which these are already
 * open (0 = none: a new frame under the caller's): frames fold recursion, so the caller's frame
 * alone does not give the callee's. Whether its calls are outermost activations is in the key, too,
 * so no call counts its time twice. Several links may lead from one frame to another.
 *
 * A program may have millions of links. A call needs one, hardly ever the last one, so a look-up
 * should touch nothing else. Functions mostly make the same calls in the same order: a link knows
 * the last two that followed it and, as a caller's, the two that came first. If both are wrong, a
 * table of numbers has the right one (slots.h). Decoding a call touches one cache line of its link,
 * adding up its row the two others (row_sums.h).
 *
 * One worker owns the links. Another thread may add to the sums of links to which it has pointers;
 * a helper makes the next block (spare_block.h).
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
#define LINK_HAS_CALLER (1u << 31)         /* else its frame may lie under an inherited call's */
#define LINK_OUTERMOST_IN_FRAME (1u << 30) /* no call of its frame is open in the thread */
#define LINK_OUTERMOST (1u << 29)          /* no call of its function is */
#define LINK_CALLEES_MAX (1u << 29)

struct link_key {
    uint32_t parent; /* the frame above: the caller's, if there is one */
    uint32_t callee; /* pair.callee, and the bits above */
    uint32_t frame;  /* in which these are open, 0 = none */
};

struct link;
/* A link whose calls do not all have times (sampled.h). */
struct link_estimate {
    struct link *caller; /* of its last call; NULL = none of the thread's own */
    uint32_t untimed;    /* calls since the last timed one */
    /* Of the thread that adds up: calls that the finished timed ones stand for, and their times on the
     * processor and hooks; the sum of weight * (weight - 1). */
    uint64_t calls, raw_ns, hooks_ps, spread;
};

struct link {
    struct link_key key;
    uint32_t frame;
    uint32_t callee_runs; /* index in rollup.callee_runs; UINT32_MAX: not known yet, or no caller */
    /* Guesses: numbers + 1 of links, the latest first; 0 = none. */
    uint32_t first[2];                /* for the first call from here */
    uint32_t after[2];                /* for the caller's next call after this one */
    uint32_t edge;                    /* index in rollup.edges */
    struct function_rollup *function; /* of the callee */
    /* Like callee_runs, guesses of the thread that adds up rows (callee_history.h): the last
     * transition of the link's calls, from the callee run `previous`, and their last sequence. They
     * hardly ever change. */
    uint32_t previous, transition; /* index in rollup.transitions + 1; 0 = none */
    uint32_t shape;                /* index in rollup.shapes + 1; 0 = none */
    bool touched;                  /* it is in links.touched */
    /* Of the decoded thread. */
    struct call_sums sums __attribute__((aligned(64)));
    struct link_estimate estimate;
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

#define LINKS_A_BLOCK 32768u /* 8 MiB, four huge pages */

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

/* The guesses for the next call that `from` makes. last: the link of its last one; NULL = none. */
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

/* The same as links_find if one of the guesses at `next` is right, else NULL. */
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

/* A call through the link begins: prefetches the links that probably come next. */
static inline void links_expect(const struct links *links, const struct link *link)
{
    if (link->first[0] != 0)
        __builtin_prefetch(links_at(links, link->first[0] - 1), 1);
    if (link->after[0] != 0)
        __builtin_prefetch(links_at(links, link->after[0] - 1), 1);
}

/* helpers: may make room for links ahead; NULL = none. */
void links_init(struct links *links, struct helpers *helpers);

/* The link with this key; NULL = it was never made. *next: its number + 1. */
struct link *links_find(const struct links *links, struct link_key key, uint32_t *next);
/* Makes it, and its frame if that is new. Valid until links_release. */
int links_make(struct links *links, struct link_key key, const struct link_callee *callee,
               struct frames *frames, struct rollup *rollup, struct link **out,
               struct error *error);

/* Call it before a thread's first call is added to a link's sums. */
int links_touch_new(struct links *links, struct link *link, struct error *error);
static inline int links_touch(struct links *links, struct link *link, struct error *error)
{
    return link->touched ? 0 : links_touch_new(links, link, error);
}

/* Adds the sums of all links to those of frames, functions and edges, calls `each` with the tally
 * of each link, and empties them. */
int links_fold(struct links *links, struct rollup *rollup,
               int (*each)(void *context, const struct link *link, const struct tally *tally,
                           struct error *error),
               void *context, struct error *error);

/* No helper uses it when this returns. */
void links_release(struct links *links);

#endif
