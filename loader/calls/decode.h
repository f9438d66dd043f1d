/*
 * Decoding: from the event chunks of a thread to its calls. Each thread of the log is decoded by
 * one worker; workers run side by side and share the tree of frames and the program. Rows of
 * `calls` go straight into a part of the b-tree; all that is added up stays in the worker's rollup.
 */
#ifndef FISQL_LOADER_CALLS_DECODE_H
#define FISQL_LOADER_CALLS_DECODE_H

#include <stdint.h>

#include "loader/sqlite/btree.h"
#include "loader/log/clock.h"
#include "base/error.h"
#include "loader/calls/call_picture.h"
#include "loader/calls/call_rows.h"
#include "loader/calls/decode_losses.h"
#include "loader/calls/frames.h"
#include "loader/calls/gaps.h"
#include "loader/calls/hook_costs.h"
#include "loader/calls/kept_rows.h"
#include "loader/log/log_index.h"
#include "loader/memory/memory.h"
#include "loader/program/program.h"
#include "loader/calls/rollup.h"
#include "loader/values/value_calls.h"

/* What all workers share. */
struct decode_shared {
    const struct log_index *index; /* nobody changes it while threads are decoded */
    const struct clock_map *clock;
    struct program *program;
    struct frames *frames;
    struct memory *memory;
    struct btree_file *file; /* NULL: no rows of calls are written */
    bool keeps;              /* only some rows: `kept` says which besides the rule's; no frames */
    struct kept_rows kept;
    const struct hook_costs *costs;
    struct picture_scale scale;
    struct helpers *helpers; /* NULL = decoders write their own rows */
    struct value_shared *values;
    uint64_t calls_done; /* atomic; for the progress */
    uint64_t bytes_done; /* of the log; atomic, for the progress */
};

struct thread_function {
    uint32_t function;
    uint64_t calls, raw_total_ns, total_hooks_ps;
    struct tally_self self;
    struct off_sums off;
    uint64_t first_call, last_call;
};

enum decode_kind {
    DECODE_NOTE,
    DECODE_CHECKPOINT, /* or another point with values */
    DECODE_PAUSE,      /* between FISQL_PAUSE and FISQL_RESUME */
    DECODE_FAULT,      /* a call that was made to fail */
    DECODE_INCIDENT,   /* something went wrong */
    DECODE_POINTERS,   /* values in the function of the incident before; text: uint64_t */
    DECODE_OBJECT,     /* what the program reported of an object (fisql.h) */
    DECODE_ANOMALY
};

/* What happened at an instant of a thread, besides calls and locks. */
struct decode_record {
    enum decode_kind kind;
    uint32_t frame, site; /* ids: of the innermost open call, of the code in it; 0 = none */
    uint32_t bytes;       /* of `text`, without its final 0 */
    uint64_t call_id, ns; /* the innermost open call, 0 = none; a pause's: the paused one */
    char *text;           /* CHECKPOINT: sound values for value_read(); NULL = none */
    union {
        const struct log_point *point; /* CHECKPOINT; NULL = the log lacks it; NOTE: NULL */
        uint64_t paused_ns;            /* without the callees' time */
        uint32_t rule;                 /* of a fault, from 0 */
        struct {
            uint64_t address;
            uint32_t signal, flags; /* as in the event */
            uint32_t inner;         /* the site at which code called by `site` failed; 0 = none */
            uint8_t kind, pointers; /* `pointers`: how many its DECODE_POINTERS have */
        } incident;
        struct {
            uint64_t address;
            int64_t number; /* a count, or a state */
            uint32_t kind;  /* enum fisql_object_kind */
        } object;
        struct {
            const char *kind;
            uint64_t calls;
            uint32_t function;
        } anomaly;
    };
};

struct decode_records {
    struct decode_record *items; /* in the log's order */
    size_t count, capacity;
    size_t last_incident; /* plus 1; 0 = none */
    uint32_t kinds;       /* the items': bits 1 << enum decode_kind */
};

