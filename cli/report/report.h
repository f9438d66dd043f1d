/*
 * What `fisql report` collects from a database, as JSON by budget.
 *
 * The page must open at once whatever the run's size, so it carries what it shows and no more. Each
 * part is a statement whose rows come by importance: it writes them until its bytes are spent, and
 * then how many rows it left out. Parts name functions, frames, sites and files by id only; writing
 * marks the ids that it uses, and the names come last, once each.
 *
 * The order of calls: report_open(), the parts, report_frames(), report_names(), report_close().
 * Functions that return int return 0, or 2 after saying what is wrong.
 */
#ifndef FISQL_CLI_REPORT_REPORT_H
#define FISQL_CLI_REPORT_REPORT_H

#include "cli/out/json.h"
#include "cli/run/names.h"

#include <stdint.h>

/* Ids that were used: one bit each. */
struct marks {
    unsigned char *bits; /* owned */
    int64_t ids_max;
};

/* What a context or a function spends itself. Time in recorded code is the sum of time on the
 * processor, waiting, and time put aside by the scheduler. */
struct spent {
    int64_t cpu_ns, wait_ns, preempted_ns, calls, bytes;
};

void spent_add(struct spent *sum, const struct spent *more);

enum mark { MARK_FUNCTIONS, MARK_FRAMES, MARK_SITES, MARK_FILES, MARKS_COUNT };

struct report {
    sqlite3 *database; /* the caller's */
    const char *path;  /* of the database, for errors; borrowed */
    struct json json;
    enum name_style names;
    long calls_max; /* in the timeline */
    long percent;   /* of every budget, for a page with more than one run */
    struct marks marks[MARKS_COUNT];
    struct timeline *timeline; /* while its calls are read */
    struct report *other;      /* what other_... refers to; the caller's, NULL = none */
};

/* A part: the rows of a statement whose columns' names say what they refer to (function_id,
 * caller_id and callee_id, frame_id, site_id, file_id, alone or after a prefix; after other_ they
 * refer to the other report of two). */
struct report_part {
    const char *key;
    const char *sql;
    long bytes_max;
};

int report_open(struct report *report);
void report_close(struct report *report);

void report_mark(struct report *report, enum mark what, int64_t id);
bool report_is_marked(const struct report *report, enum mark what, int64_t id);

/* Prepares a statement; NULL after saying what is wrong. */
sqlite3_stmt *report_prepare(struct report *report, const char *sql);

/* Says what is wrong with the database. Returns 2. */
int report_fail(struct report *report);

/* "key": {"columns": [...], "rows": [[...], ...], "left_out": n} */
int report_part(struct report *report, const struct report_part *part);

int report_run(struct report *report);             /* what ran, and how complete it is */
int report_findings(struct report *report);        /* every query's */
int report_functions(struct report *report);       /* with callers, histograms, extreme calls */
int report_memory(struct report *report);          /* by stack and over time */
int report_values(struct report *report);          /* arguments and results of functions */
int report_graph(struct report *report);           /* between files, between modules */
int report_timeline(struct report *report);        /* the longest calls, notes, gaps */
void report_timeline_begin(struct report *report); /* reads its calls beside the other parts */
void report_timeline_end(struct report *report);   /* also if one of these failed */
int report_frames(
    struct report *report); /* the calling context tree, by thread too; stacks in use */
int report_names(struct report *report); /* of what is marked */

/* The whole run as one JSON object. */
int report_write(struct report *report);

/* Writes two runs as one JSON object, {"changes": ..., "a": ..., "b": ...}, to a's stream. changes
 * has the functions of both, the largest differences first. a has compare_open()'s connection. */
int report_write_diff(struct report *a, struct report *b);

#endif
