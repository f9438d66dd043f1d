/*
 * What is added up while calls are decoded, besides the tallies of frames: histograms, slowest
 * calls, edges, runs and sequences of callees, recursion. A worker has one of these for all threads
 * that it decodes; at the end they are added together (rollup_merge). All ids are the database's.
 */
#ifndef FISQL_LOADER_ROLLUP_H
#define FISQL_LOADER_ROLLUP_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/error.h"
#include "loader/intern.h"
#include "loader/tally.h"

#define LOG2_BUCKETS 64
#define SLOW_CALLS 16
#define SEQUENCE_NODES_MAX 4000000u /* beyond it new sequences are counted together */

struct slow_call {
    uint64_t duration_ns, raw_ns, call_id;
};

struct function_rollup {
    uint64_t durations[LOG2_BUCKETS], intervals[LOG2_BUCKETS];
    struct slow_call slow[SLOW_CALLS]; /* a heap: the least at [0] */
    uint32_t slow_count;
    uint32_t nesting_max;
    uint64_t nested_call;
    uint64_t direct_recursive;
    bool sequences_cut;
    char *cycle; /* functions.id along the first cycle seen; NULL = not recursive */
    uint64_t cycle_call;
};

struct edge {
    uint32_t caller, site, callee;
    uint64_t calls, total_ns, raw_total_ns, raw_self_ns, child_calls;
    uint64_t first_call, slowest_call, slowest_ns;
};

struct repeat { /* by caller and callee */
    uint64_t runs, calls, caller_calls, longest_run, longest_call, raw_total_ns;
    uint64_t seen_by; /* the caller's call that was counted last in caller_calls */
};

struct sequence { /* by caller, previous and callee */
    uint64_t count, example_call;
};

struct node {          /* of the trie of callee sequences; its path from a root is the sequence */
    uint32_t parent;   /* UINT32_MAX for a root */
    uint32_t function; /* of the callee, or of the caller for a root */
    uint32_t length;
    uint64_t calls, example_call;
};

struct rollup {
    struct tally *frames; /* by frames.id */
    size_t frames_capacity;
    struct function_rollup **functions; /* by functions.id; NULL where never called */
    size_t functions_capacity;
    struct intern edge_keys;
    struct edge *edges;
    size_t edges_capacity;
    struct intern repeat_keys;
    struct repeat *repeats;
    size_t repeats_capacity;
    struct intern
        sequence_keys[2]; /* (caller, previous) to a number, (number, callee) to an index */
    struct sequence *sequences;
    size_t sequences_capacity;
    struct intern node_keys;
    struct node *nodes;
    size_t nodes_capacity;
};

/* Each makes room for the id; 0, or -1 without memory. */
int rollup_frame(struct rollup *rollup, uint32_t frame, struct tally **out, struct error *error);
int rollup_function(struct rollup *rollup, uint32_t function, struct function_rollup **out,
                    struct error *error);
int rollup_edge(struct rollup *rollup, uint32_t caller, uint32_t site, uint32_t callee,
                uint32_t *index, struct error *error);
int rollup_repeat(struct rollup *rollup, uint32_t caller, uint32_t callee, struct repeat **out,
                  struct error *error);
int rollup_sequence(struct rollup *rollup, uint32_t caller, uint32_t previous, uint32_t callee,
                    struct sequence **out, struct error *error);
/* The node after `parent` (UINT32_MAX: the root of the function); UINT32_MAX if there are too many.
 */
int rollup_node(struct rollup *rollup, uint32_t parent, uint32_t function, uint32_t *node,
                struct error *error);

void rollup_slow_call(struct function_rollup *function, uint64_t duration_ns, uint64_t raw_ns,
                      uint64_t call_id);
static inline unsigned rollup_bucket(uint64_t ns)
{
    return ns < 2 ? 0 : 63u - (unsigned)__builtin_clzll(ns);
}

int rollup_merge(struct rollup *into, const struct rollup *from, struct error *error);
void rollup_release(struct rollup *rollup);

#endif
