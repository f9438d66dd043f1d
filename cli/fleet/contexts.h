/*
 * A run's calling contexts by what is the same in every run: a context's id is a hash of the stable ids
 * of the functions on its stack, outermost first. Frames that differ in their call sites alone share it.
 */
#ifndef FISQL_CLI_FLEET_CONTEXTS_H
#define FISQL_CLI_FLEET_CONTEXTS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Of the frame `id`, at index id. */
struct contexts {
    int64_t *ids;
    uint32_t *parents, *functions; /* ids of frames and functions; 0 = none */
    size_t count;                  /* of each array, ids from 0 on */
    uint64_t distinct;             /* ids that differ */
    sqlite3_stmt *name;            /* of a function */
    uint8_t *first;                /* bits: the first frame with its id? */
};

/* Reads the frames, and adds to the connection the SQL functions
 *   context(frame)        its id, NULL for NULL
 *   context_first(frame)  1 = no earlier frame has this id
 *   context_stack(frame)  the names of the stack, outermost first; of more than 64, the innermost
 * Needs fleet_functions_add(). Returns 0, or 2 after saying what is wrong. Release in both cases, before
 * the connection closes. */
int contexts_load(struct contexts *contexts, sqlite3 *database);
void contexts_release(struct contexts *contexts);

#endif
