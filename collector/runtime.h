/*
 * The collector's own interface: what its files share. Nothing here is exported.
 *
 * How a thread records. Each thread has a thread log: the first page of a slot of the live area
 * (log_format.h), followed by the chunk that it fills. A hook sets log->busy, writes its event
 * behind what is committed, stores the new state word (this commits), clears busy and looks at
 * log->abandoned. A signal handler that interrupts a hook and calls hooks itself finds busy set: it
 * writes out what the log has committed, goes on with another thread log (the interrupted hook's
 * remaining stores go to the abandoned one, which nobody reads), and the interrupted hook then sees
 * that it was abandoned and starts again in the new log. So every event is whole and in order, no
 * signal is ever blocked on the fast path, and a handler may leave by siglongjmp.
 *
 * What may be used where: hooks call nothing in libc but clock_gettime; the slow path uses system
 * calls with all signals blocked and preserves errno. Nothing here calls malloc on purpose; libc
 * functions that might (dl_iterate_phdr, dlsym, pthread_setspecific) run with `collector_inside`
 * set, so that the allocations they make are passed through without being recorded.
 */
#ifndef FISQL_COLLECTOR_RUNTIME_H
#define FISQL_COLLECTOR_RUNTIME_H

#include "collector/clock.h"
#include "log_format.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Else each use of a variable of another file would load its address first. */
#pragma GCC visibility push(hidden)

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define EXPORT __attribute__((visibility("default")))
#define BARRIER() __asm__ volatile("" ::: "memory")

/* Where a function's frame lies: an address at a fixed distance below its caller's stack pointer,
 * so that those of two hooks can be compared. On aarch64 the frame pointer is no such thing, for
 * frames hang from it at any distance; the canonical frame address is the caller's stack pointer
 * itself. */
#if defined(__aarch64__)
#define FRAME_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#define FRAME_BELOW_CALLER 0u
#else
#define FRAME_ADDRESS() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#define FRAME_BELOW_CALLER 16u /* the return address and the saved frame pointer */
#endif

#define DICTIONARY_ENTRIES 2048u
_Static_assert(DICTIONARY_ENTRIES <= FISQL_SLOTS_MAX, "slots must fit their code");
#define SHADOW_SENTINELS                                                                           \
    2u /* entries below the outermost call, so that hooks need no test for it */
#define SHADOW_DEPTH_MAX 0x7ffff0u
#define CHUNK_UNITS (FISQL_LIVE_CHUNK_BYTES / 2)
#define CHUNK_UNITS_ROOM 64u /* kept free at a chunk's end: the longest record and the padding */

struct pair {
    uint64_t function;
    uint64_t site;
};

struct shadow_call {
    uint64_t function;
    uint64_t site;
    uint64_t stack; /* address of the hook's frame at entry */
    uint64_t tick;
};

/* What a change of the counts is about to overwrite: see count.c. */
struct count_undo {
    uint32_t active;
    uint32_t at;      /* the record that is changed, 0 = none yet */
    uint32_t defined; /* dictionary slot that is defined, plus 1; 0 = none */
    uint32_t hidden, hidden_inherited, blind;
    uint64_t word, last_tick;
    uint16_t units[8];
};

