/*
 * The one definition of the fisql log (run.bin), for its writers (collector/, fisql record) and its
 * reader (loader/). docs/log-format.md describes the log byte by byte for people who write a
 * reader. formats/live.h has the memory in which threads fill chunks.
 *
 * A log is a sequence of chunks and nothing else. Writers append each chunk with one write(2) to an
 * O_APPEND descriptor, so all threads and processes of a run share one file without a lock, and
 * chunks never interleave. The chunks of one thread have ascending sequence numbers; other chunks
 * come in any order.
 *
 * All integers are little-endian. A chunk's length is a multiple of 8.
 */
#ifndef FISQL_FORMATS_LOG_H
#define FISQL_FORMATS_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "formats/events.h"

#define FISQL_CHUNK_MAGIC 0x4c515346u     /* "FSQL" */
#define FISQL_CHUNK_LENGTH_MAX (1u << 24) /* a longer one is damage */

/* The kinds of chunk. A payload of "facts" is pairs of NUL-terminated strings, key then value,
 * one after another, padded with NULs to the chunk's length (an empty key ends them). A reader
 * skips unknown keys. X(constant, number, name, what) */
#define FISQL_CHUNK_KINDS(X)                                                                       \
    X(RUN, 1, "run", "facts; by fisql record, or by the first process without it")                 \
    X(PROCESS, 2, "process", "facts; when a process image starts to be recorded")                  \
    X(MODULES, 3, "modules", "facts; modules loaded and unloaded")                                 \
    X(THREAD, 4, "thread", "facts; at a thread's start and again at its end")                      \
    X(EVENTS, 5, "events", "the calls and allocations of one thread")                              \
    X(LOSS, 6, "loss", "facts; what could not be written")                                         \
    X(END, 7, "end", "facts; how a process ended")                                                 \
    X(POINTS, 8, "points", "facts; what the macros of fisql_trace.h are, each before its first use")
enum fisql_chunk_kind {
#define FISQL_CHUNK_ENUM(constant, number, name, what) FISQL_CHUNK_##constant = number,
    FISQL_CHUNK_KINDS(FISQL_CHUNK_ENUM)
#undef FISQL_CHUNK_ENUM
};

/* The keys of facts, by kind. Writers and readers use this list, and docs/log-format.md shows
 * it. Times are ticks in decimal, addresses hexadecimal without 0x. RUN may come again with
 * facts known later: later chunks win. X(kind, constant, key, what a reader has to know of the
 * value) */
