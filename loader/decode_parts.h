/* What the files of decode.h share: the stack of open calls and what belongs to it. */
#ifndef FISQL_LOADER_DECODE_PARTS_H
#define FISQL_LOADER_DECODE_PARTS_H

#include "loader/decode.h"
#include "loader/sqlite_record.h"

#define WINDOW_ROWS 32768u

enum ended { ENDED_RETURNED = 0, ENDED_UNWOUND = 1, ENDED_OPEN = 2, ENDED_LOST = 3 };

/* A function called from a site, as this thread's process knows it. */
struct pair {
    uint64_t function_address, site_address;
    uint32_t function, site;
    uint32_t open;      /* calls of it open in the thread */
    uint32_t inherited; /* of these: calls of a forked child's parent, no calls of its own */
    uint32_t frame;     /* of the outermost of them */
};

struct row {
    uint64_t enter_ns, duration_ns, children_ns, descendants, distance;
    uint32_t frame, depth;
    uint8_t ended;
    bool done;
};

struct open_call {
    struct memory_open_call head; /* first: memory reads the stack through it */
    uint64_t enter_ns, enter_tick, children_ns, child_calls;
    uint64_t function_address, site_address;
    uint64_t run;         /* length of the run of last_callee */
    uint64_t run_ns;      /* time in it */
    uint32_t last_callee; /* functions.id, 0 = none */
    uint32_t node;        /* in the trie of callee sequences */
    uint32_t pair, edge;
    bool frame_outermost;
    bool written; /* its row went out at full width */
    struct btree_place place;
    uint32_t duration_offset;
};

/* Per function, in the thread that is being decoded. */
struct function_state {
    uint32_t open;
    uint32_t thread_index; /* index + 1 in decode_thread.functions */
    bool invoked;
    uint64_t last_enter_ns;
};

struct decoder {
    struct decode_shared *shared;
    struct rollup rollup;
    struct intern frame_cache[2]; /* (parent frame, function), then (that, site) to frames.id */
    uint32_t *frame_ids;
    size_t frame_ids_capacity;
    struct function_state *states; /* by functions.id */
    size_t states_capacity;
    struct intern pair_keys; /* by addresses; of one process */
    struct pair *pairs;
    size_t pairs_capacity;
    uint32_t process; /* index that pair_keys belongs to */
    struct open_call *stack;
    size_t stack_capacity;
    uint32_t depth, inherited; /* the inherited calls lie at the stack's bottom */
    struct row *rows;
    uint64_t window_start; /* id of rows[0] */
    uint64_t next_id, end_id;
    uint32_t slots[FISQL_SLOTS_MAX]; /* pair + 1 by slot; of the chunk */
    uint32_t alloc_sites[FISQL_SLOTS_MAX];
    uint64_t tick, now_ns;
    const struct log_thread *thread;
    const struct clock_line *line;
    struct decode_thread *out;
    struct memory_thread *memory;
    struct log_reader reader; /* of the log; opened with the first thread */
    bool reader_open;
    uint64_t *unloads; /* ticks at which the process unloaded modules */
    size_t unloads_count, unloads_capacity;
};

/* The pair of a function and a site of the process that is being decoded, resolved where it is new.
 */
int decode_find_pair(struct decoder *decoder, uint64_t function, uint64_t site, uint32_t *index,
                     struct error *error);
/* When the process unloaded modules: to be called once for each process. */
int decode_find_unloads(struct decoder *decoder, struct error *error);
/* What a function did in the thread, made where it is new; valid until the next one is made. */
int decode_thread_function(struct decoder *decoder, uint32_t function, struct thread_function **out,
                           struct error *error);

/* The frame of a pair under a parent frame (0 = a root). */
int decode_find_frame(struct decoder *decoder, uint32_t parent, const struct pair *pair,
                      uint32_t *frame, struct error *error);

/* Puts a call on the stack without entering it: its frame is known then, nothing is added up. */
int call_push(struct decoder *decoder, uint32_t pair_index, struct open_call **out,
              struct error *error);
/* A call of the pair begins. */
int call_enter(struct decoder *decoder, uint32_t pair_index, uint64_t enter_tick,
               uint64_t function_address, uint64_t site_address, struct error *error);
/* Ends the innermost calls at the present time until `depth` are open. */
int call_leave_down_to(struct decoder *decoder, uint32_t depth, enum ended ended,
                       struct error *error);
/* Writes the rows that wait. */
int call_rows_flush(struct decoder *decoder, struct error *error);

#endif
