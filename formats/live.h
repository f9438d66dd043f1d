/*
 * The live area: the memory in which threads fill their chunks. It is a file that outlives the
 * processes of the run. With `fisql record` it is a memfd, which the collector opens through the
 * path in the environment variable FISQL_LIVE; without, it is the file RUN.bin.live beside the log.
 * So after a crash or SIGKILL, any process that finds a slot whose owner is gone can finish its
 * chunk and append it to the log (salvage).
 *
 * Layout: a page of struct fisql_live_area; from FISQL_LIVE_TAKEN on, a bit for each slot, set if
 * it is taken; then `slots` slots of slot_bytes each, the first at offset FISQL_LIVE_HEADER. The
 * file is sparse, and each process maps the slots that it uses. A slot is a page of struct
 * fisql_live_slot and then the chunk that its thread is filling, header first. The thread sets
 * magic, version, kind, run_id, process_key, pid, tid, thread, sequence, tick_start, first_call,
 * base_address, open_calls, open_depth and flags when it begins the chunk, the rest when it
 * finishes it.
 */
#ifndef FISQL_FORMATS_LIVE_H
#define FISQL_FORMATS_LIVE_H

#include "formats/log.h"

#define FISQL_LIVE_MAGIC 0x45564c53u
/* Raise the second number with each change of the area's layout. */
#define FISQL_LIVE_VERSION (FISQL_LOG_VERSION << 16 | 6u)
#define FISQL_LIVE_TAKEN 4096u
#define FISQL_LIVE_SLOTS_MAX 65536u
#define FISQL_LIVE_HEADER (FISQL_LIVE_TAKEN + FISQL_LIVE_SLOTS_MAX / 8)
#define FISQL_SLOT_HEADER 4096u
#define FISQL_LIVE_CHUNK_BYTES (128u * 1024u)
#define FISQL_LIVE_SLOT_BYTES (FISQL_SLOT_HEADER + FISQL_LIVE_CHUNK_BYTES)

/* Why we did not record an image that holds hooks. X(constant, number, words) */
#define FISQL_UNRECORDED(X)                                                                        \
    X(USER, 0, "its user or its root folder keeps it from the log")                                \
    X(COLLECTOR, 1, "its user cannot read libfisql.so, or its root folder does not have it")       \
    X(MACHINE, 2, "it is built for another kind of machine than libfisql.so")                      \
    X(LIBC, 3, "libfisql.so cannot run with its C library")                                        \
    X(STATIC, 4, "it is static and not linked by `fisql cc`")                                      \
    X(SECURE, 5, "it runs with other rights than its caller (set-user-ID and the like)")           \
    X(FOLLOWED, 6, "it holds no hooks, but what it starts cannot be recorded")                     \
    X(SECCOMP, 7, "it forbade itself system calls (seccomp): what came after that is missing")     \
    X(SECCOMP_LATER, 8,                                                                            \
      "it forbade itself system calls (seccomp): threads and processes begun after that, and "     \
      "handlers that interrupted a hook, are missing")                                             \
    X(MEMORY, 9, "its limits leave no memory to record it: allow it more (ulimit -d, ulimit -v)")  \
    X(CLOCK, 10,                                                                                   \
      "it may not read the processor's clock (PR_SET_TSC): what came after that is missing")
enum fisql_unrecorded {
#define FISQL_UNRECORDED_ENUM(constant, number, words) FISQL_UNRECORDED_##constant = number,
    FISQL_UNRECORDED(FISQL_UNRECORDED_ENUM)
#undef FISQL_UNRECORDED_ENUM
        FISQL_UNRECORDED_REASONS
};
#define FISQL_UNRECORDED_NAMES 4
struct fisql_unrecorded_images {
    uint32_t count;                         /* atomic */
    uint32_t named;                         /* atomic */
    char names[FISQL_UNRECORDED_NAMES][64]; /* of the first images */
};

/* The thread of fisql record that appends whole chunks to the log for the threads that filled
 * them. Its word is a robust futex (set_robust_list(2)): if the thread is killed, the kernel
 * sets FUTEX_OWNER_DIED there. */