#define FISQL_FACTS(X)                                                                             \
    X(RUN, COMMAND, "command", "its words, quoted for a shell where they need it")                  \
    X(RUN, VERSION, "version", "of fisql")                                                         \
    X(RUN, FOLDER, "folder", "")                                                                   \
    X(RUN, STARTED, "started", "seconds since 1970")                                               \
    X(RUN, HOST, "host", "")                                                                       \
    X(RUN, OPTIONS, "options", "as in FISQL_OPTIONS")                                              \
    X(RUN, TICKS_PER_SECOND, "ticks_per_second", "")                                               \
    X(RUN, COMPRESSION, "compression", "zstd where chunks may be packed, none")                    \
    X(RUN, CPU_NS, "cpu_ns", "processor time of the program and what it waited for")               \
    X(RUN, DISK_PAUSES, "disk_pauses", "how often writes to the log took long, and what waited")   \
    X(RUN, REFERENCE_CPU_NS, "reference_cpu_ns",                                                   \
      "cpu_ns of a run without the collector (--reference)")                                       \
    X(RUN, CONTROL, "control",                                                                     \
      "all count: a change's CLOCK_MONOTONIC ns, process_key or 0, word, argument")                \
    X(RUN, VALUES, "values_of", "patterns of record --values, separated by spaces; empty = all")   \
    X(RUN, EXPRESSIONS, "expressions", "of record --value, separated by semicolons")               \
    X(RUN, FAULT_RULES, "faults_of",                                                               \
      "of record --fault: for each rule a line with its target, a tab, its action, a tab, the "    \
      "whole rule")                                                                                \
    X(RUN, FAULT_COUNTS, "faults_counted",                                                         \
      "for each rule a line: calls that met its conditions, a space, how many of them failed")     \
    X(RUN, NOT_FOLLOWED, "not_followed", "programs without hooks that could not be followed")      \
    X(RUN, EARLIER_LOGS, "earlier_logs",                                                           \
      "of this run; each took up where the one before ended (--rotate)")                           \
    X(RUN, CONTINUED, "continued", "1 = the run goes on in another log")                           \
    X(RUN, TORN, "torn",                                                                           \
      "all count: an offset and bytes, the start of a chunk that is whole elsewhere")              \
    X(RUN, RANK, "rank", "of an MPI job, by its launcher")                                         \
    X(RUN, RANKS, "ranks", "how many the job has")                                                 \
    X(RUN, SOURCE, "source",                                                                       \
      "the format that fisql load made this log of: uftrace, chrome, perfetto")                    \
    X(PROCESS, EXECUTABLE, "executable", "")                                                       \
    X(PROCESS, COMMAND, "command", "")                                                             \
    X(PROCESS, PARENT_PID, "parent_pid", "")                                                       \
    X(PROCESS, PARENT_PROCESS, "parent_process",                                                   \
      "process_key of the fork's parent or of the image that exec'd, hexadecimal")                 \
    X(PROCESS, ORIGIN, "origin", "start, fork, exec, attach")                                      \
    X(PROCESS, START_TICK, "start_tick", "")                                                       \
    X(PROCESS, FORK_TICK, "fork_tick",                                                             \
      "when the parent was about to fork: the fork came between the two")                          \
    X(PROCESS, ALLOC_OWN_MALLOC, "alloc_own_malloc",                                               \
      "the executable, where its malloc is not the collector's: allocations are not recorded")     \
    X(PROCESS, CLOCK, "clock", "tsc, cntvct, monotonic, none")                                     \
    X(PROCESS, TICKS_PER_SECOND, "ticks_per_second", "")                                           \
    X(PROCESS, HOOK_INSIDE_PS, "hook_inside_ps",                                                   \
      "cost of one call's two hooks in picoseconds, inside the call's own measured time")          \
    X(PROCESS, HOOK_OUTSIDE_PS, "hook_outside_ps", "the same, outside of it")                      \
    X(PROCESS, HOOK_UNTIMED_PS, "hook_untimed_ps", "the whole cost of a call without a time")      \
    X(PROCESS, HOOK_LEAF_PS, "hook_leaf_ps", "the same of a call that is written as one event")    \
    X(PROCESS, GAP_TICKS, "gap_ticks", "a longer time between two events of a thread has a GAP")   \
    X(PROCESS, SETUP_NS, "setup_ns", "processor time that the collector took to start")            \
    X(MODULES, MODULE, "module", "path, empty for an unload; begins a new one")                    \
    X(MODULES, EVENT, "event", "load, unload, patch, link")                                        \
    X(MODULES, TICK, "tick", "")                                                                   \
    X(MODULES, BUILD_ID, "build_id", "hexadecimal")                                                \
    X(MODULES, BIAS, "bias", "address added to the file's addresses")                              \
    X(MODULES, START, "start", "of its executable segments in memory")                             \
    X(MODULES, END, "end", "")                                                                     \
    X(MODULES, PATCHED, "patched", "number of functions that were patched to be recorded")         \
    X(MODULES, UNPATCHED, "unpatched", "why none was")                                             \
    X(MODULES, LEFT, "left",                                                                       \
      "a function that was not patched because a thread stood in its first bytes (record -p): "    \
      "its "                                                                                       \
      "address in the file, hexadecimal")                                                          \
    X(MODULES, TAKEN, "taken",                                                                     \
      "1: of the linked function before, calls by its address are not recorded")                   \
    X(MODULES, LINKED, "linked",                                                                   \
      "a function whose calls by others are recorded: its address in the file, hexadecimal, a "    \
      "space, its name")                                                                           \
    X(THREAD, NAME, "name", "")                                                                    \
    X(THREAD, GIVEN_NAME, "given_name", "by FISQL_THREAD(): it replaces name")                     \
    X(THREAD, START_TICK, "start_tick", "")                                                        \
    X(THREAD, END_TICK, "end_tick", "only at its end")                                             \
    X(THREAD, HOW, "how", "only at its end: exit, process-exit")                                   \
    X(THREAD, CPU_TICK, "cpu_tick", "when this and what follows was read: see GAP")                \
    X(THREAD, CPU_NS, "cpu_ns", "")                                                                \
    X(THREAD, WAITS, "waits", "")                                                                  \
    X(THREAD, PREEMPTIONS, "preemptions", "")                                                      \
    X(THREAD, MINOR_FAULTS, "minor_faults", "")                                                    \
    X(THREAD, MAJOR_FAULTS, "major_faults", "")                                                    \
    X(LOSS, REASON, "reason", "")                                                                  \
    X(LOSS, DETAIL, "detail", "")                                                                  \
    X(LOSS, CHUNKS, "chunks", "")                                                                  \
    X(LOSS, CALLS, "calls", "")                                                                    \
    X(LOSS, BYTES, "bytes", "")                                                                    \
    X(LOSS, ERRNO, "errno", "")                                                                    \
    X(LOSS, THREAD, "thread", "all, or absent: the header's")                                      \
    X(POINTS, POINT, "point", "its number in the process, in decimal; begins a new one")           \
    X(POINTS, KIND, "point_kind", "as in FISQL_POINT_KINDS")                                       \
    X(POINTS, FUNCTION, "point_function", "the function around it, in the compiler's words")       \
    X(POINTS, FILE, "point_file", "")                                                              \
    X(POINTS, LINE, "point_line", "")                                                              \
    X(POINTS, LEVEL, "point_level", "1 to 5")                                                      \
    X(POINTS, LABEL, "point_label", "of a checkpoint")                                             \
    X(POINTS, VALUES, "point_values", "the macro's arguments as the source has them")              \
    X(POINTS, ADDRESS, "point_address", "in its code")                                             \
    X(END, HOW, "how", "exit, _exit, signal")                                                      \
    X(END, STATUS, "status", "")                                                                   \
    X(END, SIGNAL, "signal", "")                                                                   \
    X(END, CORE, "core", "1 = it was dumped")                                                      \
    X(END, TICK, "tick", "")                                                                       \
    X(END, NS, "ns", "CLOCK_MONOTONIC, where a signal ended it")                                   \
    X(END, CPU_NS, "cpu_ns", "of its first thread, if a signal ended it")                          \
    X(END, WAITS, "waits", "of that thread, as are the preemptions")                               \
    X(END, PREEMPTIONS, "preemptions", "")                                                         \
    X(END, QUEUED_NS, "queued_ns", "of that thread since its start: it could run and others did")