/* A record of a lock (formats/log.h), with times and sites as in the database. */
struct decode_lock {
    uint64_t ns, until_ns; /* WAIT: until_ns 0 = it did not end */
    uint64_t call_id;      /* the innermost open call, 0 = none */
    uint64_t point;
    uint32_t lock, other, thread;
    uint32_t frame, site, other_site;
    uint32_t extra; /* in extras, plus 1; 0 = none */
    uint8_t what, kind, mode, count;
};

/* The numbers or guards of such a record; times in ns. */
struct decode_lock_extra {
    union {
        uint64_t numbers[5];
        uint32_t guards[FISQL_LOCK_GUARDS_MAX];
    };
};

struct decode_locks {
    struct decode_lock *items;
    size_t count, capacity;
    struct decode_lock_extra *extras;
    size_t extras_count, extras_capacity;
};

/* A call within which the log lacks calls: its own time is not known. */
struct decode_cut_call {
    uint64_t call_id;
    uint32_t function, frame;
};

struct decode_cut_calls {
    struct decode_cut_call *items;
    size_t count, capacity;
};

/* The hooks' cost from this call on. */
struct decode_cost {
    uint64_t first_call;
    struct hook_cost cost;
};

/* A chunk was written while this call was the innermost one: from start_ns on, for so long. */
struct decode_write {
    uint64_t call_id, start_ns, ns;
    uint64_t held_ns; /* of that, off the processor */
};

/* The cost of recording a thread; both lists by ascending call ids. */
struct decode_hooks {
    struct decode_cost *costs;
    size_t costs_count, costs_capacity;
    struct decode_write *writes;
    size_t writes_count, writes_capacity;
    uint64_t held_ns; /* of the writes' time: off the processor */
};

/* The result of decoding a thread. */
struct decoded_thread {
    struct btree_part *part;   /* NULL = no rows */
    struct btree_part *values; /* rows of values; NULL = no rows */
    uint64_t calls, counted, start_ns, end_ns;
    struct tally_self self;
    struct thread_function *functions;
    size_t functions_count, functions_capacity;
    struct decode_records records;
    struct decode_cut_calls cut_calls;
    struct decode_locks locks;
    struct decode_hooks hooks;
    struct decode_losses losses;
    struct thread_gaps gaps;
    struct off_sums off; /* of its calls; `self` alone is set */
    uint64_t untimed;    /* calls without times, as in struct hooks_now */
    struct thread_picture picture;
};

struct decoder;

/* A worker. Owned by the caller. */
int decoder_open(struct decoder **out, struct decode_shared *shared, struct error *error);
void decoder_close(struct decoder *decoder);

/* Decodes a thread (index in log_index.threads). Release *out in any case; zeros are released. */
int decoder_decode_thread(struct decoder *decoder, uint32_t thread, struct decoded_thread *out,
                          struct error *error);
void decoded_thread_release(struct decoded_thread *thread);

/* Of all threads: when the last one ended; how many calls were recorded, one by one or counted. */
uint64_t decoded_threads_end_ns(const struct log_index *index,
                                const struct decoded_thread *threads);
uint64_t decoded_threads_calls(const struct log_index *index, const struct decoded_thread *threads);

/* Goes through the threads' records of some kinds. */
struct record_cursor {
    const struct decoded_thread *threads;
    size_t threads_count;
    uint32_t kinds; /* bits 1 << enum decode_kind */
    size_t thread;  /* index of the last record's thread */
    size_t next;    /* index in its records */
};

/* NULL: there are no more. */
const struct decode_record *record_cursor_next(struct record_cursor *cursor);

/* No more threads follow: frees what only decoding needs. */
void decoder_end(struct decoder *decoder);

/* What the worker added up; borrowed. */
struct rollup *decoder_rollup(struct decoder *decoder);
struct value_calls *decoder_values(struct decoder *decoder);
const struct kept_rows *decoder_kept(const struct decoder *decoder);

#endif
