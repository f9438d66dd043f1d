/*
 * Choosing runs. A set is KEY=VALUE or VALUE of a label, a run (at least the first 6 digits of its
 * id), or * for all.
 */
#ifndef FISQL_CLI_FLEET_CHOOSE_H
#define FISQL_CLI_FLEET_CHOOSE_H

#include "cli/fleet/store.h"

/* Makes the temporary table chosen(run_id, side) in store->local. */
int choose_begin(struct store *store);

/* Adds the runs of a set to that side. Returns 0, or 2 after saying that there are none or that
 * the other side already has some of them. `what` names the parameter. */
int choose_add(struct store *store, const char *what, const char *set, int side);

#endif
