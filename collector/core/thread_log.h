/* The thread log (base.h): how it begins, passes to a signal handler's hooks, and ends. */
#ifndef FISQL_COLLECTOR_CORE_THREAD_LOG_H
#define FISQL_COLLECTOR_CORE_THREAD_LOG_H

#include "collector/core/base.h"
#include "collector/core/count.h"
#include "collector/core/shadow_stack.h"
#include "collector/core/usage.h"
#include "formats/live.h"

struct call_time;
struct counted;
struct pair;

/* What a signal handler's log continues besides the shadow stack. */
struct thread_state {
    uint32_t poke;      /* atomic: another thread asks this one to begin a new chunk */
    uint32_t enter_max; /* ticks since the last event beyond which the slow path is taken: what */
    uint32_t exit_max;  /* an enter's and an exit's delta hold, and no gap (usage.h) */
    uint64_t min_ticks; /* leaf calls shorter than this are counted */
    uint32_t sample_random; /* for choosing samples: see hook_sample.h and sampled.h */
    uint32_t sample_burst;  /* samples so far in this burst */
    uint64_t start_tick;
    uint32_t sequence;        /* of the chunk being filled */
    uint32_t flags_next;      /* FISQL_FLAG_ of the next chunk */
    uint32_t filter_settings; /* process.filter_settings when it was begun */
    uint32_t counted_above; /* so many of its open calls may be recorded ones of these functions */
    const struct counted *counted; /* functions whose calls are only counted; NULL = none */
    uint32_t ended;                /* the thread is at its end: each event is written at once */
    uint32_t ring_next;            /* flight recorder: which of ring[] comes next */
    struct thread_log **ring;      /* slots of this thread's ring */
};

/* For libfisql-values.so: see values.h. */
struct log_values {
    uint32_t enter_units;  /* of the last call that was entered, arguments included */
    uint64_t sampled_word; /* after a sampled exit: its result counts, too */
};

/* All but `shadow` and `thread` belongs to the slot and its chunk. What hooks read comes first. */
struct thread_log {
    struct fisql_live_slot live; /* first: shared with fisql record, which salvages */
    uint64_t busy;               /* frame address of the hook at work, 0 = none */
    uint64_t abandoned;          /* a nested hook went on with another log, ... */
    struct fisql_chunk *chunk;   /* behind this page, or in a slot that it was lent (hand_over.h) */
    struct pair *dictionary;     /* DICTIONARY_ENTRIES */
    struct shadow_stack shadow;
    struct thread_state thread;
    struct call_time *times; /* DICTIONARY_ENTRIES: see sampled.h */
    uint64_t abandoned_word; /* ... having written out this state, ... */
    uint64_t abandoned_hook; /* ... while the hook with this frame was at work */
    uint32_t room_units;     /* of the chunk: CHUNK_UNITS, or less (log_file_room()) */
    uint32_t min_units;      /* units of the chunk when it was begun */
    uint32_t other_units;    /* units after the last event that did not enter a call */
    uint32_t victim;         /* alternates between the slots that a new pair may take */
    struct thread_log *next; /* in the process's list of logs */
    struct counts counts;
    uint32_t in_area;   /* its slot of the live area plus 1; 0 = private memory */
    uint32_t unslotted; /* it has none, and is counted in the area (unslotted) */
    uint32_t reaping;   /* the thread is gone: another one gives its logs back */
#ifdef FISQL_VALUES
    struct log_values values;
#endif
};
_Static_assert(sizeof(struct thread_log) <= FISQL_SLOT_HEADER, "a thread log's head is one page");

/* The calling thread's log; NULL while it has none. */
extern HIDDEN THREAD_LOCAL struct thread_log *current_log;
/* The same of a thread whose recording is off. */
extern HIDDEN THREAD_LOCAL struct thread_log *paused_log;
/* Not 0 while the thread ends its log: it is in the collector, though not in a hook. */
extern HIDDEN THREAD_LOCAL uint32_t thread_is_ending;

/* ---- the log's word ---- */

/* The word that follows `word` after an event of `units` units. */
static inline uint64_t word_after(uint64_t word, uint32_t units)
{
    return (word + units) ^ ((uint64_t)1 << FISQL_WORD_TOGGLE_SHIFT);
}
#define WORD_CALL ((uint64_t)1 << FISQL_WORD_CALLS_SHIFT)
#define WORD_DEPTH ((uint64_t)1 << FISQL_WORD_DEPTH_SHIFT)

static inline uint16_t *log_units(struct thread_log *log, uint64_t word)
{
    return (uint16_t *)(void *)log->chunk + fisql_word_units(word);
}

static inline uint64_t log_last_tick(const struct thread_log *log)
{
    return log->live.last_tick[fisql_word_toggle(log->live.word)];
}

/* The thread's open calls, including those that are not in the log. */
static inline uint32_t calls_open(const struct thread_log *log)
{
    return fisql_word_depth(log->live.word) + log->shadow.hidden;
}

/* The thread's next random number: its upper bits are the better ones. */
static inline uint32_t log_random(struct thread_log *log)
{
    log->thread.sample_random = log->thread.sample_random * 1664525u + 1013904223u;
    return log->thread.sample_random;
}

/* ---- beginning and ending ---- */

/* The calling thread's log; begins one if it has none. NULL if nothing is to be recorded now. */
struct thread_log *thread_log_start(void);
/* For a hook that finds its log busy: continues in another log. NULL if there is none. */
struct thread_log *thread_log_nested(struct thread_log *log);
/* Forces every thread of the process into its slow path at its next event. */
void thread_logs_poke(void);
/* Does a log of the process lie in private memory, for lack of a slot? */
bool thread_logs_unslotted(void);
/* At the process's end, for the threads that it cuts off: writes their current names, and what they
 * have recorded outside the live area. */
void thread_logs_cut_off(void);
/* For a collector that leaves the process, whose other threads are stopped and in no hook: ends the
 * logs of all threads. */
void thread_logs_leave(void);
/* Writes the thread's chunk, hands it over (hand_over.h) or keeps it (ring.h), and begins the next.
 * For the hook that holds the log, with signals blocked. */
void thread_log_flush(struct thread_log *log);
/* Ends recording for the calling thread; the log gets a loss with this reason. */
void thread_log_stop(const char *reason);
/* Ends the calling thread's log (a thread's or the process's end). ended: when it did, before what the
 * collector does at the end, from thread_usage_now(); NULL = now. */
void thread_log_finish(const char *how, const struct usage *ended);
/* The clock, and the calling thread's usage if gaps are recorded. */
void thread_usage_now(struct usage *now);
/* Recording goes off for this thread: closes its log. */
void thread_log_pause(struct thread_log *log);
void thread_log_setup(void);

/* ---- for thread_fork.c ---- */

/* Adds a log to the process's list; empties the list in a forked child. */
void thread_logs_add(struct thread_log *log);
void thread_logs_forked(void);
/* Finds the calling thread's logs with an interrupted hook, at most `room`. Returns how many. */
uint32_t thread_logs_interrupted(struct thread_log **found, uint32_t room);
/* Sets the longest deltas that the fast path takes. */
void thread_log_deltas(struct thread_log *log);
/* Writes facts of the calling thread as of `now` (NULL = now). how: how it ends, NULL at its start. */
void thread_log_facts(struct thread_log *log, const char *how, const struct usage *now);

#endif
