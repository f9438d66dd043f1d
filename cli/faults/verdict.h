/* The outcome of a run in which a call was made to fail, judged by its end, its output, and the
 * database of its log. */
#ifndef FISQL_CLI_FAULTS_VERDICT_H
#define FISQL_CLI_FAULTS_VERDICT_H

#include "cli/faults/folder.h"
#include "cli/faults/trial.h"

#include <sqlite3.h>

/* Worst first. The names are those of the column experiments.outcome. */
#define OUTCOMES(X)                                                                                \
    X(CRASH, "crash")                                                                              \
    X(BAD_FREE, "bad free")                                                                        \
    X(HANG, "hang")                                                                                \
    X(WRONG_OUTPUT, "wrong output")                                                                \
    X(LEAK, "leak")                                                                                \
    X(OTHER_STATUS, "other status")                                                                \
    X(NOT_REACHED, "not reached")                                                                  \
    X(CLEAN_ERROR, "clean error")                                                                  \
    X(UNCHANGED, "unchanged")

enum outcome {
#define OUTCOME_ENUM(name, text) OUTCOME_##name,
    OUTCOMES(OUTCOME_ENUM)
#undef OUTCOME_ENUM
        OUTCOMES_COUNT
};
const char *outcome_name(enum outcome outcome);
/* Is it the program's mistake? */
bool outcome_is_wrong(enum outcome outcome);

/* Blocks that a run without faults leaves, by the place of allocation. */
struct leak {
    char *place;
    int64_t bytes;
};

/* The runs without faults, with which we compare the others. */
struct baseline {
    struct leak *leaks; /* sorted by place */
    size_t leaks_count, leaks_room;
    int64_t free_errors, killed, losses;
    int exit_status;
    int64_t elapsed_ns, log_bytes;
    const char *name;             /* of the run whose output is kept */
    struct folder_names unstable; /* what differs between these runs; "" = the output */
};
void baseline_release(struct baseline *baseline);
/* Adds what a run without faults left; of two runs, the larger counts are kept. Returns 0, or 2
 * after saying what is wrong. */
int baseline_add(struct baseline *baseline, sqlite3 *database);

struct verdict {
    enum outcome outcome;
    int signal, exit_status;                  /* 0, -1 = none */
    int64_t leaked_bytes;                     /* -1 = not known */
    char *found_at, *found_location, *detail; /* NULL = none */
};

/* Judges a run. expected_exit: the status that reports an error, -1 = any. Release in any case. */
void verdict_reach(struct verdict *verdict, const struct trial *trial, const struct trial_end *end,
                   sqlite3 *database, const struct baseline *baseline, int expected_exit);
void verdict_release(struct verdict *verdict);

#endif
