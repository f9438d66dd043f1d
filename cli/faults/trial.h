/*
 * One run of the program within a campaign: in a process group, a session and a folder of its own, with its own copy of
 * the input, for a limited time. It is started in a supervisor, a process that ends whatever the program leaves
 * behind and then has the run judged, so that several go on side by side.
 */
#ifndef FISQL_CLI_FAULTS_TRIAL_H
#define FISQL_CLI_FAULTS_TRIAL_H

#include "cli/faults/mirror.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* `fisql record`, in a process of its own: with these rules into that log. *status is the program's, as of wait().
 * Returns 0, or 2 after saying why it could not be run. */
typedef int record_function(const char *log, const char *const *rules, size_t rules_count,
                            char **program, int *status);

/* What all runs of a campaign have in common. Borrowed. */
struct trial_place {
    char folder[PATH_MAX];       /* where their files are; absolute */
    const struct mirror *mirror; /* the folders that they find */
    char **program;
    record_function *record;
    sigset_t signals; /* blocked where fisql was started */
};

struct trial {
    const struct trial_place *place;
    const char *
        name; /* of its files: FOLDER/NAME.bin, .out, .err, and the folders in FOLDER/NAME.work (mirror.h) */
    const char *const *rules;
    size_t rules_count;
    int64_t timeout_ns;
    int64_t log_max_bytes; /* a longer log is that of a program that does not come to an end */
};

/* How it ended. */
struct trial_end {
    bool ran;       /* else it could not be run: NAME.err says why */
    int status;     /* of wait() */
    bool timed_out; /* what ran was killed: it took too long */
    bool log_grew;  /* ... or did too much */
    bool hung;      /* the program itself was running then, not only what it had left behind */
    int64_t elapsed_ns;
};

/* What is done with a run in its supervisor; returns that process's exit status. */
typedef int judge_function(void *context, const struct trial *trial, const struct trial_end *end);

/* Starts it. Returns the supervisor's pid, or -1 after saying what is wrong. SIGTERM makes the supervisor end
 * the run, remove its files, and exit with TRIAL_STOPPED. */
enum { TRIAL_STOPPED = 120 };
pid_t trial_start(const struct trial *trial, judge_function *judge, void *context);

/* FOLDER/NAMEENDING in `path`, which it returns. */
char *trial_path(const struct trial_place *place, const char *name, const char *ending, char *path);
/* Removes its files; `keep_log`: but for its log and what it printed. */
void trial_clean(const struct trial_place *place, const char *name, bool keep_log);

#endif
