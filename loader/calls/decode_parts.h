/* The decoder, and what the files of decode.h share of it. */
#ifndef FISQL_LOADER_CALLS_DECODE_PARTS_H
#define FISQL_LOADER_CALLS_DECODE_PARTS_H

#include "loader/calls/alloc_places.h"
#include "loader/calls/call_rows.h"
#include "loader/calls/call_stack.h"
#include "loader/calls/callee_history.h"
#include "loader/calls/chunk_source.h"
#include "loader/calls/decode.h"
#include "loader/calls/dictionary.h"
#include "loader/calls/gaps.h"
#include "loader/calls/links.h"
#include "loader/calls/pairs.h"
#include "loader/calls/thread_clock.h"
#include "loader/log/events.h"
#include "loader/values/value_calls.h"

/* The call that ended last. */
struct ended_call {
    uint64_t call_id;
    const struct row *row; /* valid until another call begins or ends */
};

/* The kind of the event before: values follow enters and exits only. */
enum behind { BEHIND_OTHERS, BEHIND_ENTER, BEHIND_EXIT, BEHIND_EXIT_VALUES };

/* The recording's cost at the decoded instant. */
struct hooks_now {
    struct hook_cost cost; /* of calls entered now */
    uint64_t from_id;      /* the first call at this cost */
    uint64_t write_ns;     /* of writing the chunk before, and of callbacks; not yet taken out of */
    uint64_t held_ns;      /* the calls; of that, off the processor */
    uint64_t since_ns;     /* that began no earlier: the last event before it */
    bool sampled;          /* some calls of the chunk have no times: see sampled.h */
    bool timed;            /* the present event has one */
    /* Calls of the thread without times so far, each by what its hooks spare: HOOK_SPARES or, for a LEAF,
     * more. And of the present event. */
    uint64_t untimed;
    uint32_t spares;
    uint32_t depth_least; /* calls open all along since the last event with a time */
};

struct decoder {
    struct decode_shared *shared;
    /* Of all threads that the decoder decodes. */
    struct rollup rollup;
    struct kept_rows kept;
    struct links links;
    struct alloc_places places;
    uint32_t threads_begun; /* numbers the threads, for function_rollup.thread */
    struct chunk_source source;
    /* Of one process. */
    struct pairs pairs;
    uint32_t process; /* index in log_index.processes */
    /* Of one thread. */
    const struct log_thread *thread;
    struct decoded_thread *out;
    struct memory_thread *memory;
    struct thread_clock clock;
    struct call_stack stack;
    struct callee_history history
        __attribute__((aligned(LARGE_ALIGN))); /* of the thread that adds up rows */
    struct call_picture picture;               /* the same */
    struct row_window window;
    bool counted __attribute__((aligned(LARGE_ALIGN))); /* calls were counted in this thread */
    struct gaps gaps;
    struct ended_call ended; /* its place on the stack stays as it is until a call begins */
    struct value_calls values;
    struct hooks_now hooks;
    /* Of one chunk. */
    struct dictionary dictionary;
    struct {
        uint64_t end;   /* of the thread's range of call ids */
        uint64_t first; /* of the first call that the chunk's events enter */
    } ids;
    bool paused; /* recording is off */
};

/* The pair that two addresses mean at the present tick. */
static inline int decode_find_pair(struct decoder *decoder, uint64_t function, uint64_t site,
                                   uint32_t *index, struct error *error)
{
    if (pairs_find(&decoder->pairs, decoder->shared->program, function, site, decoder->clock.tick,
                   index, error) != 0)
        return -1;
    struct pair *pair = &decoder->pairs.items[*index];
    if (pair->callee >= LINK_CALLEES_MAX)
        return error_set(error, "more pairs of functions and sites than can be told apart");
    return pair->rollup != NULL
               ? 0
               : rollup_function(&decoder->rollup, pair->function, &pair->rollup, error);
}

/* decode_locks.c: a record of a lock. */
int decode_lock(struct decoder *decoder, const struct event *event, struct error *error);

/* decode_snapshot.c: brings the stack into line with the chunk's snapshot. Calls that it confirms
 * stay; others end as lost; *unseen new ones were entered unseen. before_ns: the last event before
 * the chunk. */
int decode_reconcile(struct decoder *decoder, const struct fisql_chunk *chunk, uint64_t before_ns,
                     uint32_t *unseen, struct error *error);
/* The innermost open call returns. */
int decode_exit(struct decoder *decoder, struct error *error);
/* Ends the innermost `calls` calls at once. *ended: how many were open; *outermost: the function of
 * the outermost one, 0 = not known. */
int decode_unwind(struct decoder *decoder, uint32_t calls, uint32_t *ended, uint32_t *outermost,
                  struct error *error);