#define FISQL_HANDED_MAX 64u
struct fisql_writer {
    uint32_t silent;        /* atomic, futex: some processes cannot write themselves */
    uint32_t serves_silent; /* a thread serves these */
    uint32_t alive;         /* atomic: its thread id; 0 = none, and threads write their chunks */
    uint32_t asleep;        /* atomic: it waits for `wake` to change */
    uint32_t wake;          /* futex */
    /* it compresses chunks, so whole ones do not end up at multiples of their size */
    uint32_t packs;
    uint64_t log_end; /* atomic: where the last write to the log ended */
    /* atomic, futex: the number of logs that were replaced by another one (record --rotate), times
     * 2; odd while fisql record is replacing one. A log keeps the chunks that were whole before it
     * was replaced: so each thread's chunks in a log come before those in the next one. */
    uint32_t log_epoch;
    uint32_t reserved;
    /* atomic: slots with whole chunks, plus 1; 0 = none. The writer finds these slots without
     * the list, too, but later */
    uint32_t handed[FISQL_HANDED_MAX];
};

/* A part of the file behind the slots. */
struct fisql_live_part {
    uint64_t offset, bytes; /* 0 bytes = nothing */
};

/* The start of each part in which processes leave work for a thread of fisql record. */
struct fisql_mailbox {
    uint32_t wake;  /* atomic, futex: changes when there is work */
    uint32_t alive; /* atomic: the thread's id, FUTEX_OWNER_DIED = it was killed; 0 = none */
};

/* What processes ask about modules that they have loaded: recipes of those that were not there when
 * the program started (of a library that it opens, or of another program: exec), and how to patch
 * them. A process asks by the module's path, and says which file it means. fisql record makes the
 * recipes and the plan, puts them at the end of the live area's file, writes their places into the
 * entry, and wakes the processes that wait for its state. An entry stays: this process or another
 * will load the same module again. */
#define FISQL_LATE_MAX 1024u
#define FISQL_LATE_PATH_MAX 912u
enum fisql_late_state {
    FISQL_LATE_FREE = 0,
    FISQL_LATE_WRITING = 1, /* the asking process is filling it */
    FISQL_LATE_ASKED = 2,
    FISQL_LATE_ANSWERED = 3
};
/* A module's flags, set by the asking process. */
#define FISQL_LATE_RECIPES 1u    /* recipes are wanted; with PLAN, of the entries that it patches */
#define FISQL_LATE_PLAN 2u       /* a plan is wanted if the module is to be patched */
#define FISQL_LATE_OWN 4u        /* it is the program or a library of its own */
#define FISQL_LATE_EXECUTABLE 8u /* it is the program */
#define FISQL_LATE_SANITIZED 16u /* a sanitizer of the process reads return addresses */
#define FISQL_LATE_LINKS 32u     /* of the plan, only the links are wanted: it has hooks */
struct fisql_late_module {
    uint32_t state; /* atomic, futex: enum fisql_late_state */
    uint32_t flags;
    uint64_t device, inode; /* of the file, as the asking process sees it */
    /* the answer; 0 bytes = there are none */
    struct fisql_live_part recipes;
    struct fisql_live_part plan; /* formats/patch.h */
    uint32_t patched;            /* atomic: the most functions that a process has patched */
    uint32_t linked;             /* atomic: the most functions of libraries that one has linked */
    char build_id[44];           /* of the module in memory, hexadecimal, cut; "" = it has none */
    char path[FISQL_LATE_PATH_MAX];
};
struct fisql_late {
    struct fisql_mailbox mailbox;
    struct fisql_late_module modules[FISQL_LATE_MAX];
};

/* Where a process reports an incident to `fisql record` and waits until the report is printed.
 * One process uses the box at a time: the one that put its ticket into `holder`, which fisql
 * record sets back to 0. A process that finds the box taken for long takes it over, because the
 * holder may be gone. */
#define FISQL_INCIDENT_TEXT 512u
struct fisql_incident {
    uint32_t kind;   /* enum fisql_incident_kind */
    uint32_t signal; /* 0 = none */
    uint32_t flags;  /* FISQL_INCIDENT_ADDRESS, ... */
    uint32_t pid, tid;
    uint32_t thread; /* index in its process */
    uint64_t process_key;
    uint64_t tick;
    uint64_t address, code;
    uint64_t caller; /* where the call of the code returns to (FISQL_INCIDENT_CALLER) */
    char text[FISQL_INCIDENT_TEXT]; /* ends with NUL */
};
struct fisql_incident_box {
    struct fisql_mailbox mailbox;
    uint32_t unwanted; /* the user wants no reports */
    uint32_t tickets;  /* atomic: number of tickets given out */
    uint32_t holder;   /* atomic: ticket of the process with the incident; 0 = none */
    uint32_t asked;    /* atomic: ticket to be reported */
    uint32_t begun;    /* atomic: ticket being reported, or reported last */
    uint32_t done;     /* atomic, futex: ticket reported last */
    struct fisql_incident incident;
};

