/* A run in which nothing was recorded: that is a loss, and it has a cause that can be told. */
#ifndef FISQL_LOADER_NOTHING_H
#define FISQL_LOADER_NOTHING_H

#include "loader/log/log_index.h"
#include "loader/program/program.h"

/* Adds a loss to the index where no call was recorded and no other loss explains it, naming the
 * cure. `blocks` is the number of allocations: where there are some it takes more to say that calls
 * are missing. Returns 0, or -1 without memory. */
int nothing_check(struct log_index *index, const struct program *program, uint64_t calls,
                  uint64_t blocks, struct error *error);

#endif
