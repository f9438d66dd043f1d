/* What the files of this room share. The calling context tree in memory, of report_frames.c and
 * report_threads.c: context id is items[id - 1], parents before their children. */
#ifndef FISQL_CLI_REPORT_REPORT_PARTS_H
#define FISQL_CLI_REPORT_REPORT_PARTS_H

#include "cli/report/report.h"

struct context {
    int64_t parent, function_id, site_id; /* parent: id, 0 = none */
    int64_t raw_self_ns;                  /* as measured */
    int64_t first_ns;                     /* enter of its first call */
    struct spent self, all;               /* all: with what lies below */
    double share;                         /* the largest of its shares in the run's */
    int32_t place;                        /* in what is written, -1 = not written */
    bool flame;
};

struct contexts {
    struct context *items; /* items[id - 1]; owned */
    int64_t count;
};

/* What each thread spent in the contexts that are written, those that spent most first. */
int report_threads(struct report *report, const struct contexts *contexts);

/* Writes what each function spent if functions that are not the user's own count as part of their
 * nearest own caller; nothing if all are the user's own. */
int report_own(struct report *report, const struct contexts *contexts);

/* Opens a part and the array of its rows; closes both. */
void report_part_begin(struct json *json, const char *key, const char *const *columns,
                       size_t count);
void report_part_end(struct json *json, int64_t left_out);

/* A call that the timeline shows. */
struct shown_call {
    int64_t id, function_id, duration_ns;
};

/* Writes the arguments and results of these sorted calls as text, those of the longest first. */
int report_call_values(struct report *report, struct shown_call *calls, size_t count);

#endif