enum fisql_fact {
#define FISQL_FACT_ENUM(kind, constant, key, what) FISQL_FACT_##kind##_##constant,
    FISQL_FACTS(FISQL_FACT_ENUM)
#undef FISQL_FACT_ENUM
        FISQL_FACTS_COUNT
};

/* The words of POINTS' point_kind. The last ones are made of other tools' traces: their texts are
 * names as they are, point_values a name a line: of a function's parameters, or of a counter's or a
 * mark's values. X(constant, word) */
#define FISQL_POINT_KINDS(X)                                                                       \
    X(FUNCTION, "scope")                                                                           \
    X(ENTRY, "scope at a checkpoint")                                                              \
    X(CHECKPOINT, "checkpoint")                                                                    \
    X(VALUE, "value")                                                                              \
    X(RESULT, "gives")                                                                             \
    X(MESSAGE, "message")                                                                          \
    X(NAMED, "function")                                                                           \
    X(EXTERNAL, "function of a library")                                                           \
    X(COUNTER, "counter")                                                                          \
    X(MARK, "mark")
enum fisql_point_kind {
#define FISQL_POINT_ENUM(constant, word) FISQL_POINT_##constant,
    FISQL_POINT_KINDS(FISQL_POINT_ENUM)
#undef FISQL_POINT_ENUM
        FISQL_POINT_KINDS_COUNT
};

static inline int fisql_point_is_plain(enum fisql_point_kind kind)
{
    return kind >= FISQL_POINT_NAMED && kind < FISQL_POINT_KINDS_COUNT;
}

static inline const char *fisql_point_word(enum fisql_point_kind kind)
{
    static const char *const words[] = {
#define FISQL_POINT_WORD(constant, word) word,
        FISQL_POINT_KINDS(FISQL_POINT_WORD)
#undef FISQL_POINT_WORD
    };
    return words[kind];
}

static inline const char *fisql_fact_key(enum fisql_fact fact)
{
    static const char *const keys[] = {
#define FISQL_FACT_KEY(kind, constant, key, what) key,
        FISQL_FACTS(FISQL_FACT_KEY)
#undef FISQL_FACT_KEY
    };
    return keys[fact];
}

/* Values on which writers and readers must agree. */
#define FISQL_CLOCK_TSC "tsc"
#define FISQL_CLOCK_CNTVCT "cntvct"
#define FISQL_CLOCK_MONOTONIC "monotonic"
#define FISQL_CLOCK_NONE "none" /* --no-time */
#define FISQL_ORIGIN_START "start"
#define FISQL_ORIGIN_FORK "fork"
#define FISQL_ORIGIN_EXEC "exec"
#define FISQL_ORIGIN_ATTACH "attach"
#define FISQL_MODULE_LOAD "load"
#define FISQL_MODULE_UNLOAD "unload"
#define FISQL_MODULE_PATCH "patch" /* it was patched, or could not be */
/* A run's `values` without --values: of library calls the results of system calls alone. */
#define FISQL_VALUES_SYSTEM_CALLS "results of system calls"
#define FISQL_MODULE_LINK                                                                          \
    "link" /* others' calls of its functions are recorded, not the functions */
#define FISQL_MODULE_LEFT "left" /* functions that were not patched among running threads */
#define FISQL_HOW_EXIT "exit"
#define FISQL_HOW_AT_ONCE "_exit"
#define FISQL_HOW_SIGNAL "signal"
#define FISQL_HOW_DETACH "detach" /* fisql record -p has left the process, which goes on */
#define FISQL_HOW_WITH_PROCESS "process-exit"
#define FISQL_LOSS_NOTHING "nothing was recorded" /* the reason of a loss of the whole run */

