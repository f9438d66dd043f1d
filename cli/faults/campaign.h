/*
 * A campaign: the program is run once with each call that can fail marked, to learn where they are made, and once
 * plainly, to learn what differs from run to run. Then it is run once for each context, with the first call there
 * failing, and what came of each run is written to the campaign's database.
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
    /* What is asked for. */
    const char *path;  /* of the database */
    const char *calls; /* NAME,NAME,... */
    const char *per;   /* context, site or call */
    int64_t jobs, sample, timeout_ns, keep_bytes;
    int expected_exit; /* -1 = any */
    char **program;
    record_function *record;
    bool copy;
    /* What comes of it. */
    struct trial_place place;
    struct mirror mirror;
    struct baseline baseline;
    char full_path[PATH_MAX];
    int64_t kept_bytes;
    bool held; /* the folder is ours */
};

/* Runs it. Returns 0; 2 after saying what is wrong; 128 and the number of a signal that asked us to stop. */
int campaign_run(struct campaign *campaign);

#endif
