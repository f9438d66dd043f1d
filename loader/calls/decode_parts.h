/* What the files of decode.h share: the stack of open calls and what belongs to it. */
#ifndef FISQL_LOADER_DECODE_PARTS_H
#define FISQL_LOADER_DECODE_PARTS_H

#include "loader/calls/decode.h"
#include "loader/log/events.h"
#include "loader/calls/links.h"
#include "loader/calls/pairs.h"

#define WINDOW_ROWS 8192u /* a power of two; half of them are written at a time */

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A row that waits for its call's end, or for its turn. */
struct row {
    uint64_t enter_ns, duration_ns, children_ns;
    uint64_t distance;    /* id - parent's id, 0 = no parent */
    uint32_t descendants; /* of a call that ended while its row waits: less than WINDOW_ROWS */
    uint32_t frame, depth;
    uint8_t ended;
    bool done;
};

/* An open call. What lies under `last_callee` is only valid when that is not NO_CALLEE. */
struct open_call {
    struct memory_open_call head; /* first: memory reads the stack through it */
    uint64_t enter_ns, enter_tick, children_ns, child_calls;
    struct link *link; /* NULL = inherited */
    uint32_t pair;
    bool frame_outermost;
    bool written;              /* its row went out at full width */
    uint32_t last_callee;      /* index in rollup.callee_runs of the callee run that goes on */
    uint64_t callee_run_calls; /* calls in it so far */
    uint64_t callee_run_ns;    /* time in it */
    uint64_t callee_runs;      /* of this call, this one included */
    struct shape_hash shape;   /* of the sequence so far */
    size_t first_id;           /* its callees lie in decoder.callees from here on */
    struct btree_place place;
    uint32_t duration_offset;
};

/* Calls that are open and of which nothing else is known: see decode_snapshot.c. */
struct hidden_calls {
    uint32_t at; /* calls of the stack around them */
    uint32_t calls;
};

/* Which call the mark of a struct callee_runs was taken over from: see call_stack.c. */
struct callee_runs_mark {
    uint64_t call, before;
    uint32_t callee_runs; /* index in rollup.callee_runs */
};

#define NO_CALLEE UINT32_MAX
#define TRANSITIONS_CACHED 2048u

struct decoder {
    struct decode_shared *shared;
    struct rollup rollup;
    struct links links;
    uint32_t threads_begun; /* numbers the threads, for function_rollup.thread */
    struct pairs pairs;
    uint32_t process; /* index that the pairs belong to */
    struct open_call *stack;
    size_t stack_capacity;
    uint32_t depth, inherited;   /* the inherited calls lie at the stack's bottom */
    struct hidden_calls *hidden; /* the outermost ones first */
    size_t hidden_count, hidden_capacity;
    struct row *rows;      /* of id: rows[id % WINDOW_ROWS] */
    uint64_t window_start; /* id of the first row that is not written */
    uint64_t next_id, end_id;
    uint64_t chunk_first_id; /* of the calls that the chunk's own events enter */
    /* The chunk's dictionary. A definition is looked up at the slot's first use, by that event's
     * tick: the definition itself has none, and a module may have come between the two. */
    struct {
        uint64_t function, site;
    } definitions[FISQL_SLOTS_MAX];
    uint8_t defined[FISQL_SLOTS_MAX];
    uint32_t slots[FISQL_SLOTS_MAX]; /* pair + 1 by slot; 0 = not looked up */
    uint32_t alloc_sites[FISQL_SLOTS_MAX];
    uint64_t tick, now_ns;
    /* The callees of the open calls' sequences, up to SEQUENCE_SHOWN each: a stack, for a call goes
     * on with its sequence only when the calls within it have ended. */
    uint32_t *callees;
    size_t callees_count, callees_capacity;
    struct callee_runs_mark *marks; /* those that open calls took over, a stack too */
    size_t marks_count, marks_capacity;
    /* From a pair of callees that follow each other to its index in rollup.transitions. */
    struct {
        uint32_t previous, callee_runs, index;
    } transitions[TRANSITIONS_CACHED];
    const struct log_thread *thread;
    const struct clock_line *line;
    struct decode_thread *out;
    struct memory_thread *memory;
    struct log_reader reader; /* of the log; opened with the first thread */
    bool reader_open;
    bool counted; /* calls were counted in this thread */
};

/* The pair that two addresses mean at the present tick. */
static inline int decode_find_pair(struct decoder *decoder, uint64_t function, uint64_t site,
                                   uint32_t *index, struct error *error)
{
    return pairs_find(&decoder->pairs, decoder->shared->program, function, site, decoder->tick,
                      index, error);
}

/* Makes the stack what the chunk's snapshot says: what it confirms stays, other calls end as lost,
 * and calls that are new in it, *unseen of them, were entered unseen. before_ns: the last event
 * before the chunk. */
int decode_reconcile(struct decoder *decoder, const struct fisql_chunk *chunk, uint64_t before_ns,
                     uint32_t *unseen, struct error *error);
/* The innermost open call returns. */
int decode_exit(struct decoder *decoder, struct error *error);
/* The innermost `calls` calls end at once. *ended: how many were open; *outermost: the function of
 * the outermost of them, 0 = not known. */
int decode_unwind(struct decoder *decoder, uint32_t calls, uint32_t *ended, uint32_t *outermost,
                  struct error *error);
/* The depth at which an exit does not end a call of the thread's own. */
uint32_t decode_floor(const struct decoder *decoder);

/* Lets time pass. */
static inline void decode_advance(struct decoder *decoder, uint64_t ticks)
{
    decoder->tick += ticks;
    uint64_t now = clock_ns(decoder->line, decoder->tick);
    if (now > decoder->now_ns)
        decoder->now_ns = now;
}

/* Reads the enters and exits that need no more than is known, up to any other event. */
int call_plain_events(struct decoder *decoder, struct event_cursor *cursor, struct error *error);
/* The link of a call of the pair that would begin now. */
int call_link(struct decoder *decoder, uint32_t pair_index, struct link **out, struct error *error);
/* Puts a call that a forked child inherited on the stack: its frame is known then, nothing is added
 * up. */
int call_inherit(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
                 struct error *error);
/* A call of the pair begins. */
int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               struct error *error);
/* Ends the innermost calls at the present time until `depth` are open. */
int call_leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                       struct error *error);

/* Writes the rows that wait, but for the last `kept`. */
int call_rows_flush(struct decoder *decoder, uint64_t kept, struct error *error);
/* Completes the row of a call that was written while it was open. */
int call_row_patch(struct decoder *decoder, const struct open_call *call, uint64_t duration_ns,
                   uint64_t descendants, uint64_t distance, enum ended ended, struct error *error);

/* Adds up what the thread did. */
int decode_thread_fold(struct decoder *decoder, struct error *error);

#endif
