/*
 * One run of the program within a campaign: in its own process group, session and folder, with its
 * own copy of the input, for a limited time. A supervisor process starts it, ends whatever it
 * leaves behind, and then has it judged, so that several can run side by side.
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

/* Runs `fisql record` in a process of its own, with these rules into that log. *status is the
 * program's wait status. Returns 0, or 2 after saying why it could not be run. */
typedef int record_function(const char *log, const char *const *rules, size_t rules_count,
                            char **program, int *status);

/* What all runs of a campaign share. Borrowed. */
struct trial_place {
    char folder[PATH_MAX];       /* of their files; absolute */
    const struct mirror *mirror; /* the folders that they find */
    char **program;
    record_function *record;
    sigset_t signals; /* blocked when fisql was started */
};

struct trial {
    const struct trial_place *place;
    const char
        *name; /* of its files FOLDER/NAME.bin, .out, .err, and the folder .work (mirror.h) */
    const char *const *rules;
    size_t rules_count;
    int64_t timeout_ns;
    int64_t log_max_bytes; /* with a longer log the program counts as endless */
};

/* How a run ended. */
struct trial_end {
    bool ran;       /* else it could not be run: NAME.err says why */
    int status;     /* of wait() */
    bool timed_out; /* killed, because it took too long */
    bool log_grew;  /* ... or did too much */
    bool hung;      /* the program itself was running then, not only what it left behind */
    int64_t elapsed_ns;
};

/* Judges a run in its supervisor; returns that process's exit status. */
typedef int judge_function(void *context, const struct trial *trial, const struct trial_end *end);

/* Starts a run. Returns the supervisor's pid, or -1 after saying what is wrong. On SIGTERM the
 * supervisor ends the run, removes its files, and exits with TRIAL_STOPPED. */
enum { TRIAL_STOPPED = 120 };
pid_t trial_start(const struct trial *trial, judge_function *judge, void *context);

/* Writes FOLDER/NAMEENDING to `path`, and returns that. */
char *trial_path(const struct trial_place *place, const char *name, const char *ending, char *path);
/* Removes a run's files; `keep_log`: except the log and the output. */
void trial_clean(const struct trial_place *place, const char *name, bool keep_log);

#endif