/* What fisql record prints on stderr for a program: text (fisql.h: FISQL_TELL), or what a macro of
 * fisql_trace.h left (record --say): struct fisql_told_said. In a text, a line that
 * begins with FISQL_TOLD_FRAME is a frame of a stack, MODULE+0xFUNCTION (MODULE+0xPLACE),
 * counted from the start of each module's file: fisql record replaces these addresses with
 * names. An entry becomes free again when it is printed. */
#define FISQL_TOLD_MAX 32u
#define FISQL_TOLD_TEXT_MAX (64u * 1024u - 16u)
#define FISQL_TOLD_FRAME "      "
enum fisql_told_state {
    FISQL_TOLD_FREE = 0,
    FISQL_TOLD_WRITING = 1, /* the program is filling it */
    FISQL_TOLD_WHOLE = 2
};
struct fisql_told_entry {
    uint32_t state; /* atomic: enum fisql_told_state */
    uint32_t bytes : 31;
    uint32_t said : 1; /* struct fisql_told_said, not text */
    uint64_t number;   /* in the run: fisql record prints in this order */
    char text[FISQL_TOLD_TEXT_MAX];
};
/* What follows: the thread's name, the label and the names of the values, each ended by NUL and
 * missing if its number of bytes is 0, and then the values as in a CHECKPOINT event. */
struct fisql_told_said {
    uint32_t kind; /* enum fisql_point_kind */
    uint32_t name_bytes, label_bytes, names_bytes, values_bytes;
};
struct fisql_told {
    struct fisql_mailbox mailbox;
    uint64_t next; /* number of the next entry */
    uint64_t lost; /* atomic: messages that found no free entry */
    struct fisql_told_entry entries[FISQL_TOLD_MAX];
};

/* How `fisql control` has the functions of programs patched and unpatched that are recorded as they
 * are. It says what is to be recorded (struct fisql_control) and asks here; fisql record, which may
 * trace its program, stops the processes for a moment, writes, and answers. A process that has
 * patched a module while something was asked wakes the mailbox as well, without a question. */
#define FISQL_PATCHING_TEXT 1024u
struct fisql_patching {
    struct fisql_mailbox mailbox;
    uint32_t asked;      /* atomic: questions so far */
    uint32_t answered;   /* atomic, futex: the last question that has an answer */
    uint32_t with_calls; /* library calls are recorded, too */
    uint32_t reserved;
    /* what could not be done, a line each, ended by NUL */
    char text[FISQL_PATCHING_TEXT];
};

/* The parts behind the slots. Processes map each on its own. */
struct fisql_live_parts {
    struct fisql_live_part filter;    /* collector/core/filter.c; none = record all functions */
    struct fisql_live_part recipes;   /* formats/recipe.h; none = record no values */
    struct fisql_live_part late;      /* struct fisql_late: questions about modules */
    struct fisql_live_part faults;    /* formats/fault.h; none = make no calls fail */
    struct fisql_live_part incidents; /* struct fisql_incident_box */
    struct fisql_live_part told;      /* struct fisql_told; none = the program prints by itself */
    struct fisql_live_part control;   /* room for two filters: see `only` of struct fisql_control */
    struct fisql_live_part threads;   /* room for two texts of collector/core/thread_choice.c */
    struct fisql_live_part
        counts; /* room for two texts of collector/core/counted.c; see `counts` of struct fisql_control */
    struct fisql_live_part calls;    /* struct fisql_calls of formats/live_calls.h */
    struct fisql_live_part patching; /* struct fisql_patching; none = functions stay as they are */
    struct fisql_live_part patched;  /* room for struct fisql_patch_areas (formats/patch_areas.h) */
};

/* The levels up to which the macros of fisql_trace.h record, 1 to 5. Whoever maps the area may
 * change them at any time: the macros look here. */
#define FISQL_LEVEL_MAX 5u
struct fisql_levels {
    uint8_t functions; /* atomic: scopes, checkpoints, messages */
    uint8_t values;    /* atomic: values */
    uint8_t reserved[2];
};

