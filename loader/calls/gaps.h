/*
 * Gaps: what a thread did between two events far apart. Readings of its processor clock
 * (formats/events.h, GAP) show it.
 *
 * Time off the processor between two readings lies in the gap that the second one ends, except for
 * what hides in gaps too short for a reading. So it belongs to the innermost call of that gap. The
 * thread was *waiting* if it gave the processor up at least as often as it was put aside, or was
 * off it for longer than being put aside so often takes (when a wait ends on a busy machine, the
 * thread is put aside once more). Else it was put aside (*preempted*). Time that does not fit into
 * the gap has no place. The kernel counts a thread's death as giving the processor up. So a thread
 * that was killed while others kept it from running would seem to have waited. For its last gap we
 * ask the kernel how long it could have run: it waited if that is less than half of the gap. Time
 * spent waiting for the log to be written (HELD) is the recording's and not in the gaps. If part of
 * the log between two readings is missing, the second one shows nothing.
 *
 * The times of open calls. Off-processor time is rare, so calls on the stack do not hold it. A
 * second stack has an entry for each open call that has some; when such a call ends, its time goes
 * to its caller's entry. Entering a call costs nothing, leaving it one comparison.
 *
 * No number of the log is trusted: the gaps of a thread do not overlap and lie before CLOCK_NS_MAX,
 * so their sums do not overflow; sums of time without a place saturate.
 */
#ifndef FISQL_LOADER_CALLS_GAPS_H
#define FISQL_LOADER_CALLS_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/tally.h"
#include "loader/calls/thread_clock.h"
#include "loader/log/events.h"
#include "loader/log/log_index.h"

#define GAP_OFF_NS_MIN 1000 /* a reading is no better */
/* A thread that was put aside waits less than this for its turn: some milliseconds for each thread
 * that runs before it. */
#define GAP_PUT_ASIDE_NS_MAX 50000000u

/* A row of the table gaps. */
struct gap {
    uint64_t call_id; /* 0 = none */
    uint64_t start_ns, wall_ns;
    uint64_t off_ns;
    uint32_t frame;
    uint32_t waits, preemptions, minor_faults, major_faults; /* 0 where not counted */
    bool counted;
    bool paused;        /* its call was: the wait is not in the call's own waiting */
    bool has_queued;    /* the last gap of a killed thread, with queued_ns known */
    uint64_t queued_ns; /* others ran at most so long while the thread could have */
};

/* The gaps of a thread. */
struct thread_gaps {
    struct gap *items;
    size_t count, capacity;
    struct off_time off;  /* of all of them */
    uint64_t unplaced_ns; /* off the processor, in no gap */
    bool has_cpu;         /* there are two readings */
    uint64_t cpu_ns;      /* from the first to the last of them */
};

/* A reading with its instant. */
struct gap_reading {
    uint64_t ns, cpu_ns;
    uint32_t waits, preemptions, minor_faults, major_faults;
    bool counted;
};

/* The times of an open call. */
struct gap_entry {
    uint32_t depth;                       /* calls open, it included */
    bool paused;                          /* by FISQL_PAUSE, ... */
    uint64_t pause_ns, pause_children_ns; /* ... since then; its callees' time then */
    struct off_sums off;
};

/* Of the thread that is being decoded. */
struct gaps {
    struct thread_gaps *out; /* borrowed */
    const struct clock_line *line;
    bool has_first, has_base;
    uint64_t first_cpu_ns;         /* of the thread's first reading */
    struct gap_reading base;       /* the last reading */
    bool pending;                  /* a GAP was read, but not the event behind it */
    struct event_gap event;        /* that GAP ... */
    uint64_t start_tick, start_ns; /* ... and the instant at which it was read */
    uint64_t held_ns;              /* off the processor for the recording, since the base */
    struct gap_entry *entries;     /* the outermost call first */
    size_t entries_count, entries_capacity;
    uint32_t depth; /* of the last entry; UINT32_MAX = there is none */
};

/* The innermost call of a gap. */
struct gap_place {
    uint64_t call_id; /* 0 = it has none */
    uint32_t frame, depth;
};

/* Empty; release it in any case. */
void gaps_init(struct gaps *gaps);
void gaps_release(struct gaps *gaps);

/* A thread begins; its facts may hold its first reading. `out` is empty, and borrowed until the
 * next thread begins. */
void gaps_begin(struct gaps *gaps, const struct log_thread *thread, const struct clock_line *line,
                struct thread_gaps *out);

/* Something is missing here, or was not recorded: forgets earlier readings. */
void gaps_interrupt(struct gaps *gaps);

/* A GAP was read at this instant. */
void gaps_read(struct gaps *gaps, const struct event_gap *event, const struct thread_clock *clock);

/* Since the last reading, the thread was off the processor for its log for `ns`. */
void gaps_held(struct gaps *gaps, uint64_t ns);

/* The event behind a GAP comes at this instant. Call it before the event acts. */
int gaps_end(struct gaps *gaps, const struct thread_clock *clock, struct gap_place place,
             struct error *error);

/* The thread ends at end_ns, without an event since start_ns. reading: taken at its end; without
 * one, `waits` says whether the thread counts as waiting. */
int gaps_end_thread(struct gaps *gaps, uint64_t start_ns, uint64_t end_ns,
                    const struct log_reading *reading, bool waits, struct gap_place place,
                    struct error *error);

/* The entry of the innermost call, which is `depth` deep; NULL without memory. */
struct gap_entry *gaps_entry(struct gaps *gaps, uint32_t depth, struct error *error);

/* The call of the last entry ends: returns its times. Their total goes to its caller, if any. */
struct off_sums gaps_leave(struct gaps *gaps, bool has_caller);

/* Did the thread wait in the gap, or was it put aside? */
static inline bool gap_waited(const struct gap *gap)
{
    if (!gap->counted)
        return true;
    if (gap->has_queued)
        return gap->waits > gap->preemptions || gap->queued_ns < gap->off_ns / 2;
    return gap->waits > 0 && (gap->waits >= gap->preemptions ||
                              gap->off_ns / GAP_PUT_ASIDE_NS_MAX > (uint64_t)gap->preemptions);
}

/* A gap's time off the processor, by kind. */
static inline struct off_time gap_off(const struct gap *gap)
{
    bool waited = gap_waited(gap);
    return (struct off_time){waited ? gap->off_ns : 0, waited ? 0 : gap->off_ns};
}

#endif
