/*
 * Who held which lock, and when: of the locks of which every acquisition was recorded (record
 * --locks=all). When each was given back is inferred (graph_locks.c).
 */
#ifndef FISQL_CLI_WHATIF_HOLDS_H
#define FISQL_CLI_WHATIF_HOLDS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/run/run_view.h"

struct hold {
    int64_t thread, from_ns, to_ns; /* threads.id */
    uint32_t lock;                  /* index in names */
};

struct holds {
    struct hold *items; /* by thread and from_ns */
    size_t count;
    char **names;
    size_t names_count;
};

/* 0, or 2 after saying what is wrong; release in both cases. */
int holds_open(struct holds *holds, const struct run_view *view);
void holds_release(struct holds *holds);

/* The name of the lock that the thread held then, the one before `after` in the list, which is
 * holds->count at first and is moved on; NULL = no further one. */
const char *holds_next(const struct holds *holds, int64_t thread, int64_t ns, size_t *after);

#endif