/* Environment variables that tell the collector where to write. X(constant, name, what) */
#define FISQL_VARIABLES(X)                                                                         \
    X(LOG, "FISQL_LOG", "the log's path")                                                          \
    X(LIVE, "FISQL_LIVE", "path of the live area; without it the process begins a run of its own") \
    X(OPTIONS, "FISQL_OPTIONS", "words separated by commas")                                       \
    X(HANDED, "FISQL_HANDED",                                                                      \
      "descriptors of log and live area, for an image that cannot open them: \"3,4\"")
enum fisql_variable {
#define FISQL_VARIABLE_ENUM(constant, name, what) FISQL_VARIABLE_##constant,
    FISQL_VARIABLES(FISQL_VARIABLE_ENUM)
#undef FISQL_VARIABLE_ENUM
};

static inline const char *fisql_variable(enum fisql_variable variable)
{
    static const char *const names[] = {
#define FISQL_VARIABLE_NAME(constant, name, what) name,
        FISQL_VARIABLES(FISQL_VARIABLE_NAME)
#undef FISQL_VARIABLE_NAME
    };
    return names[variable];
}

/* The words of FISQL_OPTIONS and of the fact "options". A decimal number follows a word that
 * ends in =. X(constant, word, what) */
#define FISQL_OPTIONS(X)                                                                           \
    X(NO_ALLOC, "no-alloc", "allocations are not recorded")                                        \
    X(NO_TIME, "no-time", "the clock is not read")                                                 \
    X(SAMPLED, "sampled", "the clock is read at some calls")                                       \
    X(START_OFF, "start-off", "recording begins switched off")                                     \
    X(DEPTH, "depth=", "levels of calls that are logged; deeper ones are counted")                 \
    X(MIN_DURATION, "min-duration=", "nanoseconds; calls that end sooner are counted")             \
    X(RING, "ring=", "chunks that a flight recorder keeps a thread")                               \
    X(NO_WAITS, "no-waits", "the threads' processor clocks are not read")                          \
    X(FILTER, "filter", "the live area says which functions are recorded")                         \
    X(VALUES, "values", "arguments and results are recorded, as the live area says")               \
    X(VALUES_WAIT, "values-wait=", "milliseconds that a program waits at its start for recipes")   \
    X(FAULTS, "faults", "calls are made to fail, as the live area says")                           \
    X(ON_ASSERT, "on-assert=", "what a failed FISQL_ASSERT does: 0 abort, 1 go on, 2 stop")        \
    X(THREADS, "threads", "only threads of chosen names or first functions are recorded")          \
    X(SAY, "say", "fisql record prints at once what the macros of fisql_trace.h say")              \
    X(PLUGIN, "plugin", "the live area names a library that processes load at their start")        \
    X(LIBRARY_CALLS, "library-calls",                                                              \
      "calls of functions in libraries that are not recorded themselves are recorded, too")        \
    X(ROTATE, "rotate", "the log may be replaced by another one: the live area counts them")       \
    X(LOCKS,                                                                                       \
      "locks=", "1: locks: waits, order, misuse and who holds them; 2: each acquisition, too")     \
    X(AS_IS, "as-is=",                                                                             \
      "1: modules without hooks are patched to be recorded; 2: those with hooks, too; 3: as 1, "   \
      "in what an emulator runs")
#define FISQL_AS_IS_GUEST 3
enum fisql_option {
#define FISQL_OPTION_ENUM(constant, word, what) FISQL_OPTION_##constant,
    FISQL_OPTIONS(FISQL_OPTION_ENUM)
#undef FISQL_OPTION_ENUM
        FISQL_OPTIONS_COUNT
};

static inline const char *fisql_option(enum fisql_option option)
{
    static const char *const words[] = {
#define FISQL_OPTION_WORD(constant, word, what) word,
        FISQL_OPTIONS(FISQL_OPTION_WORD)
#undef FISQL_OPTION_WORD
    };
    return words[option];
}

/* The numbers of on-assert=. */
enum fisql_on_assert {
    FISQL_ON_ASSERT_ABORT = 0,
    FISQL_ON_ASSERT_CONTINUE = 1,
    FISQL_ON_ASSERT_STOP = 2
};

