/* Links from the caller's frame to the callee's: see links.h. */
#include "loader/calls/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/large.h"

#define BLOCK_BYTES (LINKS_A_BLOCK * sizeof(struct link))

void links_init(struct links *links, struct helpers *helpers)
{
    memset(links, 0, sizeof *links);
    spare_block_init(&links->spare, helpers);
    spare_block_init(&links->spare_slots, helpers);
}

static uint32_t hash(struct link_key key)
{
    return slots_hash((uint64_t)key.parent << 32 | key.callee, key.frame);
}

struct link *links_find(const struct links *links, struct link_key key, uint32_t *next)
{
    uint32_t of_key = hash(key);
    for (uint32_t place = of_key, number;
         (number = slots_next(&links->slots, of_key, &place)) != SLOTS_NONE;) {
        struct link *link = links_at(links, number);
        *next = number + 1;
        if (link->key.parent == key.parent && link->key.callee == key.callee &&
            link->key.frame == key.frame)
            return link;
    }
    return NULL;
}

/* Room for the link with the next number. */
static int reach(struct links *links, struct link **out, struct error *error)
{
    uint32_t block = links->count / LINKS_A_BLOCK;
    if (array_reach(&links->blocks, &links->blocks_capacity, block, error) != 0)
        return -1;
    if (links->blocks[block] == NULL)
        links->blocks[block] = spare_block_take(&links->spare, BLOCK_BYTES);
    if (links->blocks[block] == NULL)
        return error_set(error, "out of memory");
    if (links->count % LINKS_A_BLOCK == LINKS_A_BLOCK / 2) /* it will probably fill up */
        spare_block_ask(&links->spare, BLOCK_BYTES);
    *out = links_at(links, links->count);
    return 0;
}

/* Room for one in the table. */
static int reach_slot(struct links *links, struct error *error)
{
    size_t grown = slots_grown_bytes(&links->slots);
    if (grown < LARGE_PAGE_BYTES)
        return 0;
    if (slots_is_full(&links->slots))
        return slots_grow(&links->slots, spare_block_take(&links->spare_slots, grown), error);
    if (links->slots.count == links->slots.mask / 8 * 5)
        spare_block_ask(&links->spare_slots, grown);
    return 0;
}

int links_make(struct links *links, struct link_key key, const struct link_callee *callee,
               struct frames *frames, struct rollup *rollup, struct link **out, struct error *error)
{
    struct link *link = NULL;
    if (reach(links, &link, error) != 0)
        return -1;
    *link = (struct link){.key = key, .frame = key.frame, .callee_runs = UINT32_MAX};
    if ((key.frame == 0 && frames_child(frames, key.parent, callee->function, callee->site,
                                        &link->frame, error) != 0) ||
        rollup_function(rollup, callee->function, &link->function, error) != 0 ||
        rollup_edge(rollup, callee->caller, callee->site, callee->function, &link->edge, error) !=
            0 ||
        reach_slot(links, error) != 0 ||
        slots_add(&links->slots, hash(key), links->count, error) != 0)
        return -1;
    links->count++;
    *out = link;
    return 0;
}

int links_touch_new(struct links *links, struct link *link, struct error *error)
{
    if (array_reserve(&links->touched, &links->touched_capacity, links->touched_count + 1, error) !=
        0)
        return -1;
    links->touched[links->touched_count++] = link;
    link->touched = true;
    call_sums_begin(&link->sums);
    return 0;
}

/* Empties a link. */
static int fold(struct link *link, const struct tally *tally, struct rollup *rollup,
                struct error *error)
{
    struct call_sums *frame;
    if (rollup_frame(rollup, link->frame, &frame, error) != 0 ||
        call_sums_add(frame, &link->sums, link_outermost(link).of_frame, error) != 0)
        return -1;
    tally_add(&link->function->tally, tally);
    rollup_edge_add(&rollup->edges[link->edge], tally);
    call_sums_release(&link->sums);
    link->sums = (struct call_sums){0};
    link->estimate = (struct link_estimate){.caller = NULL};
    link->touched = false;
    return 0;
}

/* A thread's end forgets all links if there are more; the next thread makes what it needs anew. */
#define KEPT_MAX (1u << 18)

static int fold_block(struct links *links, size_t block, struct rollup *rollup,
                      int (*each)(void *context, const struct link *link, const struct tally *tally,
                                  struct error *error),
                      void *context, struct error *error)
{
    for (uint32_t i = 0; i < LINKS_A_BLOCK; i++) {
        struct link *link = &links->blocks[block][i];
        struct tally tally = call_sums_tally(&link->sums, link_outermost(link));
        if (link->touched &&
            (each(context, link, &tally, error) != 0 || fold(link, &tally, rollup, error) != 0))
            return -1;
    }
    return 0;
}

/* Frees each block before the frames' sums of the next block need as much memory. */
static int fold_and_forget(struct links *links, struct rollup *rollup,
                           int (*each)(void *context, const struct link *link,
                                       const struct tally *tally, struct error *error),
                           void *context, struct error *error)
{
    for (size_t block = 0; block < links->blocks_capacity; block++) {
        if (links->blocks[block] == NULL)
            continue;
        if (fold_block(links, block, rollup, each, context, error) != 0)
            return -1;
        large_free(links->blocks[block], BLOCK_BYTES);
        links->blocks[block] = NULL;
    }
    links->count = 0;
    links_release(links);
    return 0;
}

int links_fold(struct links *links, struct rollup *rollup,
               int (*each)(void *context, const struct link *link, const struct tally *tally,
                           struct error *error),
               void *context, struct error *error)
{
    if (links->count > KEPT_MAX)
        return fold_and_forget(links, rollup, each, context, error);
    for (size_t i = 0; i < links->touched_count; i++) {
        struct link *link = links->touched[i];
        struct tally tally = call_sums_tally(&link->sums, link_outermost(link));
        if (each(context, link, &tally, error) != 0 || fold(link, &tally, rollup, error) != 0)
            return -1;
    }
    links->touched_count = 0;
    return 0;
}

void links_release(struct links *links)
{
    for (uint32_t i = 0; i < links->count; i++)
        if (links->blocks[i / LINKS_A_BLOCK] != NULL)
            call_sums_release(&links_at(links, i)->sums);
    for (size_t i = 0; i < links->blocks_capacity; i++)
        large_free(links->blocks[i], BLOCK_BYTES);
    spare_block_release(&links->spare);
    spare_block_release(&links->spare_slots);
    free(links->blocks);
    links->blocks = NULL;
    free(links->touched);
    links->touched = NULL;
    links->blocks_capacity = links->touched_count = links->touched_capacity = 0;
    links->count = 0;
    slots_release(&links->slots);
}
