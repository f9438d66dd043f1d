/*
 * Pushing one run: the rows of each fleet table, made by the statements of queries/push/, and the
 * run's packed database.
 */
#ifndef FISQL_CLI_FLEET_PUSH_H
#define FISQL_CLI_FLEET_PUSH_H

#include "cli/fleet/store.h"

#include <stdbool.h>
#include <stddef.h>

struct push_options {
    const char *const *labels; /* KEY=VALUE; borrowed */
    size_t labels_count;
    bool calls; /* also push every call and allocation */
    bool quiet;
};

/* Checks that the text is a label. Returns 0, or 2 after saying what is wrong. */
int push_label_check(const char *label);

/* Pushes the database at `path`. Changes nothing if the store has this run with the same labels.
 * Returns 0, or 2 after saying what is wrong; then the store has nothing of the run. */
int push_run(struct store *store, const char *path, const struct push_options *options);

#endif