/* Flags of a chunk. X(constant, number, name, what) */
#define FISQL_FLAGS(X)                                                                             \
    X(NO_TIME, 1, "no-time", "recorded without clock reads: every delta is 0")                     \
    X(SALVAGED, 2, "salvaged", "finished by another process after its writer died")                \
    X(RESUMED, 4, "resumed", "recording was off before this chunk: see \"snapshot\"")              \
    X(RING, 8, "ring", "a flight recorder's: earlier ones were dropped on purpose")                \
    X(FORKED, 16, "forked", "first of a forked child: its snapshot is the parent's stack")         \
    X(LOST, 32, "lost", "chunks of the thread before it could not be written: LOSS has them")      \
    X(PACKED, 64, "packed", "events: what follows the header is one zstd frame, then NULs")        \
    X(SAMPLED, 128, "sampled", "enters and exits with a delta of 0 have no time: see \"time\"")
enum fisql_flag {
#define FISQL_FLAG_ENUM(constant, number, name, what) FISQL_FLAG_##constant = number,
    FISQL_FLAGS(FISQL_FLAG_ENUM)
#undef FISQL_FLAG_ENUM
};

struct fisql_chunk {
    uint32_t magic;       /*   0 FISQL_CHUNK_MAGIC */
    uint16_t version;     /*   4 FISQL_LOG_VERSION */
    uint16_t kind;        /*   6 enum fisql_chunk_kind */
    uint32_t length;      /*   8 bytes of the chunk, header and padding included */
    uint32_t flags;       /*  12 */
    uint64_t checksum;    /*  16 fisql_checksum() of the chunk with this field as 0 */
    uint64_t run_id;      /*  24 random, the same in every chunk of a run */
    uint64_t process_key; /*  32 unique in the run for each process image */
    uint32_t pid;         /*  40 */
    uint32_t tid;         /*  44 */
    uint32_t thread;      /*  48 index of the thread in its process, from 0 */
    uint32_t sequence;    /*  52 of the EVENTS chunk in its thread, from 0; 0 for other kinds */
    uint64_t clock_tick;  /*  56 clock pair, read together when the chunk was finished: */
    uint64_t clock_ns;    /*  64 CLOCK_MONOTONIC in nanoseconds at clock_tick; 0 = there is no pair
                                 (salvaged chunks, chunks of fisql record) */
    /* The rest is 0 except in EVENTS chunks. */
    uint64_t tick_start;   /*  72 the tick that the first event's delta counts from */
    uint64_t first_call;   /*  80 calls entered by the thread before this chunk */
    uint64_t base_address; /*  88 what near definitions count from */
    uint32_t calls;        /*  96 calls entered in this chunk (counted calls not included) */
    uint32_t units;        /* 100 16-bit units of events after the snapshot */
    uint32_t open_calls;   /* 104 entries of the snapshot: the innermost of the open calls */
    uint32_t open_depth;   /* 108 calls open at the chunk's start, those left out included */
    uint64_t heap_base;    /* 112 what short addresses of allocations count from */
    uint64_t cost;         /* 120 what hooks cost here: see FISQL_COST_ */
};
_Static_assert(sizeof(struct fisql_chunk) == 128, "the chunk header is part of the log's format");

/* What hooks cost in the code that filled the chunk, in one word. Now and then a hook measures
 * itself, in ticks from its event's tick to its end. The word also has the cost of writing the
 * chunk before. */
#define FISQL_COST_ENTERS_SHIFT 0       /*  8 bits: enter hooks measured */
#define FISQL_COST_EXITS_SHIFT 8        /*  8 bits: exit hooks measured */
#define FISQL_COST_ENTER_TICKS_SHIFT 16 /* 17 bits: ticks of these enter hooks, in units of 4 */
#define FISQL_COST_EXIT_TICKS_SHIFT 33  /* 17 bits: ticks of these exit hooks, in units of 4 */
#define FISQL_COST_WRITE_SHIFT 50       /* 14 bits: processor ticks of the write, in units of 256 */
#define FISQL_COST_COUNT_MAX 0xffu
#define FISQL_COST_TICKS_MAX 0x1ffffu
#define FISQL_COST_WRITE_MAX 0x3fffu

struct fisql_cost {
    uint32_t enters, exits;
    uint64_t enter_ticks, exit_ticks, write_ticks;
};

static inline struct fisql_cost fisql_cost_unpack(uint64_t word)
{
    struct fisql_cost cost;
    cost.enters = (uint32_t)(word >> FISQL_COST_ENTERS_SHIFT) & FISQL_COST_COUNT_MAX;
    cost.exits = (uint32_t)(word >> FISQL_COST_EXITS_SHIFT) & FISQL_COST_COUNT_MAX;
    cost.enter_ticks = (word >> FISQL_COST_ENTER_TICKS_SHIFT & FISQL_COST_TICKS_MAX) * 4;
    cost.exit_ticks = (word >> FISQL_COST_EXIT_TICKS_SHIFT & FISQL_COST_TICKS_MAX) * 4;
    cost.write_ticks = (word >> FISQL_COST_WRITE_SHIFT & FISQL_COST_WRITE_MAX) * 256;
    return cost;
}