/* The requests of `fisql control` to all processes of the run. It changes a field and then
 * `changes`. A process that finds a new number there looks for the changed fields. */
#define FISQL_CONTROL_ONLY_MAX (16u << 20)   /* bytes of a filter */
#define FISQL_CONTROL_THREADS_MAX (1u << 20) /* bytes of a choice of threads */
#define FISQL_CONTROL_COUNTS_MAX (1u << 20)  /* bytes of a text of functions to count */
struct fisql_control {
    uint32_t changes;  /* atomic */
    uint32_t switches; /* atomic: how often `recording` of the area was set */
    uint32_t dumps;    /* atomic: how often to write the flight recorders */
    /* atomic: levels of calls that are logged, plus 1; 1 = all, 0 = as it began */
    uint32_t depth;
    /* atomic: how often a filter was put into parts.control. If even, the last one is in its
     * first half */
    uint32_t only;
    uint32_t only_bytes; /* of that filter, as collector/core/filter.c reads it */
    /* atomic: how often a choice of threads was put into parts.threads. If even, the last one is in
     * its first half; 0 = all threads are recorded */
    uint32_t threads;
    uint32_t threads_bytes; /* of that text */
    /* atomic: how often a text of the functions whose calls are only to be counted was put into
     * parts.counts, which names more each time. If even, the last one is in its first half; 0 = none */
    uint32_t counts;
    uint32_t counts_bytes;        /* of that text, as collector/core/filter.c reads it */
    struct fisql_live_part marks; /* struct fisql_changes; none = do not note changes */
};

/* Is the collector starting in the process that fisql record runs? It blocks all signals
 * meanwhile. */
struct fisql_start {
    uint32_t program; /* that process's pid, as fisql record sees it; 0 = not known yet */
    uint32_t inside;  /* atomic */
};

/* Changes to the running recording, by `fisql control` or the program itself, for the log. Each
 * change takes an entry, as long as there are any: a run has FISQL_CHANGES_MAX, and the
 * program's own changes take only the first FISQL_CHANGES_OWN. We count the changes that find no
 * entry. X(constant, word) */
#define FISQL_CHANGES(X)                                                                           \
    X(START, "start")                                                                              \
    X(STOP, "stop")                                                                                \
    X(ONLY, "only")                                                                                \
    X(EXCLUDE, "exclude")                                                                          \
    X(DEPTH, "depth")                                                                              \
    X(LEVEL, "level")                                                                              \
    X(THREADS, "threads")                                                                          \
    X(MORE, "more")                                                                                \
    X(BUDGET, "budget")                                                                            \
    X(COUNTED, "counted")
enum fisql_change_what {
#define FISQL_CHANGE_ENUM(constant, word) FISQL_CHANGE_##constant,
    FISQL_CHANGES(FISQL_CHANGE_ENUM)
#undef FISQL_CHANGE_ENUM
        FISQL_CHANGES_WHATS
};
#define FISQL_CHANGES_MAX 256u
#define FISQL_CHANGES_OWN 192u
#define FISQL_CHANGE_DETAIL 224u
enum fisql_change_state {
    FISQL_CHANGE_FREE = 0,
    FISQL_CHANGE_WHOLE = 1,
    FISQL_CHANGE_WRITTEN = 2 /* to the log */
};
struct fisql_change {
    uint32_t state;       /* atomic: enum fisql_change_state */
    uint32_t what;        /* enum fisql_change_what */
    uint64_t ns;          /* CLOCK_MONOTONIC */
    uint64_t process_key; /* 0 = all processes */
    char detail[FISQL_CHANGE_DETAIL];
};
struct fisql_changes {
    uint32_t made;     /* atomic: entries taken */
    uint32_t left_out; /* atomic: changes that found no entry */
    struct fisql_change entries[FISQL_CHANGES_MAX];
};

static inline const char *fisql_change_word(uint32_t what)
{
    static const char *const words[] = {
#define FISQL_CHANGE_WORD(constant, word) word,
        FISQL_CHANGES(FISQL_CHANGE_WORD)
#undef FISQL_CHANGE_WORD
    };
    return what < FISQL_CHANGES_WHATS ? words[what] : NULL;
}