struct thread_log {
    struct fisql_live_slot live; /* first: shared with whoever salvages */
    uint64_t busy;               /* frame address of the hook at work, 0 = none */
    uint64_t abandoned;          /* a nested hook went on with another log, ... */
    uint64_t abandoned_word;     /* ... having written out this state, */
    uint64_t abandoned_hook;     /* ... while the hook with this frame was at work */
    uint32_t poke;               /* atomic: another thread asks this one to begin a new chunk */
    uint32_t blind;              /* calls open for which the shadow stack has no room */
    uint32_t units_max;          /* beyond it the slow path is taken; 0 forces that */
    uint32_t room_units;         /* of the chunk: CHUNK_UNITS, or less (log_file_room()) */
    uint32_t depth_max;          /* room of the shadow stack */
    uint32_t depth_logged;       /* calls deeper than this are not logged */
    struct pair *dictionary;     /* DICTIONARY_ENTRIES */
    struct shadow_call *shadow;  /* the outermost call is [0]; sentinels lie below */
    struct fisql_chunk *chunk;
    struct thread_log *next; /* in the process's list of logs, or of spare ones */
    /* By dictionary slot: run << 16 | unit of its count; one more entry, the last run's number. */
    uint32_t *counted;
    uint32_t counted_run; /* the run of counts that ends at ... */
    uint32_t counted_end; /* ... this unit */
    uint32_t victim;      /* alternates between the slots that a new pair may take */
    uint32_t other_units; /* units after the last event that did not enter a call */
    uint32_t undone;      /* a nested hook undid the change that was under way */
    struct count_undo undo;
    uint64_t min_ticks;        /* leaf calls shorter than this are counted */
    uint32_t sequence;         /* of the chunk being filled */
    uint32_t flags_next;       /* FISQL_FLAG_ of the next chunk */
    uint32_t in_area;          /* its slot of the live area plus 1; 0 = private memory */
    uint32_t unslotted;        /* it has none, and is counted in the area (unslotted) */
    uint32_t ended;            /* the thread is at its end: what comes still is written at once */
    uint32_t reaping;          /* the thread is gone: another one gives its logs back */
    uint32_t throw_depth;      /* calls open when an exception was thrown; 0 = none under way */
    uint32_t late;             /* recording began inside open calls: unmatched exits are theirs */
    uint32_t hidden;           /* calls open that are not in the log: --depth, or no room */
    uint32_t hidden_inherited; /* the outermost of them were open at fork: the parent counts them */
    uint32_t min_units;        /* units of the chunk when it was begun */
    uint32_t ring_next;        /* flight recorder: which of ring[] comes next */
    struct thread_log **ring;  /* slots of this thread's ring */
    uint64_t stack_low, stack_high; /* the thread's stack, 0 = not asked yet */
    uint64_t landing_stack; /* where the last longjmp or catch landed, 0 = its frame is gone */
    uint64_t start_tick;
    void *memory;                     /* the thread's private memory: see thread_memory.c */
    struct shadow_head *shadow_grown; /* where the shadow stack lies that has outgrown it */
    uint32_t shadow_pinned;           /* an interrupted hook may hold an address in it */
};
_Static_assert(sizeof(struct thread_log) <= FISQL_SLOT_HEADER, "a thread log's head is one page");

/* What a log's units_max is where nothing wants the slow path. */
static inline uint32_t units_max_of(const struct thread_log *log)
{
    return log->room_units - CHUNK_UNITS_ROOM;
}