/* Caps counts and sums that do not fit at their maximum. */
static inline uint64_t fisql_cost_pack(const struct fisql_cost *cost)
{
    uint64_t enter = cost->enter_ticks / 4, exit = cost->exit_ticks / 4,
             written = cost->write_ticks / 256;
    uint64_t enters = cost->enters < FISQL_COST_COUNT_MAX ? cost->enters : FISQL_COST_COUNT_MAX;
    uint64_t exits = cost->exits < FISQL_COST_COUNT_MAX ? cost->exits : FISQL_COST_COUNT_MAX;
    enter = enter < FISQL_COST_TICKS_MAX ? enter : FISQL_COST_TICKS_MAX;
    exit = exit < FISQL_COST_TICKS_MAX ? exit : FISQL_COST_TICKS_MAX;
    written = written < FISQL_COST_WRITE_MAX ? written : FISQL_COST_WRITE_MAX;
    return enters << FISQL_COST_ENTERS_SHIFT | exits << FISQL_COST_EXITS_SHIFT |
           enter << FISQL_COST_ENTER_TICKS_SHIFT | exit << FISQL_COST_EXIT_TICKS_SHIFT |
           written << FISQL_COST_WRITE_SHIFT;
}

/* EVENTS payload: the snapshot (open_calls entries, outermost first), then the units. A reader
 * with the chunk before it (same thread, sequence one less, not RESUMED) can skip the snapshot,
 * which equals the reader's own stack. Otherwise the reader keeps the part of its own stack that
 * the snapshot confirms (function, site and enter_tick equal), closes the rest as lost, and
 * opens the other calls of the snapshot as calls whose entry was lost. In a FORKED chunk the
 * calls of the snapshot are calls of the parent's thread, not new ones. */
struct fisql_open_call {
    uint64_t function;
    uint64_t site;
    uint64_t enter_tick;
};
_Static_assert(sizeof(struct fisql_open_call) == 24, "the snapshot is part of the log's format");
#define FISQL_SNAPSHOT_MAX 256u

/* What goes wrong in a program. X(constant, number, name, what) */
#define FISQL_INCIDENT_KINDS(X)                                                                    \
    X(MORE, 0, "more", "more text")                                                                \
    X(SIGNAL, 1, "signal", "a signal that ends the program")                                       \
    X(ASSERT, 2, "assert", "a failed assert() or FISQL_ASSERT()")                                  \
    X(ABORT, 3, "abort", "abort()")                                                                \
    X(TERMINATE, 4, "terminate", "std::terminate()")                                               \
    X(STACK, 5, "stack-smashed", "a return address or the guard of a stack was overwritten")       \
    X(LIBRARY, 6, "library-abort", "the C library found damage: its heap's, a buffer's")           \
    X(STACKS, 7, "stacks", "FISQL_STACKS()")                                                       \
    X(POINTERS, 8, "pointers", "what registers and variables held")                                \
    X(DOUBLE_FREE, 9, "double-free", "a block is about to be freed a second time")
enum fisql_incident_kind {
#define FISQL_INCIDENT_ENUM(constant, number, name, what) FISQL_INCIDENT_##constant = number,
    FISQL_INCIDENT_KINDS(FISQL_INCIDENT_ENUM)
#undef FISQL_INCIDENT_ENUM
        FISQL_INCIDENT_KINDS_COUNT
};
#define FISQL_INCIDENT_ADDRESS 1u /* we know the address that could not be reached, or was freed */
#define FISQL_INCIDENT_RETURN 2u  /* a return caused it: of the call that ended last */
#define FISQL_INCIDENT_CALLER 4u  /* the code is a library's and we know its caller */
#define FISQL_INCIDENT_HEAD 19u   /* bytes before the text; with a caller 8 more */

/* What a program reports of its objects. X(constant, number, name, what follows the addresses) */
#define FISQL_OBJECT_KINDS(X)                                                                      \
    X(KEEP, 0, "keep", FISQL_OBJECT_TEXT)                                                          \
    X(KEEP_NUMBER, 1, "keep", FISQL_OBJECT_NUMBER)                                                 \
    X(REF, 2, "ref", FISQL_OBJECT_NUMBER)                                                          \
    X(UNREF, 3, "unref", FISQL_OBJECT_NUMBER)                                                      \
    X(GONE, 4, "gone", FISQL_OBJECT_NOTHING)                                                       \
    X(TELL, 5, "tell", FISQL_OBJECT_NOTHING)
enum fisql_object_kind {
#define FISQL_OBJECT_ENUM(constant, number, name, holds) FISQL_OBJECT_##constant = number,
    FISQL_OBJECT_KINDS(FISQL_OBJECT_ENUM)
#undef FISQL_OBJECT_ENUM
        FISQL_OBJECT_KINDS_COUNT
};
enum fisql_object_holds { FISQL_OBJECT_NOTHING, FISQL_OBJECT_NUMBER, FISQL_OBJECT_TEXT };
#define FISQL_OBJECT_HEAD_BYTES 17u /* of the payload, before the number or the text */
#define FISQL_OBJECT_TEXT_MAX 63u   /* bytes */

