/*
 * A campaign. We run the program once with each call that can fail marked, to learn the calls'
 * contexts, and once plainly, to learn what differs from run to run. Then we run it once for each
 * context with the first call there failing, and write what came of each run to the campaign's
 * database.
 */
#ifndef FISQL_CLI_FAULTS_CAMPAIGN_H
#define FISQL_CLI_FAULTS_CAMPAIGN_H

#include "cli/faults/trial.h"
#include "cli/faults/verdict.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { CAMPAIGN_JOBS_MAX = 64 };

struct campaign {
    /* The request. */
    const char *path;  /* of the database */
    const char *calls; /* NAME,NAME,... */
    const char *per;   /* context, site or call */
    int64_t jobs, sample, timeout_ns, keep_bytes;
    int expected_exit; /* -1 = any */
    char **program;
    record_function *record;
    bool copy;
    /* State. */
    struct trial_place place;
    struct mirror mirror;
    struct baseline baseline;
    char full_path[PATH_MAX];
    int64_t kept_bytes;
    bool held; /* we hold the folder */
};

/* Runs it. Returns 0; 2 after saying what is wrong; 128 and the number of the signal that stopped
 * us. */
int campaign_run(struct campaign *campaign);

#endif