/* Sets units_max, unless another thread pokes the log. */
static inline void log_limit_set(struct thread_log *log, uint32_t units)
{
    __atomic_store_n(&log->units_max, units, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* against thread_logs_poke() */
    if (__atomic_load_n(&log->poke, __ATOMIC_RELAXED) != 0)
        __atomic_store_n(&log->units_max, 0, __ATOMIC_RELAXED);
}

/* Recording options, set once when the process starts to record. */
struct options {
    bool alloc;           /* record allocations */
    uint32_t depth;       /* calls deeper than this are counted, 0 = no limit */
    uint64_t min_ns;      /* leaf calls shorter than this are counted */
    uint64_t min_ticks;   /* the same in ticks */
    uint32_t ring_chunks; /* flight recorder: chunks kept a thread, 0 = off */
    bool start_off;
};

enum process_state {
    PROCESS_UNDECIDED = 0,
    PROCESS_RECORDING = 1,
    PROCESS_DORMANT = 2, /* nothing in it calls the hooks: its allocations are not recorded */
    PROCESS_DECIDING = 3,
    PROCESS_NEVER = 4
};

struct process {
    enum clock_kind clock;
    uint32_t active; /* atomic: enum process_state */
    uint32_t paused; /* atomic: recording is switched off */
    uint32_t pid;
    uint32_t ending;   /* after our destructor, without fisql record: events are written at once */
    uint32_t filtered; /* functions are filtered: see filter.c */
    uint32_t thread_next; /* atomic */
    uint64_t key;
    uint64_t owner_start; /* see live_owner_start() */
    uint64_t run_id;
    uint64_t start_tick;
    uint64_t parent_key;
    uint64_t fork_tick; /* see process_forked() */
    struct options options;
    struct fisql_live_area *area;
    bool with_parent; /* fisql record holds the live area */
    char log_path[4096];
    char live_path[4096];
};
extern struct process process;

extern __thread struct thread_log *current_log __attribute__((tls_model("initial-exec")));
extern __thread int collector_inside __attribute__((tls_model("initial-exec")));

/* What the slow path needs to leave no trace in the program: errno kept, signals blocked. */
struct quiet {
    sigset_t mask;
    int error;
    int cancel; /* write() and the like must not act on a pthread_cancel() meant for the program */
};
void quiet_begin(struct quiet *quiet);
void quiet_end(const struct quiet *quiet);

/* dlsym(RTLD_NEXT, ...) unseen by signal handlers; NULL in a static program. */
void *quiet_symbol(const char *name);

/* Decides at the first sign of life whether this process is recorded, and starts recording it; a
 * dormant process starts when a hook is called. Returns whether it is recorded. Safe at any time,
 * also before main and in a signal handler. */
bool process_activate(bool by_hook);
static inline bool process_active(void)
{
    uint32_t active = __atomic_load_n(&process.active, __ATOMIC_ACQUIRE);
    return LIKELY(active == PROCESS_RECORDING) ||
           (active == PROCESS_UNDECIDED && process_activate(false));
}
static inline bool process_active_for_hook(void)
{
    return LIKELY(__atomic_load_n(&process.active, __ATOMIC_ACQUIRE) == PROCESS_RECORDING) ||
           process_activate(true);
}
/* Ends the process; in library.c. */
__attribute__((noreturn)) void library_exit(int status);
/* pthread_atfork(), in whatever C library. */
void library_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* Is it us whom the program's calls of malloc() reach, or has it a malloc() of its own? */
bool library_sees_malloc(void);

/* In a forked child: makes it a process of its own. fork_tick: when its parent was about to fork, 0
 * = not known. */
void process_forked(uint64_t fork_tick);
/* The process ends with this status, though neither exit() nor _exit() says so. */
void process_returned(int status);
/* Without fisql record: writes what was lost as a chunk, if anything was. */
void process_report_losses(void);

/* The calling thread's log, begun if it has none; NULL if nothing is to be recorded now. */
struct thread_log *thread_log_start(void);
/* Writes the thread's chunk and begins the next. Signals must be blocked. */
void thread_log_flush(struct thread_log *log);
/* Do both addresses, within the calling thread, lie on one stack? A handler may run on an alternate
 * stack, a coroutine on one of its own. */
bool stack_is_one(struct thread_log *log, uint64_t a, uint64_t b);
/* In the main thread, before another one asks. */
void stack_setup(void);
/* Called by a hook that finds its log busy: goes on in another log. NULL if there is none. */
struct thread_log *thread_log_nested(struct thread_log *log);
/* Makes room for more calls on the shadow stack. The log must be busy. Returns false if there is
 * none to be had, else the caller starts again. */
bool thread_log_deepen(struct thread_log *log);
/* Forces every thread of the process into its slow path at its next event. */
void thread_logs_poke(void);
/* Does a log of the process lie in private memory, for want of a slot? */
bool thread_logs_unslotted(void);
/* At the process's end, for the threads that it cuts off: writes their names, as they are now, and
 * what they have recorded outside the live area. */
void thread_logs_cut_off(void);
/* Before fork, in the thread that forks; after fork, in the child. */
void thread_log_forking(void);
void thread_log_forked(void);
/* In a forked child of which nothing was known at the fork: begins with no log. */
void thread_logs_forget(void);
/* Ends recording for the calling thread: the log gets a loss with this reason. */
void thread_log_stop(const char *reason);
/* Ends the calling thread's log (a thread's or the process's end). */
void thread_log_finish(const char *how);
/* Recording goes off for this thread: closes its log. */
void thread_log_pause(struct thread_log *log);
void thread_log_setup(void);
/* Flight recorder: appends the chunks kept by this thread to the log. Signals must be blocked. */
void thread_log_dump(struct thread_log *log);

/* A page that says whether this is the process that set it up, or a child that was forked from it
 * (fork.c). Hooks look at it: 1 = ours. */
#if defined(__aarch64__)
#define FORK_MARK_BYTES 65536
#else
#define FORK_MARK_BYTES 4096
#endif
union fork_mark {
    uint64_t mine;
    unsigned char page[FORK_MARK_BYTES];
} __attribute__((aligned(FORK_MARK_BYTES)));
extern union fork_mark fork_mark;
void fork_setup(void);
/* The page is empty: begins to record this process as one of its own. */
void fork_notice(void);

/* Slots of the live area: NULL when none is free. */
struct thread_log *live_slot_take(void);
void live_slot_release(struct thread_log *log);
/* Puts this process into a slot that it has taken. */
void live_slot_own(struct thread_log *log);
/* When this process started, as others can see it; 0 where they cannot. */
uint64_t live_owner_start(void);
void live_area_forked(void);
/* Opens or creates the live area. */
bool live_area_open(void);
/* Leaves a whole chunk in the live area, for fisql record to append to the log. False: it cannot.
 */
bool live_area_leave(const void *chunk, size_t size_bytes);
/* Appends what this pid's image before exec left in the live area; returns that image's
 * process_key, 0 if there was none. */
uint64_t live_area_salvage_exec(void);
/* The live area's descriptor for an image that cannot open it: as with the log's (log_file_keep()).
 */
void live_area_keep(const char *path);
bool live_area_adopt(int file, uint64_t *run_id);
int live_area_descriptor(void);
/* Maps the first page of the live area, for a process that does not record; NULL: it cannot. */
struct fisql_live_area *live_area_header(const char *path);
/* Without fisql record: removes the live area's file if no process uses it any more. */
void live_area_remove(void);

/* Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which would kill the program. Around what we do to
 * files, with signals blocked: one that waits afterwards and did not before is ours, and is taken
 * back. */
struct file_size {
    bool waiting;
};
void file_size_begin(struct file_size *limit);
void file_size_end(const struct file_size *limit);

/* open(), for files of ours: never gives the number of a standard descriptor that the program has
 * closed, for what another thread writes there would go into our file. */
int file_open(const char *path, int flags);
int file_open_at(int folder, const char *path, int flags);
/* Writes /proc/self/fd/NUMBER. */
void file_descriptor_path(int file, char path[32]);
/* Moves a descriptor to a high number, out of the program's way; closes it at exec. Returns the new
 * number, or the old one if there is no other. */
int file_move_high(int file);
int file_copy_high(int file, bool close_at_exec); /* -1: there is no number free */

/* The log file. write returns 0, or errno after counting the chunk as lost. */
int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls);
/* How many bytes the chunk that `writer` begins should be filled to, so that full chunks come to
 * lie at multiples of FISQL_LIVE_CHUNK_BYTES in the log; and what tells that it has been written.
 */