/* The kinds of thing a thread can wait for, as in LOCK: number, name. */
#define FISQL_LOCK_KINDS(X)                                                                        \
    X(MUTEX, 0, "mutex")                                                                           \
    X(RECURSIVE, 1, "recursive mutex")                                                             \
    X(RWLOCK, 2, "rwlock")                                                                         \
    X(SPIN, 3, "spin lock")                                                                        \
    X(USER, 4, "user lock")                                                                        \
    X(CONDITION, 5, "condition")                                                                   \
    X(SEMAPHORE, 6, "semaphore")                                                                   \
    X(BARRIER, 7, "barrier")                                                                       \
    X(THREAD, 8, "thread")                                                                         \
    X(ONCE, 9, "once")
enum fisql_lock_kind {
#define FISQL_LOCK_KIND_ENUM(constant, number, name) FISQL_LOCK_KIND_##constant = number,
    FISQL_LOCK_KINDS(FISQL_LOCK_KIND_ENUM)
#undef FISQL_LOCK_KIND_ENUM
        FISQL_LOCK_KINDS_COUNT
};

/* Wrong uses of a lock: number, name. */
#define FISQL_LOCK_MISUSES(X)                                                                      \
    X(UNLOCKED_BY_OTHER, 0, "unlocked by a thread that does not hold it")                          \
    X(UNLOCKED_TWICE, 1, "unlocked while nobody holds it")                                         \
    X(DESTROYED_HELD, 2, "destroyed while held")                                                   \
    X(FREED_HELD, 3, "its memory freed while held")                                                \
    X(USED_DESTROYED, 4, "used after it was destroyed")                                            \
    X(LOCKED_TWICE, 5, "locked again by the thread that holds it")                                 \
    X(CONDITION_NOT_HELD, 6, "waited with a mutex that the thread does not hold")                  \
    X(CONDITION_OTHER_MUTEX, 7, "waited with another mutex than other threads at the time")        \
    X(THREAD_ENDED, 8, "held when its thread ended")
enum fisql_lock_misuse {
#define FISQL_LOCK_MISUSE_ENUM(constant, number, name) FISQL_LOCK_MISUSE_##constant = number,
    FISQL_LOCK_MISUSES(FISQL_LOCK_MISUSE_ENUM)
#undef FISQL_LOCK_MISUSE_ENUM
        FISQL_LOCK_MISUSES_COUNT
};

/* The record of a LOCK. `lock` is a number that the process gave to a lock: a new lock at the
 * address of a destroyed one has another number. Sites are the return addresses, in the
 * process's memory, of the calls that took a lock. A point says where a thread was: the number
 * of calls that it had entered, shifted by FISQL_POINT_DEPTH_BITS, and how many were open; 0 =
 * not known. */
#define FISQL_POINT_DEPTH_BITS 24
#define FISQL_LOCK_GUARDS_MAX 10u
#define FISQL_LOCK_THREAD_NONE UINT32_MAX
enum fisql_lock_what {
    /* kind; flags in mode; numbers: address; site: where it was made or first used */
    FISQL_LOCK_DEFINE = 0,
    /* the thread begins to wait for it, in mode; thread, point, other_site: the holder and since
     * where; other: the mutex of a condition; guards: locks that it holds itself, as in ORDER, up
     * to the first 0 */
    FISQL_LOCK_WAIT = 1,
    /* the wait is over; count: 1 = the thread did not get it */
    FISQL_LOCK_WAITED = 2,
    /* --locks=all: taken without waiting, in mode */
    FISQL_LOCK_TAKEN = 3,
    /* wanted in mode while the thread holds `other` (taken at point, other_site); thread: number
     * of the order in its thread; guards: `count` other locks held, the top bit set = held to
     * read */
    FISQL_LOCK_ORDER = 4,
    /* that happened numbers[0] times more; lock: the number of the order, of `thread` */
    FISQL_LOCK_ORDERED = 5,
    /* by `thread`, since the record before; numbers: how often, ticks, the longest, tries that
     * failed; point, site: where the longest was taken */
    FISQL_LOCK_HELD = 6,
    /* kind: enum fisql_lock_misuse; thread, point, other_site: who holds or held it, or
     * destroyed it; other: the mutex of a condition */
    FISQL_LOCK_MISUSED = 7,
    /* destroyed, or the memory it lay in was freed (count = 1) */
    FISQL_LOCK_ENDED = 8,
    FISQL_LOCK_WHATS
};
#define FISQL_LOCK_READ 1u       /* mode: to read, shared; else alone */
#define FISQL_LOCK_TRIED 2u      /* mode: the wait has a limit */
#define FISQL_LOCK_OTHER_READ 4u /* mode, ORDER: `other` is held to read */
#define FISQL_LOCK_MADE 1u       /* flags, DEFINE: site is where it was made */
struct fisql_lock_record {
    uint8_t what;        /*  0 enum fisql_lock_what */
    uint8_t kind;        /*  1 enum fisql_lock_kind; MISUSED: what is wrong */
    uint8_t mode;        /*  2 FISQL_LOCK_READ ... */
    uint8_t count;       /*  3 */
    uint32_t lock;       /*  4 */
    uint64_t site;       /*  8 */
    uint32_t thread;     /* 16 thread as in chunks' headers */
    uint32_t other;      /* 20 another lock */
    uint64_t point;      /* 24 */
    uint64_t other_site; /* 32 */
    union {
        uint64_t numbers[5];                    /* 40 */
        uint32_t guards[FISQL_LOCK_GUARDS_MAX]; /* 40 */
    };
};
_Static_assert(sizeof(struct fisql_lock_record) == 80, "the record is part of the log's format");

