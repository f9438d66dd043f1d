/* A run without records: that is a loss, and we can name its cause. */
#ifndef FISQL_LOADER_NOTHING_H
#define FISQL_LOADER_NOTHING_H

#include "loader/log/log_index.h"
#include "loader/program/program.h"

/* Adds a loss with its cure to the index if no call was recorded and no other loss explains that.
 * blocks: the number of allocations; if there are some, more must show that calls are
 * missing. Returns 0, or -1 without memory. */
int nothing_check(struct log_index *index, const struct program *program, uint64_t calls,
                  uint64_t blocks, struct error *error);

#endif
