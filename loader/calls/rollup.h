/*
 * Figures that decoding adds up, besides the tallies of frames: histograms, slowest calls, edges,
 * callee runs and sequences, recursion. A worker has one rollup for all threads that it decodes;
 * rollup_merge adds them up at the end. All ids are the database's.
 */
#ifndef FISQL_LOADER_CALLS_ROLLUP_H
#define FISQL_LOADER_CALLS_ROLLUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/large.h"
#include "base/slots.h"
#include "loader/calls/call_sums.h"
#include "loader/calls/spare_block.h"
#include "loader/calls/tally.h"

#define LOG2_BUCKETS 64
#define SLOW_CALLS 16
#define SEQUENCE_SHOWN 64u    /* callees kept of a sequence */
#define SHAPES_MAX (1u << 18) /* further new sequences are counted together */
#define SHAPE_IDS_MAX (1u << 22)

struct slow_call {
    uint64_t cpu_ns; /* duration_ns, without `off` */
    uint64_t duration_ns, raw_ns, call_id;
    struct off_time off;
};

/* A histogram of CPU durations, finer than the table durations. Group g counts in steps of 2^g ns:
 * group 0 times below 32 ns, each other group those from 2^(g+4) ns to twice that, in its steps 16
 * to 31. So a step's middle is within 3.2 % of its times. */
#define DURATION_GROUPS 60
#define DURATION_STEPS 32
struct duration_counts {
    uint64_t *groups[DURATION_GROUPS]; /* DURATION_STEPS each; NULL = all 0 */
};

/* Numbers of a function's calls of some kind. */
struct call_kinds {
    uint64_t calling;      /* ended calls that made a call */
    uint64_t single_child; /* finished calls that made exactly one */
    uint64_t unwound;      /* calls that ended 1 */
    uint64_t childless;    /* ended calls that made no call */
    uint64_t childless_example;
};

/* What a function's short calls spend themselves in a slice of time: see call_picture.h. */
struct picture_sum {
    uint64_t ns, slice_from_id; /* the slice's first call; another one: there were none */
};

/* Calls of a function that is already open. */
struct recursion {
    uint64_t calls;
    uint64_t direct; /* made by the function itself */
    char *cycle;     /* functions.id along the first cycle seen; NULL = not recursive */
    uint64_t cycle_call;
};

/* A function's calls. With each call, the decoding thread changes the first cache line; the thread
 * that adds up rows (row_sums.h) changes the third one and one of each histogram. */
struct function_rollup {
    /* Of the decoding thread. */
    uint32_t open; /* activations in the decoded thread */
    uint32_t thread_index;
    uint32_t id; /* functions.id */
    uint32_t nesting_max;
    uint64_t nested_call;
    uint64_t last_exit_ns;
    /* Of the thread that adds up. First those of the decoded thread, `thread`; 0 = none yet. */
    uint64_t last_enter_ns __attribute__((aligned(LARGE_ALIGN)));
    uint64_t last_call;
    uint32_t thread;
    uint32_t seen_open;               /* activations in callee_history.open */
    uint64_t depth_max, deepest_call; /* deepest_call 0 = no call yet */
    uint64_t slow_from_ns;            /* slow[0].cpu_ns once the heap is full */
    struct picture_sum drawn;
    uint32_t same_id; /* `id` again: the cache line of `id` changes with each call */
    uint32_t slow_count;
    bool sequences_cut;
    struct call_kinds kinds;
    struct duration_counts durations;
    uint64_t intervals[LOG2_BUCKETS];
    struct slow_call slow[SLOW_CALLS]; /* a heap: the least at [0] */
    /* Set when a thread ends. */
    struct tally tally;
    uint64_t latest_enter_ns, latest_call; /* the last call of these; 0 = none */
    struct recursion recursion;            /* of the decoding thread */
};

struct edge { /* slowest_call: of the finished calls, 0 = none finished */
    uint32_t caller, site, callee;
    uint64_t calls, raw_total_ns, total_hooks_ps;
    struct tally_self self;
    struct off_sums off;
    uint64_t first_call, slowest_call, slowest_ns;
};

/* Callee runs: a call calls the same callee several times in a row. */
struct callee_runs { /* by caller and callee */
    uint64_t count, calls, caller_calls, longest, longest_call, raw_total_ns;
    uint64_t seen_by; /* the caller's call that caller_calls counted last */
};

struct callee_transition { /* by caller, previous and callee */
    uint64_t count, example_call;
};

/* A distinct sequence of a function's direct callees, each callee run folded to one. A hash of 128
 * bits over function and callees identifies it; the first SEQUENCE_SHOWN callees are kept. */
struct shape_hash { /* computed while the sequence grows */
    uint64_t a, b;
};

struct shape {
    struct shape_hash hash;
    uint32_t function;
    uint32_t shown;  /* callees kept, from shape_ids[first] on */
    uint64_t length; /* callees in it */
    uint64_t calls, example_call;
    size_t first;
};

#define FRAMES_A_BLOCK 16384u /* 2 MiB */

struct rollup {
    struct call_sums **frames;          /* frames.id / FRAMES_A_BLOCK, frames.id % FRAMES_A_BLOCK */
    size_t frames_capacity;             /* blocks; some may be NULL */
    struct spare_block spare;           /* the next block */
    struct function_rollup **functions; /* by functions.id; NULL = never called */
    size_t functions_capacity;
    struct intern edge_keys;
    struct edge *edges;
    size_t edges_capacity;
    struct intern callee_runs_keys;
    struct callee_runs *callee_runs;
    size_t callee_runs_capacity;
    struct intern transition_keys; /* (caller, previous), callee */
    struct callee_transition *transitions;
    size_t transitions_capacity;
    struct slots shape_slots; /* to shapes */
    struct shape *shapes;
    uint32_t shapes_count;
    size_t shapes_capacity;
    uint32_t *shape_ids; /* functions.id */
    size_t shape_ids_count, shape_ids_capacity;
};

