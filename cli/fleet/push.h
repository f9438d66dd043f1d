/*
 * Pushing one run: the rows of each fleet table, by the statements of queries/push/, and the run's
 * database, packed.
 */
#ifndef FISQL_CLI_FLEET_PUSH_H
#define FISQL_CLI_FLEET_PUSH_H

#include "cli/fleet/store.h"

#include <stdbool.h>
#include <stddef.h>

struct push_options {
    const char *const *labels; /* KEY=VALUE; borrowed */
    size_t labels_count;
    bool calls; /* every call and allocation, too */
    bool quiet;
};

/* Is the text a label? Says what is wrong with it. Returns 0 or 2. */
int push_label_check(const char *label);

/* Pushes the database at `path`. A run that is there already, with the same labels, changes nothing.
 * Returns 0, or 2 after saying what is wrong: nothing of the run is there then. */
int push_run(struct store *store, const char *path, const struct push_options *options);

#endif
