/*
 * Slices: what happened in spans of time on tracks, in any order, as Chrome's JSON and Perfetto's
 * traces have it. They are sorted by track and time, nested, and written as a log: a track becomes a
 * thread, a name a function, a slice a call, its arguments the call's.
 *
 *   slices_open
 *     slices_process, slices_track, slices_name      names of what follows; in any order
 *     slices_add                                     in the order of the source
 *   slices_write
 *   slices_close
 *
 * A slice is whole (it has a start and an end), or begins and ends by two events. At one time events
 * count in the source's order, and of whole slices the longer one is the outer. Slices of a track
 * that overlap without nesting are cut where the outer one ends, and counted.
 *
 * Memory: the names, some 100 bytes a track, and SLICES_BYTES of slices; more of them wait in a
 * temporary file, in sorted runs.
 */
#ifndef FISQL_LOADER_FOREIGN_SLICES_H
#define FISQL_LOADER_FOREIGN_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/text_pool.h"
#include "loader/foreign/log_writer.h"
#include "loader/foreign/put_values.h"

#define SLICES_BYTES (96u << 20)
#define SLICE_TIME_MAX (INT64_MAX / 8) /* nanoseconds, either way: no trace lasts a century */
#define SLICE_NAME_MAX 4000u           /* bytes; longer names are cut */
#define SLICES_NAMES_BYTES (1u << 30)  /* of all names */
#define SLICES_TRACKS_MAX 4000000u

enum slice_kind { SLICE_WHOLE, SLICE_BEGIN, SLICE_END, SLICE_MARK, SLICE_COUNTER };

/* A slice or another event. */
struct slice {
    enum slice_kind kind;
    uint32_t track, name;            /* numbers; an END needs no name */
    int64_t start_ns, end_ns;        /* end_ns: of a WHOLE one */
    const struct put_values *values; /* NULL = none; of a slice: slices_arguments() made them */
};

/* One value of a slice that has names. */
struct slice_argument {
    const char *name;
    size_t name_bytes;
    enum {
        ARGUMENT_INTEGER,
        ARGUMENT_UNSIGNED,
        ARGUMENT_FLOAT,
        ARGUMENT_POINTER,
        ARGUMENT_TEXT
    } type;
    uint64_t bits; /* of a number */
    double real;
    const char *text;
    size_t text_bytes;
};

struct slices_name {
    const char *text;
    enum fisql_point_kind kind;
    uint32_t point;         /* in the log */
    const char **arguments; /* their names, by position - 1; a counter's or a mark's likewise */
    uint32_t arguments_count;
};

struct slices_process {
    int64_t pid;
    const char *name; /* NULL = not known */
};

struct slices_track {
    uint32_t process;
    uint32_t thread; /* in its process */
    int64_t tid;
    const char *name;
};

struct slices_run {
    uint64_t offset, bytes; /* in the file */
};

/* Slices in memory, and the sorted runs of those that are not any more. */
struct slice_store {
    struct slice_key *keys;
    size_t keys_count, keys_capacity;
    unsigned char *arena;
    size_t arena_used, arena_capacity;
    bool sorted; /* the keys are, as they came */
    int file;    /* -1 = none */
    uint64_t spilled;
    struct slices_run *runs;
    size_t runs_count, runs_capacity;
};

struct slices {
    char *folder;
    struct text_pool texts;
    uint64_t texts_bytes;
    struct slices_name *names;
    size_t names_count, names_capacity;
    struct intern name_of; /* by text's place and kind */
    struct slices_process *processes;
    size_t processes_count, processes_capacity;
    struct intern process_of; /* by pid */
    struct slices_track *tracks;
    size_t tracks_count, tracks_capacity;
    struct intern track_of; /* by process, and what the caller tells tracks apart by */

    struct slice_store store;
    int64_t first_ns, last_ns;
    uint64_t events;
    struct {
        uint64_t overlapping, unmatched, arguments, at_end, deep;
    } lost; /* slices that were cut, ends without a start, arguments beyond the 30th, or of an END,
             * slices nested too deeply */
};

MUST_CHECK int slices_open(struct slices *slices, const char *folder, struct error *error);
void slices_close(struct slices *slices); /* zeros may be closed */

/* The slices' copy of a text, cut to SLICE_NAME_MAX bytes and to its first NUL; control characters
 * that end lines become spaces. NULL: no memory, or too many of them. */
const char *slices_text(struct slices *slices, const char *text, size_t bytes, struct error *error);

MUST_CHECK int slices_process(struct slices *slices, int64_t pid, uint32_t *process,
                              struct error *error);
/* The track that `kind` and `key` tell apart in its process; a new one has tid and name NULL. */
MUST_CHECK int slices_track(struct slices *slices, uint32_t process, uint32_t kind, uint64_t key,
                            int64_t tid, uint32_t *track, struct error *error);
/* A name is a text of slices_text(). */
MUST_CHECK int slices_name(struct slices *slices, enum fisql_point_kind kind, const char *text,
                           uint32_t *name, struct error *error);

/* Puts arguments in the order of the positions that the name's arguments have. */
MUST_CHECK int slices_arguments(struct slices *slices, uint32_t name,
                                const struct slice_argument *arguments, size_t count,
                                struct put_values *values, struct error *error);

MUST_CHECK int slices_add(struct slices *slices, const struct slice *slice, struct error *error);

/* Writes all of it, but no fact of the run: `run_facts` adds what it knows between. */
MUST_CHECK int slices_write(struct slices *slices, struct log_writer *writer, struct error *error);

#endif