/* Makes an empty one; zeros are one, too. */
void rollup_init(struct rollup *rollup);
/* helpers: may make room for frames ahead; NULL = none. */
void rollup_help(struct rollup *rollup, struct helpers *helpers);

/* The keys of callee runs and transitions, in functions.id; previous 0 = it is the first callee. */
struct callee_runs_key {
    uint32_t caller, callee;
};

struct transition_key {
    uint32_t caller, previous, callee;
};

static inline struct callee_runs_key rollup_callee_runs_key(const struct rollup *rollup,
                                                            uint32_t index)
{
    const struct intern_key *key = &rollup->callee_runs_keys.keys[index];
    return (struct callee_runs_key){(uint32_t)key->a, (uint32_t)key->b};
}

static inline struct transition_key rollup_transition_key(const struct rollup *rollup,
                                                          uint32_t index)
{
    const struct intern_key *key = &rollup->transition_keys.keys[index];
    return (struct transition_key){(uint32_t)(key->a >> 32), (uint32_t)key->a, (uint32_t)key->b};
}

/* Each makes room for the id. */
int rollup_frame(struct rollup *rollup, uint32_t frame, struct call_sums **out,
                 struct error *error);
int rollup_function(struct rollup *rollup, uint32_t function, struct function_rollup **out,
                    struct error *error);
int rollup_edge(struct rollup *rollup, uint32_t caller, uint32_t site, uint32_t callee,
                uint32_t *index, struct error *error);
int rollup_callee_runs(struct rollup *rollup, uint32_t caller, uint32_t callee, uint32_t *index,
                       struct error *error);
int rollup_transition(struct rollup *rollup, uint32_t caller, uint32_t previous, uint32_t callee,
                      uint32_t *index, struct error *error);
/* Finds the shape with this hash, or makes one, with 0 calls, of function, length and its first
 * min(length, SEQUENCE_SHOWN) ids. *out is NULL if there are too many. */
int rollup_shape(struct rollup *rollup, struct shape_hash hash, uint32_t function, uint64_t length,
                 const uint32_t *ids, struct shape **out, struct error *error);

/* A frame's sums; NULL if nothing was added. */
static inline const struct call_sums *rollup_frame_sums(const struct rollup *rollup, uint32_t frame)
{
    uint32_t block = frame / FRAMES_A_BLOCK;
    bool there = block < rollup->frames_capacity && rollup->frames[block] != NULL;
    return there ? &rollup->frames[block][frame % FRAMES_A_BLOCK] : NULL;
}

void rollup_edge_add(struct edge *edge, const struct tally *tally);

static inline struct shape_hash shape_hash_begin(uint32_t function)
{
    return (struct shape_hash){function * UINT64_C(0x9e3779b97f4a7c15),
                               ~(uint64_t)function * UINT64_C(0xd6e8feb86659fd93)};
}

static inline struct shape_hash shape_hash_add(struct shape_hash hash, uint32_t callee)
{
    uint64_t a = (hash.a + callee + 1) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t b = (hash.b ^ (callee + UINT64_C(0x632be59bd9b4e019))) * UINT64_C(0xd6e8feb86659fd93);
    return (struct shape_hash){a ^ a >> 29, b ^ b >> 32};
}

/* Takes the last call of a thread (0 = none) into the function's latest one. */
void rollup_latest_call(struct function_rollup *function, uint64_t enter_ns, uint64_t call_id);

/* Keeps the slowest calls; call it if rollup_is_slow(). */
void rollup_slow_call(struct function_rollup *function, const struct slow_call *call);
static inline bool rollup_is_slow(const struct function_rollup *function, uint64_t cpu_ns)
{
    return cpu_ns >= function->slow_from_ns;
}

static inline unsigned rollup_bucket(uint64_t ns)
{
    return ns < 2 ? 0 : 63u ^ (unsigned)__builtin_clzll(ns);
}

static inline unsigned duration_group(uint64_t ns)
{
    return (63u ^ (unsigned)__builtin_clzll(ns | DURATION_STEPS / 2)) - 4;
}

/* Makes a group, all 0. */
int duration_counts_make(struct duration_counts *durations, unsigned group, struct error *error);
static inline int duration_counts_add(struct duration_counts *durations, uint64_t ns,
                                      uint64_t calls, struct error *error)
{
    unsigned group = duration_group(ns);
    if (__builtin_expect(durations->groups[group] == NULL, 0) &&
        duration_counts_make(durations, group, error) != 0)
        return -1;
    durations->groups[group][ns >> group] += calls;
    return 0;
}
void duration_counts_release(struct duration_counts *durations);
/* The number of durations in a bucket of the table: rollup_bucket(). */
uint64_t duration_counts_of(const struct duration_counts *durations, unsigned bucket);
/* The number of all durations. */
uint64_t duration_counts_all(const struct duration_counts *durations);
/* The rank-th shortest duration (from 1), within half a step; 0 if there are fewer. */
uint64_t duration_counts_rank(const struct duration_counts *durations, uint64_t rank);

/* Release `from` afterwards. */
int rollup_merge(struct rollup *into, struct rollup *from, struct error *error);
/* Frees the sums of one block of frames: they may be most of the rollup. */
void rollup_release_block(struct rollup *rollup, size_t block);
void rollup_release(struct rollup *rollup);

#endif