/* How a block was allocated or freed: name for people, and family. Kinds of one family match.
 * X(constant, number, name, family) */
#define FISQL_ALLOC_KINDS(X)                                                                       \
    X(MALLOC, 0, "malloc", "malloc")                                                               \
    X(CALLOC, 1, "calloc", "malloc")                                                               \
    X(REALLOC, 2, "realloc", "malloc")                                                             \
    X(MEMALIGN, 3, "memalign", "malloc")                                                           \
    X(ALIGNED_ALLOC, 4, "aligned_alloc", "malloc")                                                 \
    X(POSIX_MEMALIGN, 5, "posix_memalign", "malloc")                                               \
    X(VALLOC, 6, "valloc", "malloc")                                                               \
    X(PVALLOC, 7, "pvalloc", "malloc")                                                             \
    X(NEW, 8, "new", "new")                                                                        \
    X(NEW_ARRAY, 9, "new[]", "new[]")                                                              \
    X(NEW_ALIGNED, 10, "new(align)", "new")                                                        \
    X(NEW_ARRAY_ALIGNED, 11, "new[](align)", "new[]")                                              \
    X(FREE, 16, "free", "malloc")                                                                  \
    X(DELETE, 17, "delete", "new")                                                                 \
    X(DELETE_ARRAY, 18, "delete[]", "new[]")                                                       \
    X(DELETE_SIZED, 19, "delete(size)", "new")                                                     \
    X(DELETE_ARRAY_SIZED, 20, "delete[](size)", "new[]")                                           \
    X(DELETE_ALIGNED, 21, "delete(align)", "new")                                                  \
    X(DELETE_ARRAY_ALIGNED, 22, "delete[](align)", "new[]")
enum fisql_alloc_kind {
#define FISQL_KIND_ENUM(constant, number, name, family) FISQL_KIND_##constant = number,
    FISQL_ALLOC_KINDS(FISQL_KIND_ENUM)
#undef FISQL_KIND_ENUM
        FISQL_KINDS_MAX = 32
};

/* The checksum: four lanes of multiply and rotate over 32-byte blocks (zeros fill a short last
 * block), folded with the length. It detects any change within one 8-byte word with certainty,
 * and others with probability 1 - 2^-64 for all practical purposes. It does not protect against
 * forgery. */
static inline uint64_t fisql_checksum_mix(uint64_t lane, uint64_t word)
{
    lane ^= word;
    return ((lane << 29) | (lane >> 35)) * 0x9e3779b97f4a7c15u;
}

static inline void fisql_checksum_block(uint64_t lane[4], const void *block, size_t size_bytes)
{
    uint64_t word[4] = {0, 0, 0, 0};
    __builtin_memcpy(word, block, size_bytes);
    lane[0] = fisql_checksum_mix(lane[0], word[0]);
    lane[1] = fisql_checksum_mix(lane[1], word[1]);
    lane[2] = fisql_checksum_mix(lane[2], word[2]);
    lane[3] = fisql_checksum_mix(lane[3], word[3]);
}

static inline uint64_t fisql_checksum(const void *data, size_t size_bytes)
{
    const unsigned char *at = (const unsigned char *)data;
    uint64_t lane[4] = {1, 2, 3, 4};
    size_t left = size_bytes;
    for (; left >= 32; left -= 32, at += 32)
        fisql_checksum_block(lane, at, 32); /* a constant size: loads, no call of memcpy */
    if (left > 0)
        fisql_checksum_block(lane, at, left);
    uint64_t sum = (uint64_t)size_bytes;
    for (int i = 0; i < 4; i++)
        sum = fisql_checksum_mix(sum, lane[i]);
    return sum ^ (sum >> 32);
}

#endif