uint32_t log_file_room(const void *writer);
void log_file_room_used(const void *writer);
void log_file_forked(void);
/* The log's descriptor for an image that cannot open it: see children.h. keep opens the log if it
 * is not; adopt takes a descriptor that was handed on, if it is the log of that run; descriptor
 * gives ours, -1 if there is none. */
void log_file_keep(const char *path);
bool log_file_adopt(int file, uint64_t run_id);
int log_file_descriptor(void);
bool log_file_open(void);
/* Makes a new log. One that is there already is kept: then the new one gets a number behind its
 * name, the first that is free. */
bool log_file_create(void);

/* Facts: a chunk of key and value strings, built in a caller's buffer. */
struct facts {
    unsigned char *buffer; /* chunk header, then payload */
    size_t size_bytes, used_bytes;
};
void facts_begin(struct facts *facts, void *buffer, size_t size_bytes, enum fisql_chunk_kind kind,
                 uint32_t thread, uint32_t tid);
void facts_text(struct facts *facts, enum fisql_fact fact, const char *value);
void facts_number(struct facts *facts, enum fisql_fact fact, uint64_t value);
void facts_hex(struct facts *facts, enum fisql_fact fact, uint64_t value);
int facts_write(struct facts *facts);

/* Modules: refreshes the map from the dynamic linker and logs what changed. Signals must be
 * blocked. */
void modules_refresh(void);
/* After fork, in the child. */
void modules_forked(void);
/* Is the address in a module of the map? */
bool modules_known(uint64_t address);
/* Does any loaded module call the hooks? */
bool modules_instrumented(void);

/* Function filter (--only, --exclude), for each module. */
struct filter {
    uint64_t start, size;
    unsigned char *bits; /* one for each byte of code; NULL: no function of the module matches */
    bool passes;         /* are functions with a bit recorded, or those without? */
};
extern __thread const struct filter *filter_last __attribute__((tls_model("initial-exec")));
bool filter_passes_elsewhere(uint64_t function);

static inline bool filter_answer(const struct filter *filter, uint64_t function)
{
    uint64_t at = function - filter->start;
    bool match = filter->bits != NULL && (filter->bits[at / 8] >> (at & 7) & 1);
    return match == filter->passes;
}