/* decode_gaps.c: ends the gap, if a GAP was read before the present event. */
int decode_gap_ends(struct decoder *decoder, struct error *error);

/* decode_trace.c: CHECKPOINT; PAUSED and RESUMED. */
int decode_checkpoint(struct decoder *decoder, const struct event *event, struct error *error);
int decode_paused(struct decoder *decoder, struct error *error);
int decode_resumed(struct decoder *decoder, struct error *error);
/* Ends all pauses: events are missing from end_ns on. */
int decode_pauses_end(struct decoder *decoder, uint64_t end_ns, struct error *error);
/* The innermost call ends, and its pause with it, which took *paused_ns. */
int decode_pause_leave(struct decoder *decoder, uint64_t *paused_ns, struct error *error);

/* decode_costs.c: takes over the hooks' cost from this chunk of the log on. */
int decode_cost_begin(struct decoder *decoder, size_t chunk, struct error *error);
/* Writing the chunk right before this one took so many ticks, which the time since the last event
 * before it, at since_ns, includes. */
void decode_write_begin(struct decoder *decoder, uint64_t ticks, uint64_t since_ns);
/* Since the last event, the write or callbacks kept the thread off the processor for so many ticks
 * more; or callbacks ran so long (FISQL_HELD_RAN). */
void decode_write_held(struct decoder *decoder, uint64_t held);
/* Takes all that out of the open calls, at the first event behind it. */
int decode_write_ends(struct decoder *decoder, struct error *error);
/* Sorts the thread's writes by call. */
void decode_writes_sort(struct decoded_thread *thread);

/* decode_values.c: a thread begins. */
int decode_values_begin(struct decoder *decoder, struct error *error);
/* ARGUMENTS or RESULT. */
int decode_values(struct decoder *decoder, const struct event *event, enum behind behind,
                  struct error *error);
/* The call values.innermost ended; decoder->ended describes it. */
int decode_values_leave(struct decoder *decoder, uint64_t descendants, enum ended ended,
                        struct error *error);
int decode_values_end(struct decoder *decoder, struct error *error);

/* Moves the clock from the thread's last event to its end, if that is known. damaged: its last
 * chunk is. */
int decode_thread_ends(struct decoder *decoder, bool damaged, struct error *error);

/* hot_loop.c: reads enters of known pairs and exits, up to any other event. */
int decode_hot_loop(struct decoder *decoder, struct event_cursor *cursor, struct error *error);
/* The link of a call of the pair, if it began now. */
int call_link(struct decoder *decoder, uint32_t pair_index, struct link **out, struct error *error);
/* Puts an inherited call on the stack: finds its frame, adds nothing up. */
int call_inherit(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
                 struct error *error);
/* A call of the pair begins. */
int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               struct error *error);
/* Ends the innermost calls at the present time until `depth` are open. */
int call_leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                       struct error *error);

/* A call through the link begins, with the present event: its weight (struct row). */
static inline uint32_t decode_weight(struct decoder *decoder, struct link *link)
{
    if (!decoder->hooks.sampled)
        return 1;
    link->estimate.caller =
        call_stack_has_own(&decoder->stack) ? call_stack_top(&decoder->stack)->link : NULL;
    if (!decoder->hooks.timed) {
        decoder->hooks.untimed += decoder->hooks.spares;
        link->estimate.untimed += link->estimate.untimed < UINT32_MAX;
        return 0;
    }
    uint32_t weight = link->estimate.untimed + 1;
    link->estimate.untimed = 0;
    return weight;
}

/* An event was decoded. Between two events with times lie others; who waited there, of the calls that came
 * and went, is not known. */
static inline void decode_note_depth(struct decoder *decoder, bool has_time)
{
    uint32_t depth = decoder->stack.depth;
    if (__builtin_expect(decoder->hooks.sampled, 0) &&
        (has_time || depth < decoder->hooks.depth_least))
        decoder->hooks.depth_least = depth;
}

/* decoded_thread.c: adds the links' tallies up for the thread. */
int decode_fold_thread(struct decoder *decoder, struct error *error);

/* decode_records.c: has the rows of the open calls written, as a record names them. */
void decode_want_open(struct decoder *decoder);

/* Adds a record at the present instant and innermost open call, with a copy of `text` (NULL =
 * none). Valid until the next one is added; NULL without memory. */
struct decode_record *decode_record(struct decoder *decoder, enum decode_kind kind,
                                    const void *text, size_t bytes, struct error *error);
void decode_records_release(struct decode_records *records);

/* Keeps an incident, or adds to the text of the thread's last one. */
int decode_incident(struct decoder *decoder, const struct event *event, struct error *error);

#endif
