/*
 * Follows a running program: its calls and messages in the order in which each thread made them,
 * from the log as it grows and from the chunks that threads are filling. We stop no thread and
 * write nothing.
 *
 * Each poll first reads what was appended to the log, then the live area. A chunk that grows is
 * copied only if it has grown. We decode it from its start, because its dictionary begins there,
 * and show what is new. If a thread's next chunk is on its way from the area to the log, we wait
 * for it before we show a later one, for GAP_POLLS polls at most: also if the later one came to the log
 * first, as the last chunk of a thread does, which writes it itself.
 *
 * Memory and time are bounded: a poll decodes the last BACKLOG_BYTES of what was appended and reads
 * only the headers of the chunks before, which say how many calls that leaves out. Threads that
 * have no slot are forgotten beyond THREADS_MAX.
 */
#ifndef FISQL_LIVE_LIVE_TAIL_H
#define FISQL_LIVE_LIVE_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "live/live_source.h"
#include "loader/log/log_points.h"

#define LIVE_TAIL_NAME_MAX 128u

/* An open call. */
struct live_tail_call {
    uint64_t function; /* its address in the process, or a point's: fisql_is_point() */
    uint64_t enter_tick;
    uint32_t depth; /* calls open around it */
    uint32_t mark;  /* the reader's; 0 at first */
};

struct live_tail_thread {
    uint64_t process_key;
    uint32_t pid, tid, thread;
    char name[LIVE_TAIL_NAME_MAX]; /* "" = not known */
    bool named;                    /* by FISQL_THREAD() */
    struct live_tail_call *open;   /* the outermost known call first */
    size_t open_count, open_capacity;
    uint32_t outer;    /* calls around these: too many for a snapshot */
    uint64_t left_out; /* calls since the last poll that were not shown */
    uint64_t own;      /* the reader's; 0 at first, as is the next one */
    uint32_t looked;
    struct live_tail_place {
        uint64_t calls;    /* entered by the thread up to here */
        uint32_t sequence; /* of the chunk read last */
        uint32_t units;    /* of its events that were read */
        uint32_t seen;     /* of the whole chunk, as its slot's head said */
        uint32_t waited;   /* polls for the chunk that follows */
        bool begun;        /* a chunk was read */
        bool closed;       /* that chunk was read to its end */
        bool lost;         /* the open calls are not those of its end */
        bool slot;         /* it had a slot at the last poll */
    } at;
};

/* What a thread does. Threads, calls and texts are borrowed until the function returns. */
struct live_tail_reader {
    void *context;
    /* Is this thread followed? If not, its chunks are not decoded. */
    bool (*wants)(void *context, const struct live_tail_thread *thread);
    void (*enter)(void *context, struct live_tail_thread *thread, struct live_tail_call *call);
    /* Is also called for calls that were open before. unwound: by longjmp, an exception, or because
     * recording went off. */
    void (*leave)(void *context, struct live_tail_thread *thread, const struct live_tail_call *call,
                  uint64_t tick, bool unwound);
    /* A macro of fisql_trace.h was reached; `values` are for live_said_text(). */
    void (*reach)(void *context, struct live_tail_thread *thread, uint32_t point,
                  const unsigned char *values, size_t values_bytes, uint64_t tick);
    /* fisql_note(): its text, not terminated. */
    void (*note)(void *context, struct live_tail_thread *thread, const char *text, size_t bytes,
                 uint64_t tick);
    /* The next event ends a long time without one. cpu_ns: the thread's processor time, so many
     * ticks behind that event. May be NULL. */
    void (*gap)(void *context, struct live_tail_thread *thread, uint64_t cpu_ns,
                uint32_t reading_ticks);
};

struct live_tail;

/* Begins here and now: what threads have done so far is not shown. log: an open file, -1 = not
 * known; source and log are borrowed. NULL: no memory, with *error set. */
struct live_tail *live_tail_open(struct live_source *source, int log,
                                 const struct live_tail_reader *reader, struct error *error);
void live_tail_close(struct live_tail *tail);

/* Shows what is new. last: the recording has ended, so nothing is waited for. -1: no memory. */
int live_tail_poll(struct live_tail *tail, bool last, struct error *error);

/* The log was replaced by another one (record --rotate): reads what the old one has more, then goes on
 * in this open file, which is borrowed, too. -1: no memory. */
int live_tail_next_log(struct live_tail *tail, int log, struct error *error);

/* The threads known; NULL behind the last one. */
struct live_tail_thread *live_tail_thread(struct live_tail *tail, size_t index);

/* What a macro left, as `fisql trace` shows it after loading: "label: x = 1", a message's text. The
 * point may be NULL. Bounded; not escaped. Caller frees; NULL without memory. */
char *live_said_text(const struct log_point *point, const unsigned char *values,
                     size_t values_bytes);

#endif
