/*
 * A run's calling contexts, by an id that is the same in every run: a hash of the stable ids of the
 * functions on the stack, outermost first. Frames that differ only in their call sites share an id.
 */
#ifndef FISQL_CLI_FLEET_CONTEXTS_H
#define FISQL_CLI_FLEET_CONTEXTS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Index = id of the frame. */
struct contexts {
    int64_t *ids;
    uint32_t *parents, *functions; /* ids of frames and functions; 0 = none */
    size_t count;                  /* of each array, ids from 0 on */
    uint64_t distinct;             /* number of different ids */
    sqlite3_stmt *name;            /* finds the name of a function */
    uint8_t *first;                /* a bit per frame: 1 = the first with its context */
};

/* Reads the frames and adds SQL functions to the connection:
 *   context(frame)        its id, NULL for NULL
 *   context_first(frame)  1 = no earlier frame has this id
 *   context_stack(frame)  the names of the stack, outermost first; only the innermost 64 of more
 * Needs fleet_functions_add(). Returns 0, or 2 after saying what is wrong. Release in both
 * cases, before the connection closes. */
int contexts_load(struct contexts *contexts, sqlite3 *database);
void contexts_release(struct contexts *contexts);

#endif