/* Does it let the function at this address be recorded? Most are in the last one's module. */
static inline bool filter_passes(uint64_t function)
{
    const struct filter *filter = filter_last;
    return LIKELY(function - filter->start < filter->size) ? filter_answer(filter, function)
                                                           : filter_passes_elsewhere(function);
}
/* Takes what the live area says of it: from `offset` of its file on. False if it cannot be had. */
bool filter_load(int file, uint64_t offset, uint64_t size_bytes);
/* A module was loaded: are some of its functions filtered? */
void filter_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);

/* Events off the fast path. */
void record_unwind_to(uint64_t stack, uint64_t own_stack);
void record_throw(void);
/* Ends the calls that are open beyond the outermost `calls`. */
void record_unwind_above(uint32_t calls);
void record_alloc(unsigned kind, uint64_t address, uint64_t size_bytes, uint64_t site);
void record_free(unsigned kind, uint64_t address, uint64_t site);
void record_realloc(uint64_t start_tick, uint64_t old, uint64_t address, uint64_t size_bytes,
                    uint64_t site);
void record_note(const char *text, size_t size_bytes);

/* Counts, in count.c. The log must be busy and its chunk have room; they leave the log. They return
 * false if a nested hook undid them: then the caller starts again in the log that is current. */
enum count_kind {
    COUNT_LEAF,   /* the innermost call, whose enter is the last event */
    COUNT_HIDDEN, /* the innermost hidden call */
    COUNT_BLIND,  /* a call that is entered without a place on the shadow stack */
};
/* Ends a call, or enters it (COUNT_BLIND), that leaves a count. */
bool count_call(struct thread_log *log, const struct pair *pair, uint64_t ticks,
                enum count_kind kind);
/* Enters and ends a hidden call. */
bool count_enter(struct thread_log *log, const struct shadow_call *call);
bool count_leave(struct thread_log *log);
/* Ends a call that has no place on the shadow stack. */
bool count_leave_blind(struct thread_log *log);
/* For a nested hook, before it abandons a log: undoes a change that is under way. */
void count_undo(struct thread_log *log);

/* Measures what a call's two hooks cost, in picoseconds, inside and outside of the call's own
 * measured time. Nothing is recorded. */
void hook_cost_measure(uint64_t ticks_per_second, uint64_t *inside_ps, uint64_t *outside_ps);

/* Resolves the functions that are interposed. */
void alloc_setup(void);
/* A jump or a catch landed in a frame whose hooks would stand at `stack`: functions of the malloc
 * family whose frames are not above it were left. */
void alloc_unwound(uint64_t stack);
/* Is this the collector that the program's calls reach? A program may have libfisql.a linked in and
 * the shared library preloaded too: the latter then keeps still. */
bool alloc_is_ours(void);

/* The word that follows `word` after an event of `units` units. */
static inline uint64_t word_after(uint64_t word, uint32_t units)
{
    return (word + units) ^ ((uint64_t)1 << FISQL_WORD_TOGGLE_SHIFT);
}
#define WORD_CALL ((uint64_t)1 << FISQL_WORD_CALLS_SHIFT)
#define WORD_DEPTH ((uint64_t)1 << FISQL_WORD_DEPTH_SHIFT)

static inline uint16_t *log_units(struct thread_log *log, uint64_t word)
{
    return (uint16_t *)((unsigned char *)log + FISQL_SLOT_HEADER) + fisql_word_units(word);
}

static inline uint32_t pair_slot(uint64_t function, uint64_t site)
{
    uint64_t mixed = (function ^ (site << 7)) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(mixed >> (64 - 11));
}
_Static_assert(DICTIONARY_ENTRIES == 1u << 11, "pair_slot() takes the top 11 bits");

static inline bool pair_is(const struct thread_log *log, uint32_t slot, uint64_t function,
                           uint64_t site)
{
    const struct pair *pair = &log->dictionary[slot];
    return pair->function == function && pair->site == site;
}

/* A pair lives in the slot that it is hashed to, or in that slot's neighbour in the same cache
 * line: else two busy pairs of one slot would be defined anew at every call. Returns the slot where
 * it is, or where it is to be defined. */
static inline uint32_t pair_find(struct thread_log *log, uint64_t function, uint64_t site)
{
    uint32_t slot = pair_slot(function, site);
    if (LIKELY(pair_is(log, slot, function, site)))
        return slot;
    if (pair_is(log, slot ^ 1, function, site))
        return slot ^ 1;
    if (pair_is(log, slot, 0, 0))
        return slot;
    return pair_is(log, slot ^ 1, 0, 0) || (log->victim++ & 1) != 0 ? slot ^ 1 : slot;
}

#pragma GCC visibility pop

#endif
