/*
 * What is added up while calls are decoded, besides the tallies of frames: histograms, slowest
 * calls, edges, callee runs and sequences, recursion. A worker has one of these for all threads
 * that it decodes; at the end they are added together (rollup_merge). All ids are the database's.
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
#define SEQUENCE_SHOWN 64u    /* callees of a sequence that are kept */
#define SHAPES_MAX (1u << 18) /* beyond it new sequences are counted together */
#define SHAPE_IDS_MAX (1u << 22)

struct slow_call {
    uint64_t cpu_ns; /* duration_ns, without `off` */
    uint64_t duration_ns, raw_ns, call_id;
    struct off_time off;
};

/* A histogram of CPU durations, finer than the table durations. Group g counts in steps of 2^g ns: the
 * first one times below 32 ns, each other one those from 2^(g+4) ns on to twice that, which is 16 to
 * 31 of its steps. So a step's middle is within 3.2 % of what it holds. */
#define DURATION_GROUPS 60
#define DURATION_STEPS 32
struct duration_counts {
    uint64_t *groups[DURATION_GROUPS]; /* DURATION_STEPS each; NULL = it holds none */
};

/* Of how many of a function's calls something is true. */
struct call_kinds {
    uint64_t calling;      /* ended calls that made a call */
    uint64_t single_child; /* finished calls that made exactly one */
    uint64_t unwound;      /* calls that ended 1 */
    uint64_t childless;    /* ended calls that made no call */
};

/* Calls of a function that is open already. */
struct recursion {
    uint64_t calls;
    uint64_t direct; /* made by the function itself */
    char *cycle;     /* functions.id along the first cycle seen; NULL = not recursive */
    uint64_t cycle_call;
};

/* A function's calls. Who decodes changes the first cache line with each call, who adds up rows
 * (row_sums.h) the third one and one of each histogram: these may be two threads. */
struct function_rollup {
    /* Who decodes. */
    uint32_t open; /* activations of it in the thread that is being decoded */
    uint32_t thread_index;
    uint32_t id; /* functions.id */
    uint32_t nesting_max;
    uint64_t nested_call;
    uint64_t last_exit_ns;
    /* Who adds up; first of the thread that is being decoded, which `thread` says: 0 = none yet. */
    uint64_t last_enter_ns __attribute__((aligned(LARGE_ALIGN)));
    uint64_t last_call;
    uint32_t thread;
    uint32_t slow_count;
    uint64_t depth_max, deepest_call; /* deepest_call 0 = no call yet */
    uint64_t slow_from_ns;            /* slow[0].cpu_ns once the heap is full */
    uint32_t seen_open;               /* activations in callee_history.open */
    bool sequences_cut;
    uint64_t childless_example; /* of kinds.childless */
    uint32_t same_id;           /* `id` once more: its own cache line changes with each call */
    struct call_kinds kinds;
    struct duration_counts durations;
    uint64_t intervals[LOG2_BUCKETS];
    struct slow_call slow[SLOW_CALLS]; /* a heap: the least at [0] */
    /* Once a thread has ended. */
    struct tally tally;
    uint64_t latest_enter_ns, latest_call; /* the last call of these; 0 = none */
    struct recursion recursion;            /* who decodes */
};

struct edge { /* slowest_call: of the finished calls, 0 = none finished */
    uint32_t caller, site, callee;
    uint64_t calls, raw_total_ns, total_hooks_ps;
    struct tally_self self;
    struct off_sums off;
    uint64_t first_call, slowest_call, slowest_ns;
};

/* A callee run: one call calls the same callee several times in a row, with no other between. */
struct callee_runs { /* by caller and callee */
    uint64_t count, calls, caller_calls, longest, longest_call, raw_total_ns;
    uint64_t seen_by; /* the caller's call that was counted last in caller_calls */
};

struct callee_transition { /* by caller, previous and callee */
    uint64_t count, example_call;
};

/* A distinct sequence of a function's direct callees, each callee run folded to one. 128 bits
 * of hash over function and callees identify it; it keeps the first SEQUENCE_SHOWN callees. */
struct shape_hash { /* it is there while the sequence grows */
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
    size_t frames_capacity;             /* blocks, of which some may be NULL */
    struct spare_block spare;           /* the next one of them */
    struct function_rollup **functions; /* by functions.id; NULL where never called */
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

/* Empty; zeros are, too. */
void rollup_init(struct rollup *rollup);
/* Helpers may make room for frames before it is needed. NULL = there are none. */
void rollup_help(struct rollup *rollup, struct helpers *helpers);

/* What callee runs and transitions are known by, in functions.id; previous 0 = it is the first one. */
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

/* Each makes room for the id; 0, or -1 without memory. */
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
/* The shape with this hash: a new one is made of function, length and ids (of which there are
 * min(length, SEQUENCE_SHOWN)), its calls being 0. *out is NULL where there are too many. */
int rollup_shape(struct rollup *rollup, struct shape_hash hash, uint32_t function, uint64_t length,
                 const uint32_t *ids, struct shape **out, struct error *error);

/* A frame's sums; NULL where nothing was added. */
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

/* Of two calls the later one is the latest: to be told of the last one of each thread (0 = none). */
void rollup_latest_call(struct function_rollup *function, uint64_t enter_ns, uint64_t call_id);

/* Keeps the slowest calls: to be called where rollup_is_slow says so. */
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
                                      struct error *error)
{
    unsigned group = duration_group(ns);
    if (__builtin_expect(durations->groups[group] == NULL, 0) &&
        duration_counts_make(durations, group, error) != 0)
        return -1;
    durations->groups[group][ns >> group]++;
    return 0;
}
void duration_counts_release(struct duration_counts *durations);
/* How many there are in a bucket of the table: rollup_bucket(). */
uint64_t duration_counts_of(const struct duration_counts *durations, unsigned bucket);
/* The duration that `rank` (from 1) of them are at most as long as, within half a step. 0 if there
 * are fewer. */
uint64_t duration_counts_rank(const struct duration_counts *durations, uint64_t rank);

/* `from` is spent then: release it. */
int rollup_merge(struct rollup *into, struct rollup *from, struct error *error);
/* Frees the sums of a block of frames alone, which may be most of it. */
void rollup_release_block(struct rollup *rollup, size_t block);
void rollup_release(struct rollup *rollup);

#endif
