/*
 * What a pool would save: the allocations of a function are done again, here, by malloc and free and
 * by a list of free blocks of each size, in the order in which the run did them, and both are timed.
 */
#ifndef FISQL_CLI_WHATIF_POOL_H
#define FISQL_CLI_WHATIF_POOL_H

#include "cli/whatif/graph.h"

/* Fills in change->saves_ns and change->told. 0, or 2 after saying what is wrong. */
int pool_measure(const struct graph *graph, struct change *change);

#endif
