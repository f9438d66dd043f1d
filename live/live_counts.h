/*
 * How often functions are called just now, and what time of their own they take: counted in chunks
 * that threads are filling (live_source.h).
 */
#ifndef FISQL_LIVE_LIVE_COUNTS_H
#define FISQL_LIVE_LIVE_COUNTS_H

#include "live/live_source.h"

struct live_count {
    uint64_t function; /* its address in the process */
    uint64_t calls, self_ticks;
};

struct live_counts {
    struct live_count *items; /* in no order */
    size_t count, capacity;
    uint32_t *places; /* by a function's address: index plus 1; 0 = free */
    size_t places_count;
    uint64_t *definitions; /* of the chunk: the functions of its slots */
    uint64_t *stack;       /* the functions that are open */
    size_t stack_capacity;
    unsigned char *chunk; /* a copy */
    uint64_t calls;       /* of all functions */
    struct fisql_cost cost;
};

/* A thread that fills a chunk. */
struct live_filling {
    uint64_t process_key;
    uint32_t pid, thread;
    uint64_t calls; /* that it has entered so far */
};

/* Reads whose chunk a slot has. False: it has none. */
bool live_filling_read(const struct live_source *source, uint32_t slot,
                       struct live_filling *filling);

/* Counts the calls of the chunk that is being filled. Returns 0; 1 if the chunk changed meanwhile, or
 * is not sound; -1 without memory, with *error set. */
int live_counts_add(struct live_counts *counts, const struct live_source *source, uint32_t slot,
                    struct error *error);
/* Forgets what was counted. */
void live_counts_clear(struct live_counts *counts);
void live_counts_release(struct live_counts *counts);

#endif