/* Notes a change if fewer than `most` entries are taken, else counts it. Async-signal-safe. */
static inline void fisql_change_note(struct fisql_changes *changes, uint32_t most,
                                     const struct fisql_change *change)
{
    uint32_t at = __atomic_load_n(&changes->made, __ATOMIC_RELAXED);
    do {
        if (at >= most) {
            __atomic_fetch_add(&changes->left_out, 1, __ATOMIC_RELAXED);
            return;
        }
    } while (!__atomic_compare_exchange_n(&changes->made, &at, at + 1, 0, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    changes->entries[at] = *change;
    __atomic_store_n(&changes->entries[at].state, FISQL_CHANGE_WHOLE, __ATOMIC_RELEASE);
}

#define FISQL_CHANGE_TEXT (FISQL_CHANGE_DETAIL + 64u)

static inline char *fisql_change_number(char *at, uint64_t number, unsigned base)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    while (count > 0)
        *at++ = digits[--count];
    *at++ = ' ';
    return at;
}

/* Makes the fact of a change, in FISQL_CHANGE_TEXT bytes. Returns 0 if the change is unknown. */
static inline int fisql_change_text(const struct fisql_change *change, char *text)
{
    const char *word = fisql_change_word(change->what);
    if (word == NULL)
        return 0;
    char *at = fisql_change_number(text, change->ns, 10);
    at = fisql_change_number(at, change->process_key, 16);
    while (*word != 0)
        *at++ = *word++;
    *at++ = ' ';
    for (uint32_t i = 0; i < FISQL_CHANGE_DETAIL && change->detail[i] != 0; i++)
        *at++ = change->detail[i];
    *at = 0;
    return 1;
}

/* Takes the entry for the log and makes its fact, once. Returns 0 if there is nothing to write. */
static inline int fisql_change_take(struct fisql_change *entry, char *text)
{
    uint32_t whole = FISQL_CHANGE_WHOLE;
    return __atomic_compare_exchange_n(&entry->state, &whole, FISQL_CHANGE_WRITTEN, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
           fisql_change_text(entry, text);
}

/* Makes one fact of all changes that found no entry, once. Returns 0 if there are none. */
static inline int fisql_change_take_rest(struct fisql_changes *changes, uint64_t ns, char *text)
{
    struct fisql_change rest = {0, FISQL_CHANGE_MORE, ns, 0, ""};
    uint32_t count = __atomic_exchange_n(&changes->left_out, 0, __ATOMIC_ACQ_REL);
    *(fisql_change_number(rest.detail, count, 10) - 1) = 0;
    return count != 0 && fisql_change_text(&rest, text);
}

/* Inode numbers of namespaces, 0 = not known: pids and start times of processes elsewhere mean nothing
 * to others. */
struct fisql_live_namespaces {
    uint64_t pid, time;
};

struct fisql_live_area {
    uint32_t magic;
    uint32_t version; /* FISQL_LIVE_VERSION */
    uint64_t run_id;
    uint32_t slot_bytes;
    uint32_t slots;             /* slots that the file has room for */
    uint32_t slots_used;        /* atomic: no slot from this one on was ever taken */
    uint32_t slots_free;        /* atomic: the word of the bits in which to look for a free slot */
    uint32_t ring_chunks;       /* flight recorder: chunks kept a thread, 0 = off */
    uint64_t process_next;      /* atomic: process_key of the next process image, from 1 */
    uint32_t recording;         /* atomic: 0 = --start-off, not yet switched on */
    struct fisql_levels levels; /* of the macros of fisql_trace.h, at once in all processes */
    uint64_t lost_chunks;       /* atomic: lost data, for fisql record to report */
    uint64_t lost_calls;
    uint64_t lost_bytes;
    uint64_t lost_errno; /* of the first loss */
    uint64_t unmirrored; /* atomic: calls of patched functions, not recorded for lack of a mirror */
    uint64_t clock_tick; /* x86-64: a reading of the TSC and of CLOCK_MONOTONIC when the area was */
    uint64_t clock_ns;   /* made, from which processes work out the TSC's rate; 0 = there is none */
    struct fisql_live_namespaces namespaces; /* of whoever made the area */
    struct fisql_live_parts parts;
    /* atomic: threads that record without a slot, or ended so with their process: their
     * unwritten data is lost with the process */
    uint64_t unslotted;
    struct fisql_unrecorded_images unrecorded[FISQL_UNRECORDED_REASONS]; /* for fisql record */
    struct fisql_writer writer;
    struct fisql_control control;
    struct fisql_start start;
};
_Static_assert(sizeof(struct fisql_live_area) <= FISQL_LIVE_TAKEN, "the bits have room");

#define FISQL_SLOT_NONE UINT32_MAX

/* The word that holds a slot's bit. */
static inline uint64_t *fisql_slot_word(struct fisql_live_area *area, uint32_t slot)
{
    return (uint64_t *)(void *)((unsigned char *)area + FISQL_LIVE_TAKEN) + slot / 64;
}

/* Takes this slot. Returns 0 if it is taken. */
static inline int fisql_slot_claim(struct fisql_live_area *area, uint32_t slot)
{
    uint64_t bit = (uint64_t)1 << slot % 64;
    if ((__atomic_fetch_or(fisql_slot_word(area, slot), bit, __ATOMIC_ACQ_REL) & bit) != 0)
        return 0;
    uint32_t used = __atomic_load_n(&area->slots_used, __ATOMIC_RELAXED);
    while (used <= slot && !__atomic_compare_exchange_n(&area->slots_used, &used, slot + 1, 0,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    return 1;
}

/* Takes a free slot from the words `word` to `words` - 1. */
static inline uint32_t fisql_slot_take_from(struct fisql_live_area *area, uint32_t word,
                                            uint32_t words)
{
    for (; word < words; word++) {
        uint64_t taken;
        while ((taken = __atomic_load_n(fisql_slot_word(area, word * 64), __ATOMIC_RELAXED)) !=
               UINT64_MAX) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(~taken);
            if (slot >= area->slots)
                return FISQL_SLOT_NONE;
            if (fisql_slot_claim(area, slot))
                return slot;
        }
    }
    return FISQL_SLOT_NONE;
}

/* Takes a free slot, the lowest one as far as known. Returns FISQL_SLOT_NONE if there is none. */
static inline uint32_t fisql_slot_take(struct fisql_live_area *area)
{
    uint32_t words = (area->slots + 63) / 64;
    uint32_t from = __atomic_load_n(&area->slots_free, __ATOMIC_RELAXED);
    uint32_t slot = fisql_slot_take_from(area, from, words);
    if (slot == FISQL_SLOT_NONE && from != 0) /* perhaps a lower one became free meanwhile */
        return fisql_slot_take_from(area, 0, words);
    if (slot != FISQL_SLOT_NONE && slot / 64 != from)
        __atomic_compare_exchange_n(&area->slots_free, &from, slot / 64, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return slot;
}

/* Gives a slot back. It must be empty. */
static inline void fisql_slot_free(struct fisql_live_area *area, uint32_t slot)
{
    uint32_t from = __atomic_load_n(&area->slots_free, __ATOMIC_RELAXED);
    __atomic_fetch_and(fisql_slot_word(area, slot), ~((uint64_t)1 << slot % 64), __ATOMIC_RELEASE);
    while (from > slot / 64 && !__atomic_compare_exchange_n(&area->slots_free, &from, slot / 64, 0,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Is it taken? */
static inline int fisql_slot_taken(struct fisql_live_area *area, uint32_t slot)
{
    return (__atomic_load_n(fisql_slot_word(area, slot), __ATOMIC_ACQUIRE) >> slot % 64 & 1) != 0;
}

/* The state of a slot's chunk in one word, so that one instruction commits an event and a signal
 * handler (or a reader after the writer's death) sees all of it or nothing. */
#define FISQL_WORD_UNITS_SHIFT 0   /* 16 bits: units used in the chunk, header and snapshot too */
#define FISQL_WORD_CALLS_SHIFT 16  /* 15 bits: calls entered in the chunk */
#define FISQL_WORD_TOGGLE_SHIFT 31 /* 1 bit: which of last_tick[] holds the last event's tick */
#define FISQL_WORD_DEPTH_SHIFT 32  /* 23 bits: calls open */
#define FISQL_WORD_FLUSH_SHIFT 55  /* 9 bits: counts the chunk's predecessors, modulo 512 */

enum fisql_slot_state {
    FISQL_SLOT_FREE = 0,
    FISQL_SLOT_TAKEN = 1, /* being prepared: has no sound chunk */
    FISQL_SLOT_LIVE = 2,  /* owner and chunk header are valid */
    /* holds a whole chunk without its checksum, for fisql record to append */
    FISQL_SLOT_WHOLE = 3,
    FISQL_SLOT_LENT = 4,    /* the log of another slot fills its chunk: see chunk_slot */
    FISQL_SLOT_PACKING = 5, /* a whole chunk being compressed; can still be taken back */
    FISQL_SLOT_WRITING = 6, /* a whole chunk being appended */
    FISQL_SLOT_RELIEVED = 7 /* fisql record keeps what it held, and frees it (live_relief.h) */
};

/* The locks of a thread (fisql record --locks). Only the thread writes here, without a lock. To
 * get a whole copy a reader reads `changes` before and after, and reads again if it is odd or
 * has changed. Addresses are the program's; ticks those of events. A point of the thread's
 * timeline is the number of calls that it had entered, shifted, and how many were open
 * (FISQL_POINT_): 0 = not known. */
#define FISQL_LIVE_HOLDS_MAX 32u
struct fisql_live_hold {
    uint64_t lock;
    uint64_t point; /* where the thread took it */
    uint64_t site;  /* return address of the call that took it */
};
/* The stack in which a thread took a lock: its innermost calls then, because a wrapper of the lock
 * returns before anyone asks. The calls around them are still open, or the reader does without. */
#define FISQL_LIVE_FRAMES_MAX 8u
#define FISQL_LIVE_STACKS_MAX 16u
struct fisql_live_frame {
    uint64_t function, site; /* as in the call's event */
};
struct fisql_live_stack {
    uint64_t tick;                                         /* then */
    uint32_t depth;                                        /* calls open then */
    uint32_t count;                                        /* of frames */
    struct fisql_live_frame frames[FISQL_LIVE_FRAMES_MAX]; /* the innermost call first */
};
struct fisql_live_locks {
    uint64_t waiting; /* the lock that the thread waits for; 0 = none */
    uint64_t waiting_tick;
    uint64_t waiting_site;
    uint64_t waiting_holder; /* tid of its holder when the waiting began; 0 = not known */
    uint32_t waiting_kind;   /* enum fisql_lock_kind */
    uint32_t changes;        /* atomic: odd while the thread writes here */
    uint32_t held;           /* locks that it holds: maybe more than there is room for */
    uint32_t waiting_mode;   /* FISQL_LOCK_: does the waiting end by itself */
    struct fisql_live_hold holds[FISQL_LIVE_HOLDS_MAX];    /* in the order of taking */
    struct fisql_live_stack stacks[FISQL_LIVE_STACKS_MAX]; /* of the first of them */
};

struct fisql_live_slot {
    uint32_t state; /* atomic: enum fisql_slot_state */
    uint32_t pid;   /* atomic: owner, 0 = not known yet; written after owner_start */
    uint64_t process_key;
    uint64_t word;         /* atomic to the thread's signals: see FISQL_WORD_ */
    uint64_t last_tick[2]; /* tick of the last event, chosen by the word's toggle */
    uint64_t first_call;   /* as in the chunk being filled */
    uint32_t thread;
    uint32_t tid;
    /* Atomic. Beyond so many units of the chunk, the thread's next hook takes its slow path, where it
     * looks for changed `control`; who changes that then sets this to 0. */
    uint32_t units_max;
    uint32_t chunk_slot;  /* atomic: the slot whose chunk this thread fills, plus 1; 0 = its own */
    uint64_t owner_start; /* field 22 of /proc/PID/stat, to notice a reused pid; 0 = not known */
    uint32_t log_epoch;   /* the writer's, when the chunk was left whole */
    struct fisql_live_locks locks;
};
_Static_assert(sizeof(struct fisql_live_slot) <= FISQL_SLOT_HEADER, "a slot's header is a page");

/* A point of a thread's timeline: how many calls it had entered, and how many were open. */
static inline uint64_t fisql_point(uint64_t calls, uint64_t depth)
{
    return calls << FISQL_POINT_DEPTH_BITS | depth;
}

static inline uint32_t fisql_word_units(uint64_t word)
{
    return (uint32_t)(word >> FISQL_WORD_UNITS_SHIFT) & 0xffffu;
}
static inline uint32_t fisql_word_calls(uint64_t word)
{
    return (uint32_t)(word >> FISQL_WORD_CALLS_SHIFT) & 0x7fffu;
}
static inline uint32_t fisql_word_toggle(uint64_t word)
{
    return (uint32_t)(word >> FISQL_WORD_TOGGLE_SHIFT) & 1u;
}
static inline uint32_t fisql_word_depth(uint64_t word)
{
    return (uint32_t)(word >> FISQL_WORD_DEPTH_SHIFT) & 0x7fffffu;
}

/* Sets the checksum of an otherwise complete chunk. */
static inline void fisql_chunk_sign(struct fisql_chunk *chunk)
{
    chunk->checksum = 0;
    chunk->checksum = fisql_checksum(chunk, chunk->length);
}

/* Completes a chunk's header: length (a multiple of 8), clock pair, checksum. */
static inline void fisql_chunk_seal(struct fisql_chunk *chunk, uint32_t length, uint64_t clock_tick,
                                    uint64_t clock_ns)
{
    chunk->length = length;
    chunk->clock_tick = clock_tick;
    chunk->clock_ns = clock_ns;
    fisql_chunk_sign(chunk);
}

/* Bytes of an EVENTS chunk before its units. */
static inline uint32_t fisql_chunk_before(const struct fisql_chunk *chunk)
{
    return (uint32_t)sizeof *chunk + chunk->open_calls * (uint32_t)sizeof(struct fisql_open_call);
}

/* Finishes a filled EVENTS chunk except for its checksum: counts, padding, the rest of its
 * header. The chunk needs room for the padding: up to 6 bytes, or up to length_min, a multiple
 * of 8. Returns the chunk's length in bytes. */
static inline uint32_t fisql_chunk_close(struct fisql_chunk *chunk, uint64_t word,
                                         uint64_t clock_tick, uint64_t clock_ns,
                                         uint32_t length_min)
{
    uint32_t used = fisql_word_units(word) * 2;
    uint32_t length = (used + 7) & ~7u;
    if (length < length_min)
        length = length_min;
    __builtin_memset((unsigned char *)chunk + used, 0, length - used);
    chunk->units = (used - fisql_chunk_before(chunk)) / 2;
    chunk->calls = fisql_word_calls(word);
    chunk->length = length;
    chunk->clock_tick = clock_tick;
    chunk->clock_ns = clock_ns;
    return length;
}

/* The same with the checksum. */
static inline uint32_t fisql_chunk_finish(struct fisql_chunk *chunk, uint64_t word,
                                          uint64_t clock_tick, uint64_t clock_ns,
                                          uint32_t length_min)
{
    uint32_t length = fisql_chunk_close(chunk, word, clock_tick, clock_ns, length_min);
    fisql_chunk_sign(chunk);
    return length;
}

/* Does the slot have a chunk with events that we can finish? The slot's bytes come from a
 * process that may have died in the middle of anything, or from a file. */
static inline int fisql_slot_sound(const struct fisql_live_slot *slot,
                                   const struct fisql_chunk *chunk, uint64_t run_id)
{
    uint32_t used = fisql_word_units(slot->word) * 2;
    return slot->state == FISQL_SLOT_LIVE && chunk->magic == FISQL_CHUNK_MAGIC &&
           chunk->version == FISQL_LOG_VERSION && chunk->kind == FISQL_CHUNK_EVENTS &&
           chunk->run_id == run_id && chunk->process_key == slot->process_key &&
           chunk->thread == slot->thread && chunk->open_calls <= FISQL_SNAPSHOT_MAX &&
           chunk->open_calls <= chunk->open_depth && used > fisql_chunk_before(chunk) &&
           used <= FISQL_LIVE_CHUNK_BYTES - 8 &&
           fisql_word_calls(slot->word) <= (used - fisql_chunk_before(chunk)) / 4;
}

/* Finishes the chunk of a slot in place of the thread that was filling it. The chunk must have
 * room for FISQL_LIVE_CHUNK_BYTES; nobody may change slot or chunk meanwhile. Returns the
 * chunk's length in bytes, 0 if the slot is not sound. */
static inline uint32_t fisql_slot_finish(const struct fisql_live_slot *slot,
                                         struct fisql_chunk *chunk, uint64_t run_id,
                                         uint64_t clock_tick, uint64_t clock_ns)
{
    if (!fisql_slot_sound(slot, chunk, run_id))
        return 0;
    chunk->flags |= FISQL_FLAG_SALVAGED;
    return fisql_chunk_finish(chunk, slot->word, clock_tick, clock_ns, 0);
}

#endif
