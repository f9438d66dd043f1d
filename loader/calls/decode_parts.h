/* What the files of decode.h share: the decoder, and how it enters and leaves calls. */
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

/* What the event before was: values stand behind some alone. */
enum behind { BEHIND_OTHERS, BEHIND_ENTER, BEHIND_EXIT };

/* What the recording costs at the instant that is decoded. */
struct hooks_now {
    struct hook_cost cost; /* of the calls that are entered */
    uint64_t from_id;      /* those from this one on */
    uint64_t write_ns;     /* writing the chunk before took that, which no call knows of yet, ... */
    uint64_t held_ns;      /* ... of it off the processor */
};

struct decoder {
    struct decode_shared *shared;
    /* Of all threads that the decoder decodes. */
    struct rollup rollup;
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
        __attribute__((aligned(LARGE_ALIGN))); /* who adds up rows has it */
    struct row_window window;
    bool counted __attribute__((aligned(LARGE_ALIGN))); /* calls were counted in this thread */
    struct gaps gaps;
    struct ended_call
        ended; /* the last one; its place on the stack is untouched until another one begins */
    struct value_calls values;
    struct hooks_now hooks;
    /* Of one chunk. */
    struct dictionary dictionary;
    uint64_t end_id;         /* ids of calls that it may enter lie below */
    uint64_t chunk_first_id; /* of the calls that the chunk's own events enter */
    bool paused;             /* recording went off */
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

/* decode_snapshot.c: makes the stack what the chunk's snapshot says: what it confirms stays, other
 * calls end as lost, and calls that are new in it, *unseen of them, were entered unseen. before_ns:
 * the last event before the chunk. */
int decode_reconcile(struct decoder *decoder, const struct fisql_chunk *chunk, uint64_t before_ns,
                     uint32_t *unseen, struct error *error);
/* The innermost open call returns. */
int decode_exit(struct decoder *decoder, struct error *error);
/* The innermost `calls` calls end at once. *ended: how many were open; *outermost: the function of
 * the outermost of them, 0 = not known. */
int decode_unwind(struct decoder *decoder, uint32_t calls, uint32_t *ended, uint32_t *outermost,
                  struct error *error);

/* decode_gaps.c: the clock is at an event; if a GAP was read before it, that ends. */
int decode_gap_ends(struct decoder *decoder, struct error *error);

/* decode_trace.c: CHECKPOINT; PAUSED and RESUMED. */
int decode_checkpoint(struct decoder *decoder, const struct event *event, struct error *error);
int decode_paused(struct decoder *decoder, struct error *error);
int decode_resumed(struct decoder *decoder, struct error *error);
/* What was paused goes on unseen: from end_ns on events are missing. */
int decode_pauses_end(struct decoder *decoder, uint64_t end_ns, struct error *error);
/* The innermost call ends; if it is paused, that does, too. *paused_ns: how long it was then. */
int decode_pause_leave(struct decoder *decoder, uint64_t *paused_ns, struct error *error);

/* decode_costs.c: what hooks cost from this chunk of the log on. */
int decode_cost_begin(struct decoder *decoder, size_t chunk, struct error *error);
/* The chunk comes right behind the one before, whose writing took ticks: the time since then holds
 * it. */
void decode_write_begin(struct decoder *decoder, uint64_t ticks);
/* And kept the thread off the processor for so many ticks more. */
void decode_write_held(struct decoder *decoder, uint64_t ticks);
/* The first event since then comes: the write is taken out of the open calls. before_ns: when the
 * last event was. */
int decode_write_ends(struct decoder *decoder, uint64_t before_ns, struct error *error);
/* The thread's writes are all known. */
void decode_writes_sort(struct decoded_thread *thread);

/* decode_values.c: a thread begins; and a chunk. */
int decode_values_begin(struct decoder *decoder, struct error *error);
/* ARGUMENTS or RESULT. */
int decode_values(struct decoder *decoder, const struct event *event, enum behind behind,
                  struct error *error);
/* The call values.innermost ended, which decoder->ended tells of. */
int decode_values_leave(struct decoder *decoder, uint64_t descendants, enum ended ended,
                        struct error *error);
int decode_values_end(struct decoder *decoder, struct error *error);

/* The clock goes from the thread's last event to its end, as far as that is known. damaged: its
 * last chunk was. */
int decode_thread_ends(struct decoder *decoder, bool damaged, struct error *error);

/* hot_loop.c: reads the enters and exits that need no more than is known, up to any other event. */
int decode_hot_loop(struct decoder *decoder, struct event_cursor *cursor, struct error *error);
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

/* decoded_thread.c: adds up what the thread did. */
int decode_fold_thread(struct decoder *decoder, struct error *error);

/* decode_records.c: adds a record of now and the innermost open call, with a copy of `text` unless
 * that is NULL. Returns NULL without memory. Valid until the next one is added. */
struct decode_record *decode_record(struct decoder *decoder, enum decode_kind kind,
                                    const void *text, size_t bytes, struct error *error);
void decode_records_release(struct decode_records *records);

/* Keeps an incident, or adds to the text of the thread's last one. */
int decode_incident(struct decoder *decoder, const struct event *event, struct error *error);

#endif
